import { afterEach, describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import type { CallLimiter as Limiter, QueueRequest } from '../../src/limits/interface.ts'
import { createSandbox } from '../support/sandbox.ts'
import { closureContract } from './closure-contract.ts'
import { type LimiterWorld, collect, organizations, reach, use, windowMs } from './contract-world.ts'
import { queueRequest, refuse } from '../support/limiter.ts'

/** Lets each limiter of a store take part before a test, which takes longer than the contract allows for a message. */
export async function takePart(limiters: readonly Limiter[]): Promise<void> {
  for (const limiter of limiters) (await limiter.acquire(queueRequest({ surface: null }))).end()
}

/** The promises of every limiter. */
export function limiterContract(name: string, world: LimiterWorld): void {
  const { pass, settle } = world.time
  closureContract(name, world)
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
      let open = 0
      let peak = 0
      const calls = Array.from({ length: 24 }, async (_, i) => {
        await use(ask(i, { surface: ['a', 'b', null][i % 3]! }), 20, () => {
          peak = Math.max(peak, ++open)
          setTimeout(() => open--, 20)
        })
      })
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
      const calls = [
        ...[['1'], ['2'], ['batch', true, -1], ['again', true]],
        ...[['urgent', false, 5], ['3'], ['urgent, too', false, 5]],
      ].map(([name, isRetry = false, priority = 0]) =>
        use(ask(0, { isRetry, priority } as QueueRequest), 5, () => order.push(String(name))),
      )
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
  })
}
