import { channel } from 'node:diagnostics_channel'
import { describe, expect, it, vi } from 'vitest'
import type { SocialSearch } from '../../../src/index.ts'
import { abortIn, pass, settle } from '../../support/clock.ts'
import { query } from '../../support/search.ts'
import { baseUrl, hang, makeClient, ok, virtualService } from '../../support/service.ts'

const service = virtualService()

const chunk = new Uint8Array(2 ** 24).fill(32)
const endless = (): Response =>
  new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }))

it.each<[string, () => object, () => Response | Promise<Response>, number]>([
  ['the response is cut off at its limit', () => ({}), endless, 50],
  ['its timeout ends it in flight', () => ({ timeout: 100 }), hang, 150],
  ['its signal ends it in flight', () => ({ signal: abortIn(100) }), hang, 150],
])('search() keeps its slot for 50 ms when %s', async (_, options, first, ms) => {
  service.script(first, ok())
  const client = makeClient({ limits: { inFlight: 1 } })
  const ended = client.microblog.search(query, options()).catch((error: unknown) => error)
  expect(await service.search(client)).toMatchObject({ error: undefined, at: [0, ms] })
  expect(await ended).toBeInstanceOf(Error)
})

it('search() counts toward the limit from when Node sends it, however long its connection takes to open', async () => {
  const request = { origin: new URL(baseUrl).origin, path: '/v1/data/microblog/tweets/search' }
  const sent: number[] = []
  const fetch = async () => {
    if (sent.length < 2) await new Promise((resolve) => setTimeout(resolve, 7000))
    channel('undici:client:sendHeaders').publish({ request })
    sent.push(performance.now())
    return ok()
  }
  const { microblog } = makeClient({ fetch })
  await settle(Promise.all(Array.from({ length: 21 }, () => microblog.search(query))))
  expect(sent.at(-1)! - sent[0]!).toBeGreaterThanOrEqual(60_000)
})

it('close() ends a request in flight, and waits until its slot is free, however often it is called', async () => {
  service.script(hang)
  const client = makeClient()
  const ended = client.microblog.search(query).then(
    () => null,
    (error: unknown) => error,
  )
  await pass(100)
  expect((await settle(Promise.all([client.close(), client.close()]))).ms).toBe(50)
  expect(client.status().slots.taken).toBe(0)
  expect(await ended).toMatchObject({ code: 'closed' })
})

const fail = (): never => {
  throw new Error('no random numbers')
}

const facts = (client: SocialSearch): object => {
  const { spent, uncertain, reserved } = client.credits
  return { taken: client.status().slots.taken, spent, uncertain, reserved }
}

describe('a call that fails where nobody expects it ends its slot, and its money is accounted for', () => {
  it.each([500, 200])('when the headers of a %i throw as they are read', async (status) => {
    const response = { status, type: 'basic', body: null, headers: { get: fail } } as never
    const client = makeClient({ fetch: () => Promise.resolve(response), limits: { perMinute: false } })
    const error = { name: 'ConfigurationError', charged: 'unknown', attempts: [{ charged: 'unknown' }] }
    for (const uncertain of [2, 4, 6]) {
      expect((await service.search(client)).error).toMatchObject(error)
      expect(facts(client)).toEqual({ taken: 0, spent: 0, uncertain, reserved: 0 })
    }
  })

  it.each<[string, (client: SocialSearch) => PromiseLike<unknown>, number]>([
    ['a paid call', (client) => client.microblog.search(query), 2],
    ['a free one', (client) => client.organization.usage(), 0],
    ['a write', (client) => client.mentions.setState('men_1', {}), 0],
  ])('when the verdict itself throws, on %s', async (_, call, uncertain) => {
    const failed = [new Response(null, { status: 503 })]
    // Not by way of msw, which draws random numbers itself.
    const fetch = () => Promise.resolve(failed.pop() ?? ok())
    const onCall = vi.fn()
    const client = makeClient({ fetch, observers: [{ onCall }], retry: { unknown: true } })
    vi.spyOn(Math, 'random').mockImplementation(fail)
    const { error } = await service.see(call, client)
    vi.restoreAllMocks()
    expect(error).toEqual(new Error('no random numbers'))
    expect(facts(client)).toEqual({ taken: 0, spent: 0, uncertain, reserved: 0 })
    const credits = { spent: 0, uncertain }
    expect(onCall).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ credits }))
    await settle(Promise.all([client.microblog.search(query), client.microblog.search(query)]))
    expect(facts(client)).toMatchObject({ taken: 0, spent: 4, reserved: 0 })
  })
})

describe('search() goes at once', () => {
  it('after twenty requests that never left', async () => {
    const cause = { code: 'ECONNREFUSED', syscall: 'connect' }
    let fetch = () => Promise.reject<Response>(Object.assign(new TypeError('fetch failed'), { cause }))
    const client = makeClient({ retry: false, fetch: () => fetch() })
    for (let i = 0; i < 20; i++) await service.search(client)
    fetch = () => Promise.resolve(ok())
    expect(await service.search(client)).toMatchObject({ error: undefined, ms: 0 })
  })

  it('after twenty calls that were aborted between their turn and their sending', async () => {
    // The lease is granted, and the request sent, after some steps of promises: a call may be aborted at each of them.
    let steps = 0
    for (; ; steps++) {
      const fetch = vi.fn(() => Promise.resolve(ok()))
      const client = makeClient({ retry: false, fetch })
      for (let i = 0; i < 20; i++) {
        const abort = new AbortController()
        const ended = client.microblog.search(query, { signal: abort.signal }).catch(() => {})
        for (let step = 0; step < steps; step++) await Promise.resolve()
        abort.abort()
        await settle(Promise.resolve(ended))
      }
      if (fetch.mock.calls.length > 0) break
      expect((await service.search(client)).ms).toBe(0)
      expect(client.status().slots.taken).toBe(0)
    }
    expect(steps).toBeGreaterThan(3)
  })
})

it('technews.search() delivers the page that was paid for when the params nest deeply', async () => {
  service.script(() => ok({ requestId: 'r', posts: [{ a: 1 }], meta: { hasMore: true, nextCursor: 'c' } }))
  for (const depth of [100, 3000, 4000]) {
    let deep = {}
    for (let i = 0; i < depth; i++) deep = { d: deep }
    const { value, error, spent } = await service.see(({ technews }) => technews.search({ deep }))
    expect([error, Object.keys(value!.next!), spent]).toEqual([undefined, ['deep', 'cursor'], 2])
  }
})
