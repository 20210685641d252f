import { afterEach, describe, expect, it } from 'vitest'
import { type QueueRequest, SurfaceClosed } from '../../src/limits/interface.ts'
import { type LimiterWorld, collect, organizations, reach, use } from './contract-world.ts'

/** What every limiter promises about closed surfaces and calls that leave the queue. */
export function closureContract(name: string, world: LimiterWorld): void {
  const { pass, settle } = world.time
  const organization = organizations(world)

  describe(`${name} as a limiter`, () => {
    afterEach(() => world.end())

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
      const note = (name: string) => () => void order.push(name)
      const closed = [0, 1, 0].map((from) => use(ask(from), 10, note('a')))
      const others = [0, 1].map((from) => use(ask(from, { surface: 'b' }), 50, note('b')))
      await settle(Promise.all([...closed, ...others]))
      expect(order).toEqual(['b', 'b', 'a', 'a', 'a'])
    })

    it('closes a surface for all clients, and never opens it early', async () => {
      const { ask, close } = await organization(3)
      const start = performance.now()
      await close(1, 'a', 500)
      const sends: number[] = []
      await settle(
        Promise.all([0, 1, 2].map((from) => use(ask(from), 5, () => sends.push(performance.now() - start)))),
      )
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
      const dayMs = 86_400_000
      await close(0, 'a', Number.MAX_SAFE_INTEGER)
      for (const from of [0, 1]) {
        const { error } = await settle(ask(from))
        expect(error).toBeInstanceOf(SurfaceClosed)
        const { remaining } = error as SurfaceClosed
        expect(Math.abs(remaining - dayMs / 2)).toBeLessThanOrEqual(dayMs / 2)
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
        const { ask: askAs } = await organization(2, { inFlight: surface === 'a' ? 1 : 2, perMinute })
        const ask = (from: number, request: Partial<QueueRequest>) => askAs(from, request)
        const { value: refused } = await settle(ask(0, {}))
        const { value: other } = surface === 'a' ? {} : await settle(ask(0, { surface }))
        const outcomes: unknown[] = []
        for (const from of [0, 1]) {
          ask(from, { maxClosedWaitMs: 1000 }).catch((error: unknown) => outcomes.push(error))
          ask(from, { maxClosedWaitMs: 60_000 }).then(
            () => outcomes.push('granted'),
            () => outcomes.push('refused'),
          )
        }
        await pass(50)
        refused!.end({ refusedForMs: 5000 })
        await reach(world.time, outcomes, 2)
        expect(outcomes).toEqual([expect.any(SurfaceClosed), expect.any(SurfaceClosed)])
        for (const from of [0, 1]) {
          const { error } = await settle(ask(from, { maxClosedWaitMs: 1000 }))
          expect(error).toBeInstanceOf(SurfaceClosed)
          expect((error as SurfaceClosed).remaining).toBeGreaterThan(1000)
        }
        other?.end()
      },
    )
  })
}
