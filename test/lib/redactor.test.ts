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

/** How HTML 5 names signs. */
const signs = { _: 'lowbar', '-': 'hyphen', '+': 'plus', '/': 'sol', '=': 'equals', '.': 'period' }
const others = { '&': 'amp', '%': 'percnt', '\\': 'bsol', ';': 'semi', '#': 'num' }
const named = (names: Readonly<Record<string, string>>) => (char: string) =>
  char in names ? `&${names[char]};` : char
const asJson = (text: string): string => JSON.stringify(text).slice(1, -1)

describe('Redactor', () => {
  it('text() removes a secret however each of its characters is escaped, and leaves the text around it', () => {
    const secrets = ['org_live_5f2b8c1d9e', 'AbC+dEf/gHi==~']
    const [before, after] = ['{"body":"caf\\u00e9 50% & \\n', '&amp; a+b %41 \\"}']
    const forms = fc.array(fc.constantFrom(...spellings), { minLength: 30, maxLength: 30 })
    const removes = fc.property(fc.constantFrom(...secrets), forms, (secret, each) => {
      const spelled = secret.replaceAll(/./g, (char, index: number) => (each[index] ?? asIs)(char))
      const text = knowing('org_another', secret).text(before + spelled + after)
      expect(text).toBe(`${before}[redacted]${after}`)
    })
    fc.assert(removes, { numRuns: 500 })
  })

  it.each(['key"with\\back&amp;<x>%25', 'a\\u0062c%2541%41+&lt;', 'ab%2525cd12%41'])(
    'text() removes a secret that looks escaped itself: %s',
    (secret) => {
      const lower = (text: string): string => encodeURIComponent(text).toLowerCase()
      const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      // What writes every character as an escape is text of somebody who hides it, and comes first.
      const usual = [asJson, lower, encodeURI, encodeURIComponent, html]
      const all = [...usual, ...spellings.slice(1).map(ofEach)]
      const twice = all.flatMap((one) => usual.map((other) => (text: string) => other(one(text))))
      for (const write of [...all, ...twice])
        expect(knowing(secret).text(`<${write(secret)}>`)).toBe('<[redacted]>')
    },
  )

  it.each([
    ['org_live_12%4', '1'],
    ['org_live_12%', '41'],
    ['org_live_12&', 'amp;'],
    ['org_live_12&amount', ';'],
    ['org_live_12&#3', '7;'],
    ['org_live_12%4&', '#49;'],
    ['org_live_12&#4', '9'],
    ['org_live_12\\u{4', '1}'],
    ['org_live_12\\u00', '41'],
  ])(
    'text() removes a secret with an escape that the text behind it completes: %s and %s',
    (secret, behind) => {
      const redactor = knowing(secret)
      expect(redactor.text(`a ${secret}${behind} b`)).toBe(`a [redacted]${behind} b`)
      // Of a text without such an escape, nothing is lost.
      expect(redactor.text('org_live_12 &amp; org\\u005flive_12')).toBe('org_live_12 &amp; org\\u005flive_12')
    },
  )

  it.each(['%', '%u00', '\\x', '\\u00', '\\u{', '&#x', '&#', '&', '%25', '%%'])(
    'text() removes a secret whose first characters seem to belong to an escape that %s opens',
    (sign) => {
      for (const secret of ['ab12cd34ef', '12345678', 'amp_live_12', 'lt;live_12'])
        for (const write of [...spellings, (char: string) => `%25${code(char)}`].map(ofEach))
          for (const length of [0, 1, 2, 4, secret.length]) {
            const spelled = secret.slice(0, length) + write(secret.slice(length))
            expect(knowing(secret).text(`x ${sign}${spelled} y`)).toBe(`x ${sign}[redacted] y`)
          }
    },
  )

  it('text() removes a token in any language within any other', () => {
    const ofSigns = (escape: typeof asIs) => (text: string) =>
      text.replaceAll(/[^a-z\d]/gi, (char) => escape(char))
    const point = (char: string): number => char.charCodeAt(0)
    const writers: ((text: string) => string)[] = [
      ...[asJson, encodeURIComponent],
      (text) => String(new URLSearchParams({ text })).slice('text='.length),
      (text) => encodeURIComponent(text).replaceAll(/%../g, (byte) => byte.toLowerCase()),
      ofSigns((char) => `&#${point(char)};`),
      ofSigns((char) => `&#0${point(char)};`),
      ofSigns((char) => `&#X${code(char).toUpperCase()};`),
      ofSigns(named(others)),
      ofSigns(named({ '&': 'amp', ...signs })),
      ofSigns((char) => `%2525${code(char)}`),
      ofSigns((char) => `\\x${code(char)}`),
      ofSigns((char) => `\\u{0${code(char)}}`),
      ofSigns((char) => `\\u00${code(char).toUpperCase()}`),
      ofSigns((char) => `%u00${code(char)}`),
      ofEach((char) => `%${code(char)}`),
      ofEach((char) => `&#x${code(char)};`),
      ofEach((char) => `\\u00${code(char)}`),
    ]
    const token = fc.stringMatching(/^[a-z]{2}[\w.~+/=-]{8,30}$/)
    const layers = fc.array(fc.constantFrom(...writers), { maxLength: 3 })
    const [before, base64] = [fc.constantFrom('', 'a', 'Bearer '), fc.constantFrom('', '+/', '-_')]
    const removes = fc.property(token, layers, before, base64, (secret, layers, before, base64) => {
      const bytes = btoa(`${before}${secret}`).replaceAll(/[+/]/g, (sign) => base64['+/'.indexOf(sign)]!)
      const spelled = layers.reduce((text, write) => write(text), base64 ? bytes : secret)
      const left = knowing('org_another', secret).text(`x <${spelled}> y`)
      expect(left).toMatch(/^x <.*\[redacted\].*> y$/)
      // Base64 has a few characters of what is around it.
      if (!base64) expect(left).toBe('x <[redacted]> y')
    })
    fc.assert(removes, { numRuns: 3000 })
  })

  const russian = 'парольпароль'
  const greeting = 'здравствуйтездравствуйте%20'
  const signed = 'org_live-abcd+DEF/ghi=jk'
  const withBackslashes = signed.replaceAll(/[^a-z\d]/gi, '\\$&')
  const unended = signed.replaceAll(/[^a-z\d]/gi, (char) => `&#${char.charCodeAt(0)}`)
  it.each([
    ['two words', '"two+words"&', '"[redacted]"&'],
    ['two "quoted" words', 'two \\"quoted&quot; words', '[redacted]'],
    ['org_live_5f2b', '&valueOf; &toString; org&amp#95;live_5f2b', '&valueOf; &toString; [redacted]'],
    ['org_live_5f2b', '\uFEFF%6frg_live_5f2b1', '\uFEFF[redacted]1'],
    [signed, `"${withBackslashes}" "${unended}"`, '"[redacted]" "[redacted]"'],
    // Behind a text that begins like it.
    ['abcabcab_x9', 'abcabcabcab_x9', 'abc[redacted]'],
    // In letters of other scripts, as they are and in UTF-8.
    [russian, `${russian} ${encodeURIComponent(russian)} ${greeting}`, `[redacted] [redacted] ${greeting}`],
    // Too short to be one.
    ['abc', 'abc', 'abc'],
  ])('text() removes the secret %s from %s alone', (secret, text, left) => {
    expect(knowing(secret).text(text)).toBe(left)
  })

  it.each([
    ...['%', '%25', '%3', '%u', '%5c', '%25255c', '% ', '%6f%72%67', 'a%', '%%35', '%e2%80%9c'],
    ...['&', '&amp;', '&amp', '&#', '&#0', '&#45', '&#37;', '&lt;', '&hyphen;', '&a', '&amp;#38;'],
    ...['\\', '\\\\n', '\\"', '\\u', '\\u0025', '\\u{0', '\\u{6f}', '\\x6f', '\\\\\\u006f', '\\u005c', 'a\\'],
    ...['o', 'org_liv', '0987654321', 'é', ';', '{}', '%25%2525&amp;amp;+\\u0025"'],
    ...['&#0000', '\\u{0000', '%5c', '&abcdefg', '%6frg_live_', `%6frg_live_abcDEF123456-098765432`],
    ...[`${'%5c'.repeat(5000)}\\u{${'0'.repeat(5000)}`, `${'%26'.repeat(5000)}#${'0'.repeat(5000)}`],
  ])('text() takes one look at each character of a text full of %s', (unit) => {
    const redactor = knowing('org_live_abcDEF123456-0987654321')
    const text = unit.repeat(300_000 / unit.length)
    const { user } = process.cpuUsage()
    redactor.text(text)
    // If a part were read again from each place in it, it would take minutes.
    expect(process.cpuUsage().user - user).toBeLessThan(1_500_000)
  })

  it.each(['x', ' x', '%41', ' %41 x', '%6frg_live_5f2b,'])(
    'text() takes a few megabytes for a text of any length, and removes secrets anywhere in it: %s',
    (unit) => {
      const between = unit.repeat(1_000_000 / unit.length)
      const text = ['%6frg_live_5f2b', '&#111;rg_live_5f2b', ''].join(`${between} ${between}`)
      const { arrayBuffers } = process.memoryUsage()
      const left = knowing('org_live_5f2b').text(text)
      expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(8_000_000)
      expect(left === text.replaceAll(/(%6f|&#111;)rg_live_5f2b/g, '[redacted]')).toBe(true)
    },
  )

  it('data() removes it from values and names at any depth, also if escaped', () => {
    const redactor = knowing('org_live_5f2b')
    const text = '{"a":["x org\\u005flive_5f2b y",{"org_live_5f2b":1}],"__proto__":{"b":"org_live_5f2b"}}'
    const clean = '{"a":["x [redacted] y",{"[redacted]":1}],"__proto__":{"b":"[redacted]"}}'
    expect(JSON.stringify(redactor.data(JSON.parse(text)))).toBe(clean)
    expect(({} as { b?: string }).b).toBeUndefined()
  })

  it('data() makes no texts of the places in a list', () => {
    const list = new Proxy(['none', 'org_live_5f2b'], { ownKeys: () => expect.unreachable() })
    knowing('org_live_5f2b').data({ list })
    expect([list[0], list[1]]).toEqual(['none', '[redacted]'])
  })

  it('data() handles 100,000 levels', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}"org_live_5f2b"${']'.repeat(100_000)}`) as unknown
    let inner = knowing('org_live_5f2b').data(deep)
    while (Array.isArray(inner)) inner = inner[0]
    expect(inner).toBe('[redacted]')
  })

  it('text() removes a secret of 200,000 characters, also if escaped', () => {
    const secret = `tk_${'ab/c'.repeat(50_000)}`
    const escaped = secret.replaceAll('/', '\\/').replaceAll('b', '\\u0062')
    const left = knowing(secret).text(`{"a":"${secret}","b":"${escaped}"}`)
    expect(left).toBe('{"a":"[redacted]","b":"[redacted]"}')
  })

  it('with() keeps a token that renew() makes the first one forget', () => {
    const client = knowing('org_live_5f2b')
    client.renew('token_1')
    const call = client.with('token_2')
    client.renew('token_3')
    const tokens = 'org_live_5f2b token_1 token_2 token_3'
    expect(call.text(tokens)).toBe('[redacted] [redacted] [redacted] token_3')
    expect(client.text('org_live_5f2b token_1 token_3')).toBe('[redacted] token_1 [redacted]')
  })

  it('text() replaces all of a secret that begins with another', () => {
    expect(knowing('token_1', 'token_12').text('token_1, token_12')).toBe('[redacted], [redacted]')
  })
})
