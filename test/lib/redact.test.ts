import { describe, expect, it } from 'vitest'
import { Redactor } from '../../src/lib/redact.ts'

function knowing(...secrets: string[]): Redactor {
  const redactor = new Redactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

describe('Redactor', () => {
  it('text() removes a secret as JSON, URLs and forms write it', () => {
    const secret = 'org_"a/b"\\c+d!=='
    const inForm = String(new URLSearchParams({ x: secret })).slice(2)
    for (const form of [secret, JSON.stringify(secret), encodeURIComponent(secret), inForm])
      expect(knowing(secret).text(`before ${form} after`)).toMatch(/^before "?\[redacted\]"? after$/)
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

describe('Redactor.requestId()', () => {
  it('does not join the parts of a split secret', () => {
    expect(knowing('org_live_5f2b').requestId({ requestId: 'org_l\u200bive_\r\n5f2b' })).toBe('[redacted]')
  })

  it.each([[{}], [null], [[]], ['x'], [{ requestId: 5 }], [{ requestId: '\n' }]])(
    'is undefined for %j',
    (body) => {
      expect(knowing().requestId(body)).toBeUndefined()
    },
  )
})
