import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { settle, useVirtualTime } from '../support/clock.ts'
import {
  type CallbackOptions,
  type CatalogCallback,
  createCallbackReceiver,
} from '../../src/extensions/catalog/index.ts'

const origin = 'https://receiver.example'

function makeReceiver(options: Partial<CallbackOptions> = {}) {
  const callbacks: CatalogCallback[] = []
  const works: Promise<void>[] = []
  const receive = createCallbackReceiver({
    successUrl: `${origin}/done?planet=1`,
    failureUrl: '/failed',
    verify: ({ url }) => url.searchParams.get('secret') === 's3cret',
    onCallback: (callback) => void callbacks.push(callback),
    waitUntil: (work) => void works.push(work),
    ...options,
  })
  /** Resolves with the status when the work is done, too. */
  const post = async (path: string, body?: string): Promise<number> => {
    const request = new Request(origin + path, { method: 'POST', ...(body !== undefined && { body }) })
    const { status } = await receive(request)
    await Promise.all(works)
    return status
  }
  return { callbacks, receive, post }
}

describe('createCallbackReceiver()', () => {
  it('distinguishes success from failure by the path, and passes on any body', async () => {
    const { callbacks, post } = makeReceiver()
    expect(await post('/done?secret=s3cret', '{"id":9007199254740993}')).toBe(202)
    expect(await post('/failed?secret=s3cret', 'not JSON')).toBe(202)
    expect(await post('/failed?secret=s3cret')).toBe(202)
    expect(await post('/done?secret=s3cret', 'null')).toBe(202)
    expect(callbacks.map(({ outcome, payload }) => [outcome, payload])).toEqual([
      ['success', { id: 9007199254740993n }],
      ['failure', 'not JSON'],
      ['failure', ''],
      ['success', null],
    ])
  })

  it('parses each body that is JSON, also with a BOM, duplicate keys or a thousand levels', async () => {
    const { callbacks, post } = makeReceiver()
    const levels = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    for (const body of ['\uFEFF{"id":1}', '{"id":1,"id":2}', levels(1000), levels(500_000)])
      expect(await post('/done?secret=s3cret', body)).toBe(202)
    expect(callbacks.map(({ payload }) => payload)).toEqual([
      ...[{ id: 1n }, { id: 2n }, JSON.parse(levels(1000))],
      levels(500_000),
    ])
  })

  it('hides the request from logs of the callback', async () => {
    const { callbacks, post } = makeReceiver()
    expect(await post('/done?secret=s3cret', '{}')).toBe(202)
    expect(inspect(callbacks, { depth: Infinity }) + JSON.stringify(callbacks)).not.toContain('s3cret')
    expect(callbacks[0]?.delivery.url.searchParams.get('secret')).toBe('s3cret')
  })

  it.each([
    ['another path', '/other?secret=s3cret', 404],
    ['the wrong secret', '/done?secret=x', 401],
    ['no secret', '/done', 401],
  ])('does not call the handler when a request has %s', async (_, path, status) => {
    const { callbacks, post } = makeReceiver()
    expect(await post(path, '{}')).toBe(status)
    expect(callbacks).toEqual([])
  })

  it('refuses a body above the maximum before verifying it, and accepts one at the maximum', async () => {
    const verified: number[] = []
    const { post } = makeReceiver({
      maxBodyBytes: 10,
      verify: ({ body }) => verified.push(body.byteLength) > 0,
    })
    expect(await post('/done', 'x'.repeat(11))).toBe(413)
    expect(await post('/done', 'x'.repeat(10))).toBe(202)
    expect(verified).toEqual([10])
  })

  it.each<[string, BodyInit, CallbackOptions['verify']]>([
    ['the body never ends', new ReadableStream(), () => true],
    ['verify never settles', '{}', () => new Promise(() => {})],
  ])('responds with 408 when %s', async (_, body, verify) => {
    useVirtualTime()
    const { callbacks, receive } = makeReceiver({ verify })
    const init = { method: 'POST', body, duplex: 'half' }
    const { value, ms } = await settle(receive(new Request(`${origin}/done`, init)))
    expect([value?.status, ms, callbacks]).toEqual([408, 10_000, []])
    vi.useRealTimers()
  })

  it('responds before the handler ends, and passes its errors to onError', async () => {
    const errors: unknown[] = []
    const works: Promise<void>[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const { post } = makeReceiver({
      onCallback: () => promise.then(() => Promise.reject(new Error('database is down'))),
      onError: (error) => void errors.push(error),
      waitUntil: (work) => void works.push(work),
    })
    expect(await post('/done?secret=s3cret', '{}')).toBe(202)
    expect(errors).toEqual([])
    resolve()
    await Promise.all(works)
    expect(errors).toMatchObject([{ message: 'database is down' }])
  })

  it.each([
    [{ verify: undefined }, 'verify must be a function, got undefined'],
    [{ successUrl: '/failed' }, 'successUrl and failureUrl must have different paths'],
    [{ successUrl: 'http://' }, 'successUrl is not a URL or a path'],
    [{ maxBodyBytes: 0 }, 'maxBodyBytes must be a whole number of at least 1, got 0'],
    [{ onSuccess: () => {} }, 'unknown option onSuccess; expected one of '],
  ])('refuses the invalid options %o', (options, message) => {
    expect(() => makeReceiver(options as never)).toThrow(message)
  })
})
