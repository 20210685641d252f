import { afterEach, describe, expect, it } from 'vitest'
import { RateLimitError, SocialSearch } from '../../src/index.ts'
import { type CallLimiter as Limiter, type QueueRequest } from '../../src/limits/interface.ts'
import { createSandbox } from '../support/sandbox.ts'
import { type LimiterWorld, collect, organizations, reach, use, windowMs } from './contract-world.ts'
import { queueRequest, refuse } from '../support/limiter.ts'

/** Lets each limiter of a store take part before a test, which takes longer than the contract allows for a message. */
export async function takePart(limiters: readonly Limiter[]): Promise<void> {
  for (const limiter of limiters) (await limiter.acquire(queueRequest({ surface: null }))).end()
}

/** The promises of every limiter. */
export function limiterContract(name: string, world: LimiterWorld): void {
  const { pass, settle } = world.time
  const organization = organizations(world)

  describe(`${name} as a limiter`, () => {
    afterEach(() => world.end())

    it("gives a client all of the organization's limits, above or below the documented ones", async () => {
      const limits = { inFlight: 3, perMinute: 5, windowMs }
      const { limiters } = await organization(1, limits)
      const { baseUrl, apiKey, fetch, requests } = createSandbox({ limits, latency: 400 })
      const client = new SocialSearch({ baseUrl, apiKey, fetch, limiter: limiters[0] })
      const searches = Array.from({ length: 7 }, () => client.microblog.search({ query: 'coffee' }))
      await settle(Promise.all(searches))
      expect(requests.map(({ status }) => status)).toEqual(Array(7).fill(200))
      expect(Math.max(...requests.map(({ inFlight }) => inFlight))).toBe(3)
    })

    it('grants two permits at a time, for all clients together', async () => {
      const { ask } = await organization(3, { perMinute: 100 })
      let [open, peak] = [0, 0]
      const note = () => {
        peak = Math.max(peak, ++open)
        setTimeout(() => open--, 20)
      }
      const surfaces = ['a', 'b', null]
      const calls = Array.from({ length: 24 }, (_, i) => use(ask(i, { surface: surfaces[i % 3]! }), 20, note))
      await settle(Promise.all(calls))
      expect(peak).toBe(2)
    })

    it('never exceeds the limit in any window of a surface, for all clients together', async () => {
      const { ask } = await organization(3)
      const sends: number[] = []
      const calls = Array.from({ length: 14 }, (_, i) => use(ask(i), 10, () => sends.push(performance.now())))
      const { error } = await settle(Promise.all(calls))
      expect(error).toBeUndefined()
      sends.forEach((at, i) => expect((sends[i + 4] ?? Infinity) - at).toBeGreaterThanOrEqual(windowMs))
    })

    it('does not limit the rate of calls without a surface', async () => {
      const { ask } = await organization(2)
      for (let i = 0; i < 12; i++) {
        const { value } = await settle(ask(i, { surface: null }))
        value!.end()
        expect(value!.paced).toBe(0)
      }
    })

    it('serves in the order of priority, of arrival within it, and resumed calls before new ones', async () => {
      const { ask } = await organization(1, { inFlight: 1, perMinute: 100 })
      const { value: first } = await settle(ask(0))
      const order: string[] = []
      const add = (name: string, request: Partial<QueueRequest> = {}) =>
        use(ask(0, request), 5, () => order.push(name))
      const calls = [add('1'), add('2'), add('batch', { isRetry: true, priority: -1 })]
      calls.push(add('again', { isRetry: true }), add('urgent', { priority: 5 }), add('3'))
      calls.push(add('urgent, too', { priority: 5 }))
      first!.end()
      await settle(Promise.all(calls))
      expect(order).toEqual(['urgent', 'urgent, too', 'again', '1', '2', '3', 'batch'])
    })

    it('releases one slot for a permit that is released twice', async () => {
      const { ask } = await organization(2, { inFlight: 1 })
      const { value: first } = await settle(ask(0))
      first!.end()
      first!.end()
      const permits = collect([0, 1].map((from) => ask(from)))
      await reach(world.time, permits, 1)
      first!.end()
      await pass(200)
      expect(permits).toHaveLength(1)
      permits[0]!.end()
      await reach(world.time, permits, 2)
    })

    it('counts a request from its sending, not from its grant', async () => {
      const { ask } = await organization(2, { perMinute: 1 })
      const { value: permit } = await settle(ask(0))
      // Longer than any network may take.
      await pass(1200)
      const start = performance.now()
      permit!.sent()
      permit!.end()
      await settle(ask(1))
      expect(performance.now() - start).toBeGreaterThanOrEqual(windowMs)
    })

    it('counts a request as arrived when its response began, if that is before the margin ends', async () => {
      const { ask } = await organization(2, { perMinute: 2 })
      const start = performance.now()
      for (const from of [0, 1]) await settle(use(ask(from)))
      await settle(ask(1))
      expect(performance.now() - start).toBeLessThan(windowMs + 900)
    })

    it('counts a grant that was not sent', async () => {
      const { ask } = await organization(2, { perMinute: 2 })
      const start = performance.now()
      for (const from of [0, 1]) (await settle(ask(from))).value!.end()
      await settle(ask(0))
      expect(performance.now() - start).toBeGreaterThanOrEqual(windowMs)
    })

    it('does not count what its permit says was never sent', async () => {
      const { ask } = await organization(2, { perMinute: 2 })
      for (const from of [0, 1, 0]) {
        const { value: permit } = await settle(ask(from))
        expect(permit!.paced).toBe(0)
        permit!.end({ unsent: true })
      }
    })

    it('reports how long a call queued and how long it was paced', async () => {
      const { ask, limiters } = await organization(1, { inFlight: 1 })
      const { value: first } = await settle(ask())
      setTimeout(() => first!.end(), 300)
      const { value: second } = await settle(ask())
      // Timers may fire a little early.
      expect(second!.queued).toBeGreaterThanOrEqual(290)
      expect(second!.paced).toBeLessThan(second!.queued)
      second!.end()
      await settle(refuse(limiters[0]!, 'b', 400))
      const { value: third } = await settle(ask(0, { surface: 'b' }))
      expect(third!.paced).toBeGreaterThanOrEqual(390)
    })

    it('settles an aborted call in the queue at once, and frees its place', async () => {
      const { ask } = await organization(2, { inFlight: 1 })
      const { value: first } = await settle(ask(0))
      const abort = new AbortController()
      const outcomes: unknown[] = []
      const note = (outcome: unknown) => void outcomes.push(outcome)
      for (const from of [0, 1]) void ask(from, { signal: abort.signal }).then(note, note)
      await pass(50)
      const reason = new Error('enough')
      abort.abort(reason)
      await Promise.resolve().then(() => {})
      expect(outcomes).toEqual([reason, reason])
      first!.end()
      for (const from of [0, 1, 0]) (await settle(ask(from))).value!.end()
      expect(outcomes).toHaveLength(2)
    })

    it('rejects at once when the signal is already aborted', async () => {
      const { ask } = await organization(1)
      const reason = new Error('too late')
      expect((await settle(ask(0, { signal: AbortSignal.abort(reason) }))).error).toBe(reason)
    })

    it('serves other surfaces when one is closed, and gives its callers no slot', async () => {
      const { ask, close } = await organization(2)
      await close(0, 'a', 1500)
      const order: string[] = []
      const calls = ['a', 'a', 'a', 'b', 'b'].map((surface, from) =>
        use(ask(from, { surface }), surface === 'a' ? 10 : 50, () => order.push(surface)),
      )
      await settle(Promise.all(calls))
      expect(order).toEqual(['b', 'b', 'a', 'a', 'a'])
    })

    it('closes a surface for all clients, and never opens it early', async () => {
      const { ask, close } = await organization(3)
      const start = performance.now()
      await close(1, 'a', 500)
      const sends: number[] = []
      const note = () => sends.push(performance.now() - start)
      await settle(Promise.all([0, 1, 2].map((from) => use(ask(from), 5, note))))
      expect(sends).toHaveLength(3)
      expect(Math.min(...sends)).toBeGreaterThanOrEqual(500)
    })

    it('keeps the longer closure when a second 429 announces less', async () => {
      const { ask } = await organization(1)
      const start = performance.now()
      const [long, short] = [(await settle(ask())).value!, (await settle(ask())).value!]
      long.end({ refusedForMs: 400 })
      short.end({ refusedForMs: 10 })
      await settle(ask())
      expect(performance.now() - start).toBeGreaterThanOrEqual(400)
    })

    it('closes a surface for a day at most, with any announced wait', async () => {
      const { ask, close } = await organization(2)
      const day = 86_400
      await close(0, 'a', Number.MAX_SAFE_INTEGER)
      for (const from of [0, 1]) {
        const { error } = await settle(ask(from))
        expect(error).toBeInstanceOf(RateLimitError)
        expect((error as RateLimitError).retryAfter).toBeLessThanOrEqual(day)
      }
    })

    it('grants as many permits after a 429 as slots are free', async () => {
      const { ask, close } = await organization(3)
      await close(0, 'a', 100)
      const permits = collect([0, 1, 2, 0].map((from) => ask(from)))
      await reach(world.time, permits, 2)
      await pass(200)
      expect(permits).toHaveLength(2)
      permits[0]!.end()
      await reach(world.time, permits, 3)
    })

    it('closes again for all when a request after a 429 is refused as well', async () => {
      const { ask, close } = await organization(2, { inFlight: 1 })
      await close(0, 'a', 100)
      const { value: refused } = await settle(ask(0))
      const next = ask(1)
      const start = performance.now()
      refused!.end({ refusedForMs: 500 })
      await settle(next)
      expect(performance.now() - start).toBeGreaterThanOrEqual(500)
    })

    it.each([
      ['a slot', 'b', 4],
      ['the pace', 'a', 1],
    ])(
      'refuses a call that waits for %s when the closure is longer than it may wait',
      async (_, surface, perMinute) => {
        const { ask } = await organization(2, { inFlight: surface === 'a' ? 1 : 2, perMinute })
        const { value: refused } = await settle(ask(0))
        const { value: other } = surface === 'a' ? {} : await settle(ask(0, { surface }))
        const outcomes: unknown[] = []
        for (const from of [0, 1]) {
          ask(from, { maxClosedWaitMs: 1000 }).catch((error: unknown) => outcomes.push(error))
          const patient = ask(from, { maxClosedWaitMs: 60_000 })
          patient.then(() => outcomes.push('granted')).catch(() => outcomes.push('refused'))
        }
        await pass(50)
        refused!.end({ refusedForMs: 5000 })
        await reach(world.time, outcomes, 2)
        expect(outcomes).toEqual([expect.any(RateLimitError), expect.any(RateLimitError)])
        for (const from of [0, 1]) {
          const { error } = await settle(ask(from, { maxClosedWaitMs: 1000 }))
          expect(error).toBeInstanceOf(RateLimitError)
          expect((error as RateLimitError).retryAfter).toBeGreaterThan(1)
        }
        other?.end()
      },
    )
  })
}
