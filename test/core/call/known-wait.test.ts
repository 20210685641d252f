import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import { type ClientOptions, CreditBudget, type TimeoutError } from '../../../src/index.ts'
import { pass, settle } from '../../support/clock.ts'
import { query } from '../../support/search.ts'
import { apiKey, makeClient, ok, rateLimited, slow, virtualService } from '../../support/service.ts'

const service = virtualService()
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

const inQueue = { name: 'TimeoutError', code: 'timeout', phase: 'queue', charged: 'no', attempts: [] }

/** A client whose surface has used its requests of this minute. */
async function paced() {
  service.script(() => ok())
  const client = makeClient()
  await settle(Promise.all(Array.from({ length: 20 }, () => client.microblog.search(query).then())))
  service.arrivals.length = 0
  return client
}

describe.each([{ deadline: 3000 }, { maxQueueWait: 3000 }] satisfies Partial<ClientOptions>[])(
  '%o',
  (options) => {
    it('rejects a call at once, with retryAfter and nothing reserved, when the pace opens later', async () => {
      const client = await paced()
      const budget = new CreditBudget(100)
      const { error, ms } = await settle(client.microblog.search(query, { ...options, budget }))
      const { retryAfter = 0 } = error as TimeoutError
      const message = `microblog.search: not sent: rate limit reached. Retry in ${retryAfter} s.`
      expect(error).toMatchObject({ ...inQueue, message })
      expect(retryAfter).toBeGreaterThanOrEqual(60)
      expect(retryAfter).toBeLessThanOrEqual(62)
      const reserved = budget.summary().reserved + client.credits.reserved
      expect([ms, service.arrivals.length, reserved]).toEqual([0, 0, 0])
      await pass(retryAfter * 1000)
      expect((await settle(client.microblog.search(query, options))).error).toBeUndefined()
    })

    it('waits for the pace when it opens in time', async () => {
      const client = await paced()
      await pass(58_500)
      const { error, ms } = await settle(client.microblog.search(query, options))
      expect([error, ms > 1000, service.arrivals.length]).toEqual([undefined, true, 1])
    })

    it.each([
      [2000, 2],
      [2500, 1],
    ])(
      'rejects a queued call at once when a 429 after %i ms closes its surface for %i s',
      async (after, retryAfter) => {
        const refused = slow(after, () => rateLimited(retryAfter))
        service.script(refused, () => ok())
        const client = makeClient({ limits: { inFlight: 1 } })
        const first = client.microblog.search(query).then()
        await pass(1)
        const { error, ms } = await settle(client.microblog.search(query, options))
        expect(error).toMatchObject({ name: 'RateLimitError', retryAfter, attempts: [] })
        expect(ms).toBeLessThan(after + 100)
        expect((await settle(first)).error).toBeUndefined()
      },
    )

    it('rejects only the calls behind others that cannot be sent in time', async () => {
      service.script(() => ok())
      const client = makeClient()
      const calls = Array.from({ length: 30 }, () => settle(client.microblog.search(query, options)))
      const late = (await Promise.all(calls)).filter(({ error }) => error !== undefined)
      expect(late).toHaveLength(10)
      for (const { error, ms } of late) {
        expect(error).toMatchObject(inQueue)
        expect([(error as TimeoutError).retryAfter! > 59, ms]).toEqual([true, 0])
      }
    })
  },
)

describe.each([{ deadline: 40 }, { maxQueueWait: 5 }] satisfies Partial<ClientOptions>[])('%o', (options) => {
  let blockedMs: number
  /** Blocks the thread for 60 ms, so that no timer fires. */
  const block = (): undefined => void (blockedMs += 60)
  beforeEach(() => {
    blockedMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + blockedMs)
  })

  const budget = { reserve: () => (block(), { settle: () => {} }) }
  const store = { get: block, set: () => {}, delete: () => {} }

  it.each<[string, () => Partial<ClientOptions>]>([
    ['reserve() of a budget', () => ({ budget })],
    ['the function apiKey', () => ({ apiKey: () => (block(), apiKey) })],
    ['get() of a cache store', () => ({ cache: new ResultCache({ maxAge: 1000, store }) })],
    ['reserve() with a cache', () => ({ budget, cache: new ResultCache({ maxAge: 1000 }) })],
  ])('rejects a call with a TimeoutError when %s blocks for longer', async (_, blocking) => {
    service.script(() => ok())
    const client = makeClient({ ...options, ...blocking() })
    const settled = client.microblog.search(query).catch((error: unknown) => error)
    // A cache hashes its key first.
    while (blockedMs === 0) await new Promise((resolve) => setImmediate(resolve))
    const { value: error } = await settle(settled)
    const message = /^microblog.search: not sent: the `(deadline` of 40|maxQueueWait` of 5) ms/
    expect(error).toMatchObject({ ...inQueue, message: expect.stringMatching(message) as string })
    expect(error).not.toHaveProperty('retryAfter')
    expect([service.arrivals.length, client.credits.reserved]).toEqual([0, 0])
  })
})
