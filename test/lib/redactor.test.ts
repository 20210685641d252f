import fc from '../support/chance.ts'
import { describe, expect, it } from 'vitest'
import { Redactor } from '../../src/lib/redactor.ts'

function knowing(...secrets: string[]): Redactor {
  const redactor = new Redactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

const asIs = (char: string): string => char
const ofEach = (escape: typeof asIs) => (text: string) => text.replaceAll(/./g, (char) => escape(char))
const code = (char: string): string => char.charCodeAt(0).toString(16).padStart(2, '0')
/** How JSON, URLs and HTML may write a character. */
const spellings = [
  asIs,
  (char: string) => `%${code(char)}`,
  (char: string) => `%${code(char).toUpperCase()}`,
  (char: string) => `\\u00${code(char)}`,
  (char: string) => `&#${char.charCodeAt(0)};`,
  (char: string) => `&#x${code(char)};`,
]

describe('Redactor', () => {
  it('text() removes a secret as JSON, URLs and forms write it', () => {
    const secret = 'org_"a/b"\\c+d!=='
    const inForm = String(new URLSearchParams({ x: secret })).slice(2)
    for (const form of [secret, JSON.stringify(secret), encodeURIComponent(secret), inForm])
      expect(knowing(secret).text(`before ${form} after`)).toMatch(/^before "?\[redacted\]"? after$/)
  })

  it('text() removes a secret however each of its characters is escaped, and leaves the text around it', () => {
    const secrets = ['org_live_5f2b8c1d9e', 'AbC+dEf/gHi==~', 'two words']
    const around = ['{"body":"caf\\u00e9 50% & \\n', '&amp; a+b %41 \\"}']
    const [before = '', after = ''] = around
    fc.assert(
      fc.property(
        fc.constantFrom(...secrets),
        fc.array(fc.constantFrom(...spellings), { minLength: 30, maxLength: 30 }),
        (secret, each) => {
          const spelled = secret.replaceAll(/./g, (char, index: number) => (each[index] ?? asIs)(char))
          const text = knowing('org_another', secret).text(before + spelled + after)
          expect(text).toBe(`${before}[redacted]${after}`)
        },
      ),
      { numRuns: 500 },
    )
  })

  it.each(['key"with\\back&amp;<x>%25', 'a\\u0062c%2541%41+&lt;'])(
    'text() removes a secret that looks escaped itself: %s',
    (secret) => {
      const json = (text: string): string => JSON.stringify(text).slice(1, -1)
      const lower = (text: string): string => encodeURIComponent(text).toLowerCase()
      const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      // What writes every character as an escape is text of somebody who hides it, and comes first.
      const usual = [json, lower, encodeURI, encodeURIComponent, html]
      const all = [...usual, ...spellings.slice(1).map(ofEach)]
      const twice = all.flatMap((one) => usual.map((other) => (text: string) => other(one(text))))
      for (const write of [...all, ...twice])
        expect(knowing(secret).text(`<${write(secret)}>`)).toBe('<[redacted]>')
    },
  )

  it('text() removes a secret as JavaScript, HTML 5 and Base64 write it', () => {
    const secret = 'org_live-abc+DEF/ghi=jk'
    const write = (each: (hex: string, char: string) => string) =>
      secret.replaceAll(/[^a-z\d]/gi, (char) => each(code(char), char))
    const html: Record<string, string> = {
      _: 'lowbar',
      '-': 'hyphen',
      '+': 'plus',
      '/': 'sol',
      '=': 'equals',
    }
    const forms = [
      write((hex) => `\\x${hex}`),
      write((hex) => `\\u{${hex}}`),
      write((hex) => `%u00${hex}`),
      write((_, char) => `\\${char}`),
      write((_, char) => `&${html[char]};`),
      write((_, char) => `&#${char.charCodeAt(0)}`),
      write((hex) => `%252525${hex}`),
    ]
    for (const form of forms) expect(knowing(secret).text(`"${form}"`), form).toBe('"[redacted]"')
    for (const before of ['', 'a', 'Bearer ', 'ab'])
      expect(knowing(secret).text(btoa(`${before}${secret}:`))).toMatch(/^[\w=]{0,12}\[redacted\][\w=]{0,4}$/)
  })

  it('text() removes a secret behind a text that begins like it', () => {
    expect(knowing('abcabcab_x9').text('abcabcabcab_x9')).toBe('abc[redacted]')
  })

  it('text() takes no longer for text full of escapes', () => {
    const redactor = knowing('org_live_abcDEF123456')
    const timeOf = (unit: string): number => {
      const text = unit.repeat(Math.ceil(500_000 / unit.length))
      const times = [1, 2, 3].map(() => {
        const start = performance.now()
        redactor.text(text)
        return performance.now() - start
      })
      return Math.min(...times)
    }
    const ordinary = timeOf('The new release is out. ')
    for (const unit of [
      '%',
      '%25',
      '&amp;',
      '\\',
      '\\u0025',
      '&#37;',
      '\\\\\\u006f',
      'o',
      'org_liv',
      '%6f%72%67',
    ])
      expect(timeOf(unit), unit).toBeLessThan(50 * ordinary + 20)
  })

  it.each([
    ...['\\u006frg_live/5f2b', 'org\\u005Flive\\/5f2b', 'org_live\\u002f5\\u0066\\u0032b'],
    'org_live\\/5f2b',
  ])('text() removes a secret that JSON escapes as %s', (escaped) => {
    const redactor = knowing('org_live/5f2b')
    const cutOff = `{"key":"${escaped}","posts":[{"id"`
    expect(redactor.text(cutOff)).toBe('{"key":"[redacted]","posts":[{"id"')
  })

  it('text() leaves other escapes as they are', () => {
    const text = '{"body":"caf\\u00e9 \\/ \\n \\\\u0041"}'
    expect(knowing('org_live_5f2b').text(text)).toBe(text)
  })

  it('data() removes it from values and names at any depth, also if escaped', () => {
    const redactor = knowing('org_live_5f2b')
    const data = JSON.parse(
      '{"a":["x org\\u005flive_5f2b y",{"org_live_5f2b":1}],"__proto__":{"b":"org_live_5f2b"}}',
    ) as object
    expect(JSON.stringify(redactor.data(data))).toBe(
      '{"a":["x [redacted] y",{"[redacted]":1}],"__proto__":{"b":"[redacted]"}}',
    )
    expect(({} as { b?: string }).b).toBeUndefined()
  })

  it('data() handles 100,000 levels', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}"org_live_5f2b"${']'.repeat(100_000)}`) as unknown
    let inner = knowing('org_live_5f2b').data(deep)
    while (Array.isArray(inner)) inner = inner[0]
    expect(inner).toBe('[redacted]')
  })

  it('text() removes a secret of many thousand characters, also if escaped', () => {
    const secret = `tk_${'ab/c'.repeat(5000)}`
    const redactor = new Redactor()
    redactor.add(secret)
    const escaped = secret.replaceAll('/', '\\/').replaceAll('b', '\\u0062')
    expect(redactor.text(`{"a":"${secret}","b":"${escaped}"}`)).toBe('{"a":"[redacted]","b":"[redacted]"}')
  })

  it('with() keeps a token that renew() makes the first one forget', () => {
    const client = knowing('org_live_5f2b')
    client.renew('token_1')
    const call = client.with('token_2')
    client.renew('token_3')
    expect(['org_live_5f2b', 'token_1', 'token_2', 'token_3'].map((token) => call.text(token))).toEqual([
      ...['[redacted]', '[redacted]', '[redacted]', 'token_3'],
    ])
    expect(client.text('org_live_5f2b token_1 token_3')).toBe('[redacted] token_1 [redacted]')
  })

  it('leaves text unchanged when the secret is very short', () => {
    expect(knowing('abc').text('abc')).toBe('abc')
  })
})
