import { inspect } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { verifyStandardWebhooks } from '../../src/extensions/events/index.ts'
import { makeReceiver, secret } from './setup.ts'

const other = 'whsec_b3RoZXJfb3RoZXJfb3RoZXJf'

describe('verifyStandardWebhooks()', () => {
  const now = Date.UTC(2026, 10, 20)
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }))
  afterEach(() => void vi.useRealTimers())

  const body = '{"a":"é"}'
  /** The headers of the reference implementation. */
  const signed = (at = now, key = secret, sender = 'webhook') => ({
    [`${sender}-id`]: 'msg_1',
    [`${sender}-timestamp`]: String(at / 1000),
    [`${sender}-signature`]: new Webhook(key).sign('msg_1', new Date(at), body),
  })
  const check = (headers: Record<string, string>, sent: BodyInit = body, options: object = {}) =>
    makeReceiver({ verify: verifyStandardWebhooks({ secret, ...options }) }).post(sent, headers)

  it('accepts what the reference implementation signs, also as svix', async () => {
    expect(await check(signed())).toBe(202)
    expect(await check(signed(now, secret, 'svix'))).toBe(202)
    expect(await check(signed(), body, { secret: [other, secret.replace('whsec_', '')] })).toBe(202)
    const list = `v1a,AAAA v1,nothing ${signed(now, other)['webhook-signature']} ${signed()['webhook-signature']}`
    expect(await check({ ...signed(), 'webhook-signature': list })).toBe(202)
  })

  it('refuses another key, id, time or body', async () => {
    expect(await check(signed(now, other))).toBe(401)
    expect(await check({ ...signed(), 'webhook-id': 'msg_2' })).toBe(401)
    expect(await check({ ...signed(), 'webhook-timestamp': String(now / 1000 + 1) })).toBe(401)
    expect(await check(signed(), `${body} `)).toBe(401)
    expect(await check(signed(), Buffer.concat([Buffer.from('\uFEFF'), Buffer.from(body)]))).toBe(401)
    for (const name of Object.keys(signed())) expect(await check({ ...signed(), [name]: '' })).toBe(401)
    expect(await check({})).toBe(401)
  })

  it.each([
    [-300, 202],
    [-301, 401],
    [300, 202],
    [301, 401],
  ])('accepts a time within 5 minutes: %i s', async (seconds, status) => {
    expect(await check(signed(now + seconds * 1000))).toBe(status)
    expect(await check(signed(now + seconds * 1000), body, { tolerance: 299_000 })).toBe(401)
  })

  it('signs a body once for each secret, however many signatures come with it', async () => {
    const sign = vi.spyOn(crypto.subtle, 'sign')
    onTestFinished(() => sign.mockRestore())
    const many = `${`v1,${btoa('x'.repeat(32))} `.repeat(300)}${signed()['webhook-signature']}`
    expect(await check({ ...signed(), 'webhook-signature': many })).toBe(202)
    expect(sign).toHaveBeenCalledOnce()
  })

  it('checks the bytes of the body, not its text', async () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22])
    const [id, time] = ['msg_1', String(now / 1000)]
    const key = await crypto.subtle.importKey(
      ...(['raw', Buffer.from(secret.slice(6), 'base64'), { name: 'HMAC', hash: 'SHA-256' }] as const),
      ...([false, ['sign']] as const),
    )
    const code = await crypto.subtle.sign('HMAC', key, Buffer.concat([Buffer.from(`${id}.${time}.`), bytes]))
    const signature = `v1,${Buffer.from(code).toString('base64')}`
    const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature }
    expect(await check(headers, bytes)).toBe(202)
    expect(await check(headers, bytes.toString())).toBe(401)
  })

  it('refuses a signature with anything after its last bit', async () => {
    const signature = signed()['webhook-signature'] ?? ''
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const others = Array.from(letters, (last) => `${signature.slice(0, -2)}${last}=`)
    const accepted: string[] = []
    for (const given of [...others, `${signature}=`, `${signature}AAAA`, `${signature}x`])
      if ((await check({ ...signed(), 'webhook-signature': given })) === 202) accepted.push(given)
    expect(accepted).toEqual([signature])
  })
})

describe('the options of verifyStandardWebhooks()', () => {
  const invalid = [
    ...[[], `${secret}!`, '', [secret, 5], null].map((secret) => ({ secret })),
    ...[
      { secret, tolerance: NaN },
      { secret, header: 'x' },
    ],
  ]
  it.each(invalid)('are refused when invalid, without printing the secret: %#', (options) => {
    const make = () => verifyStandardWebhooks(options as never)
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
    try {
      make()
    } catch (error) {
      expect(inspect(error, { showHidden: true })).not.toContain(secret)
    }
  })
})
