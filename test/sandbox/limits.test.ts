import { describe, expect, it, vi } from 'vitest'
import { type SandboxLimits, createSandbox } from '../support/sandbox.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { call, search, searchRequest } from './helpers.ts'

virtualTime()

const query = { query: 'coffee', count: 1 }

describe('createSandbox() limits.perMinute', () => {
  it('answers 429 with the seconds to wait after 20 requests in a minute, and then accepts exactly one more', async () => {
    const sandbox = createSandbox()
    for (let i = 0; i < 20; i++) {
      expect((await search(sandbox, query)).status).toBe(200)
      await vi.advanceTimersByTimeAsync(1000)
    }
    const { status, headers, body } = await search(sandbox, query)
    expect([status, headers.get('retry-after')]).toEqual([429, '40'])
    expect(body['error']).toMatchObject({ code: 'rate_limited', retryAfter: 40 })
    expect(sandbox.ledger.spent).toBe(40)
    await vi.advanceTimersByTimeAsync(39_999)
    expect((await search(sandbox, query)).body['error'].retryAfter).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect((await search(sandbox, query)).status).toBe(200)
    expect((await search(sandbox, query)).status).toBe(429)
  })

  it('counts requests that fail validation, but not those without a valid key', async () => {
    const sandbox = createSandbox({ limits: { perMinute: 2 } })
    const keys = ['wrong', 'wrong', sandbox.apiKey, sandbox.apiKey, sandbox.apiKey]
    const statuses: number[] = []
    for (const key of keys) statuses.push((await search(sandbox, {}, { key })).status)
    expect(statuses).toEqual([401, 401, 400, 400, 429])
  })

  it('counts each search surface, and no other operation', async () => {
    const sandbox = createSandbox({ limits: { perMinute: 1 } })
    const posts = 'POST /data/professionalnet/posts/search'
    const [news, mentions] = ['POST /data/technews/search', 'GET /mentions']
    const statuses: number[] = []
    for (const operation of [news, posts, news, mentions, mentions, mentions]) {
      const body = operation === mentions ? undefined : { query: 'ai' }
      statuses.push((await call(sandbox, operation, body)).status)
    }
    expect(statuses).toEqual([200, 200, 429, 200, 200, 200])
  })
})

describe('createSandbox() limits.inFlight', () => {
  it('answers 429 at once when two requests are open, and accepts again when one is answered', async () => {
    const sandbox = createSandbox({ latency: 100 })
    const open = [search(sandbox, query), search(sandbox, query)]
    const third = await search(sandbox, query)
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '1'])
    expect(third.body['error'].retryAfter).toBe(1)

    await vi.advanceTimersByTimeAsync(100)
    await Promise.all(open)
    const fourth = search(sandbox, query)
    await vi.advanceTimersByTimeAsync(100)
    expect((await fourth).status).toBe(200)
    expect(sandbox.requests.map(({ inFlight }) => inFlight)).toEqual([1, 2, 3, 1])
  })

  it('does not hold a slot for an unread response', async () => {
    const sandbox = createSandbox()
    for (let i = 0; i < 5; i++) expect((await sandbox.fetch(searchRequest(sandbox, query))).status).toBe(200)
  })

  it('frees the slot at once when a waiting request is aborted, with its reason, and charges it', async () => {
    const sandbox = createSandbox({ latency: 60_000 })
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    const answers = [1, 2].map(() => search(sandbox, query, { signal: controller.signal }))
    const outcomes = Promise.allSettled(answers)
    await vi.advanceTimersByTimeAsync(10)
    controller.abort(reason)
    expect(await outcomes).toEqual(answers.map(() => ({ status: 'rejected', reason })))
    expect(vi.getTimerCount()).toBe(0)
    expect(sandbox.requests).toMatchObject(answers.map(() => ({ status: null, charged: 2 })))

    void search(sandbox, query)
    expect(sandbox.requests.at(-1)?.inFlight).toBe(1)
    await vi.runAllTimersAsync()
  })

  it('never sees a request when its signal is aborted already', async () => {
    const sandbox = createSandbox()
    const reason = new Error('too late')
    await expect(search(sandbox, query, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(sandbox.requests).toEqual([])
  })
})

it.each<SandboxLimits>([
  { perMinute: false, inFlight: 50 },
  { perMinute: 50, inFlight: false },
])('createSandbox() accepts any number of requests when its limits are %j', async (limits) => {
  const sandbox = createSandbox({ limits })
  const answers = await Promise.all(Array.from({ length: 50 }, () => search(sandbox, query)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(Math.max(...sandbox.requests.map(({ inFlight }) => inFlight))).toBe(50)
})

it('createSandbox() draws its latency within its bounds, the same for the same seed', async () => {
  const measure = async (): Promise<number[]> => {
    const sandbox = createSandbox({ latency: [100, 900], seed: 7 })
    const waits: number[] = []
    for (let i = 0; i < 10; i++) waits.push((await settle(search(sandbox, query))).ms)
    return waits.map(Math.round)
  }
  const waits = await measure()
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(100)
  expect(Math.max(...waits)).toBeLessThanOrEqual(900)
  expect(new Set(waits).size).toBeGreaterThan(5)
  expect(await measure()).toEqual(waits)
})
