import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createCallbackReceiver } from '../../src/extensions/catalog/index.ts'
import { verifyHmac, verifySharedSecret } from '../../src/extensions/events/index.ts'
import { makeReceiver, secret, url } from './setup.ts'

describe('verifyHmac()', () => {
  const body = '{"a":"é"}'
  const sign = (text: string, algorithm = 'sha256', encoding: 'hex' | 'base64' = 'hex', key = secret) =>
    createHmac(algorithm, key).update(text).digest(encoding)
  const check = (options: object, headers: Record<string, string>, sent = body) =>
    makeReceiver({ verify: verifyHmac({ secret, header: 'x-sig', ...options }) }).post(sent, headers)

  it('accepts a valid signature, and refuses any other byte', async () => {
    expect(await check({}, { 'x-sig': sign(body) })).toBe(202)
    expect(await check({}, { 'x-sig': sign(body).toUpperCase() })).toBe(202)
    expect(await check({}, { 'x-sig': sign(body) }, `${body} `)).toBe(401)
    expect(await check({}, { 'x-sig': sign(body, 'sha256', 'hex', `${secret}x`) })).toBe(401)
    expect(await check({}, { 'x-sig': sign(body, 'sha512') })).toBe(401)
    expect(await check({ algorithm: 'SHA-512' }, { 'x-sig': sign(body, 'sha512') })).toBe(202)
    expect(await check({ encoding: 'base64' }, { 'x-sig': sign(body, 'sha256', 'base64') })).toBe(202)
    expect(await check({ prefix: 'v1=' }, { 'x-sig': `v1=${sign(body)}` })).toBe(202)
    expect(await check({ secret: ['old_secret', secret] }, { 'x-sig': sign(body) })).toBe(202)
  })

  it.each(['', 'zz', 'abc', sign(body).slice(2), `${sign(body)}00`, `v2=${sign(body)}`])(
    'refuses the signature %j',
    async (signature) => {
      expect(await check({ prefix: '' }, { 'x-sig': signature })).toBe(401)
      expect(await check({ prefix: 'v1=' }, { 'x-sig': signature })).toBe(401)
      expect(await check({ encoding: 'base64' }, { 'x-sig': signature })).toBe(401)
      expect(await check({}, {})).toBe(401)
    },
  )

  it('refuses a base64 signature with anything after its last bit', async () => {
    const signature = sign(body, 'sha256', 'base64')
    const others = Array.from(
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
      (last) => `${signature.slice(0, -2)}${last}=`,
    )
    const accepted: string[] = []
    for (const given of [...others, `${signature}=`, `${signature}AAAA`, `${signature}x`])
      if ((await check({ encoding: 'base64', prefix: 'v1=' }, { 'x-sig': `v1=${given}` })) === 202)
        accepted.push(given)
    expect(accepted).toEqual([signature])
  })

  it('checks the bytes of the body, not its text', async () => {
    const bytes = Buffer.concat([Buffer.from('\uFEFF"'), Buffer.from([0xff, 0x22])])
    const post = makeReceiver({ verify: verifyHmac({ secret, header: 'x-sig' }) }).post
    const headers = { 'x-sig': createHmac('sha256', secret).update(bytes).digest('hex') }
    expect(await post(bytes, headers)).toBe(202)
    expect(await post(bytes.subarray(3), headers)).toBe(401)
    expect(await post(bytes.toString(), headers)).toBe(401)
  })

  it('signs the time with the body', async () => {
    const options = { timestampHeader: 'x-time' }
    expect(await check(options, { 'x-time': '17', 'x-sig': sign(`17.${body}`) })).toBe(202)
    expect(await check(options, { 'x-time': '18', 'x-sig': sign(`17.${body}`) })).toBe(401)
    expect(await check(options, { 'x-sig': sign(`.${body}`) })).toBe(401)
    expect(await check({ ...options, separator: ':' }, { 'x-time': '17', 'x-sig': sign(`17:${body}`) })).toBe(
      202,
    )
    const signed = '17.{"a":"1.5"}'
    expect(await check(options, { 'x-time': '17', 'x-sig': sign(signed) }, '{"a":"1.5"}')).toBe(202)
    expect(await check(options, { 'x-time': '17.{"a":"1', 'x-sig': sign(signed) }, '5"}')).toBe(401)
  })
})

describe('verifySharedSecret()', () => {
  const check = (options: object, headers: Record<string, string>, target = url) =>
    makeReceiver({ verify: verifySharedSecret({ secret, ...options } as never) }).post('{}', headers, target)

  it('accepts the secret in a header or in the URL', async () => {
    expect(await check({ header: 'x-secret' }, { 'x-secret': secret })).toBe(202)
    expect(
      await check({ header: 'authorization', prefix: 'Bearer ' }, { authorization: `Bearer ${secret}` }),
    ).toBe(202)
    expect(await check({ query: 'key' }, {}, `${url}?key=${secret}`)).toBe(202)
    expect(await check({ secret: ['next', secret], query: 'key' }, {}, `${url}?key=next`)).toBe(202)
  })

  it('refuses any other secret', async () => {
    for (const wrong of ['', 'x', secret.slice(1), `${secret}x`, secret.toUpperCase()]) {
      expect(await check({ header: 'x-secret' }, { 'x-secret': wrong })).toBe(401)
      expect(await check({ query: 'key' }, {}, `${url}?key=${wrong}`)).toBe(401)
    }
    expect(await check({ header: 'x-secret' }, {})).toBe(401)
    expect(await check({ query: 'key' }, {})).toBe(401)
    for (const twice of [`key=x&key=${secret}`, `key=${secret}&key=x`]) {
      expect(await check({ query: 'key' }, {}, `${url}?${twice}`)).toBe(401)
    }
    expect(await check({ header: 'x-secret', prefix: 'Bearer ' }, { 'x-secret': secret })).toBe(401)
  })

  it('serves the callbacks of the catalog as well', async () => {
    const receive = createCallbackReceiver({
      successUrl: '/done',
      failureUrl: '/failed',
      verify: verifySharedSecret({ secret, query: 'key' }),
      onCallback: () => {},
    })
    const status = async (key: string) =>
      (await receive(new Request(`https://x.example/done?key=${key}`, { method: 'POST' }))).status
    expect([await status(secret), await status('x')]).toEqual([202, 401])
  })
})

describe('the options of verifiers', () => {
  const makers: (() => unknown)[] = [
    () => verifyHmac({ secret: '', header: 'x' }),
    () => verifyHmac({ secret: [], header: 'x' }),
    () => verifyHmac({ secret, header: secret + ' ' }),
    () => verifyHmac({ secret, header: 'x', algorithm: secret as never }),
    () => verifyHmac({ secret, header: 'x', encoding: secret as never }),
    () => verifyHmac({ secret, header: 'x', timestampHeader: '' }),
    () => verifyHmac({ secret, header: 'x', timestampHeader: 'y', separator: '' }),
    () => verifyHmac({ secret } as never),
    () => verifySharedSecret({ secret } as never),
    () => verifySharedSecret({ secret, header: 'x', query: 'y' }),
    () => verifySharedSecret({ secret: 5, header: 'x' } as never),
  ]
  it.each(makers)('are refused when invalid, without printing the secret: %#', (make) => {
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
    try {
      make()
    } catch (error) {
      expect(inspect(error, { showHidden: true })).not.toContain(secret)
    }
  })
})
