import {
  type Lease,
  type Limiter,
  type Limits,
  type Share,
  type Ticket,
  SurfaceClosed,
} from '../../src/limits/interface.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import type { Time } from '../support/real-time.ts'

/** Where the limiters of a suite live. */
export interface LimiterWorld {
  readonly time: Time
  /** Limiters that share one organization, new for each test: those of several processes, if there can be such. */
  make(count: number, limits: Limits): Limiter[] | Promise<Limiter[]>
  /** Ends what the latest test has made. */
  end(): void | Promise<void>
}

/** Lets each limiter of a store take part before a test, which takes longer than the contract allows for a notice. */
export async function takePart(limiters: readonly Limiter[], limits: Limits): Promise<void> {
  const share = { inFlight: limits.inFlight, perMinute: limits.perMinute }
  const ticket = { surface: null, share, priority: 0, resumed: false, patience: 60_000, signal: never }
  for (const limiter of limiters) (await limiter.acquire(ticket)).release()
}

const windowMs = 600
const never = new AbortController().signal
const everything: Share = { inFlight: 2, perMinute: 4 }

/** The promises of every limiter. Windows are short, since some can only be tried in real time. */
export function limiterContract(name: string, { time, make, end }: LimiterWorld): void {
  const { pass, settle } = time

  /** Some limiters of one organization, and shorthands to ask them. */
  async function organization(count: number, limits: Partial<Limits> = {}) {
    const limiters = await make(count, { inFlight: 2, perMinute: 4, windowMs, ...limits })
    const ask = (from = 0, ticket: Partial<Ticket> = {}): Promise<Lease> =>
      limiters[from % count]!.acquire({
        ...{ surface: 'a', share: everything, priority: 0, resumed: false },
        ...{ patience: 60_000, signal: never },
        ...ticket,
      })
    const hold = async (from: number, surface: string, ms: number): Promise<void> => {
      limiters[from]!.hold(surface, ms)
      // Others take a moment to hear of it.
      await pass(50)
    }
    return { limiters, ask, hold }
  }

  /** What comes of calls that may still be waiting at the end of the test. */
  function collect<T = Lease>(calls: readonly Promise<T>[]): T[] {
    const done: T[] = []
    for (const call of calls)
      call.then(
        (value) => done.push(value),
        () => {},
      )
    return done
  }

  /** Sends once granted, is answered at once, and keeps the slot for a while. */
  async function use(granted: Promise<Lease>, ms = 10, onSend = () => {}): Promise<Lease> {
    const lease = await granted
    onSend()
    lease.sent()
    lease.answered(null)
    await new Promise((resolve) => setTimeout(resolve, ms))
    lease.release()
    return lease
  }

  describe(`${name} as a limiter`, () => {
    afterEach(end)

    it("gives a client all of the organization's limits, above or below the documented ones", async () => {
      const limits = { inFlight: 3, perMinute: 5, windowMs }
      const { limiters } = await organization(1, limits)
      const { baseUrl, apiKey, fetch, requests } = createSandbox({ limits, latency: 100 })
      const client = new SocialSearch({ baseUrl, apiKey, fetch, limiter: limiters[0] })
      const searches = Array.from({ length: 7 }, () => client.microblog.search({ query: 'coffee' }))
      await settle(Promise.all(searches))
      expect(requests.map(({ status }) => status)).toEqual(Array(7).fill(200))
      expect(Math.max(...requests.map(({ inFlight }) => inFlight))).toBe(3)
    })

    it('grants two leases at a time, for all clients together', async () => {
      const { ask } = await organization(3, { perMinute: 100 })
      let open = 0
      let peak = 0
      const calls = Array.from({ length: 24 }, async (_, i) => {
        const share = { inFlight: 2, perMinute: 100 }
        await use(ask(i, { share, surface: ['a', 'b', null][i % 3]! }), 20, () => {
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
        value!.release()
        expect(value!.paced).toBe(0)
      }
    })

    it('serves in the order of priority, of arrival within it, and resumed calls before new ones', async () => {
      const { ask } = await organization(1, { inFlight: 1, perMinute: 100 })
      const share = { inFlight: 1, perMinute: 100 }
      const { value: first } = await settle(ask(0, { share }))
      const order: string[] = []
      const calls = [
        ...[['1'], ['2'], ['batch', true, -1], ['again', true]],
        ...[['urgent', false, 5], ['3'], ['urgent, too', false, 5]],
      ].map(([name, resumed = false, priority = 0]) =>
        use(ask(0, { resumed, priority, share } as Ticket), 5, () => order.push(String(name))),
      )
      first!.release()
      await settle(Promise.all(calls))
      expect(order).toEqual(['urgent', 'urgent, too', 'again', '1', '2', '3', 'batch'])
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
      first!.release()
      for (const from of [0, 1, 0]) (await settle(ask(from))).value!.release()
      expect(outcomes).toHaveLength(2)
    })

    it('rejects at once when the signal is already aborted', async () => {
      const { ask } = await organization(1)
      const reason = new Error('too late')
      expect((await settle(ask(0, { signal: AbortSignal.abort(reason) }))).error).toBe(reason)
    })

    it('serves other surfaces when one is closed, and gives its callers no slot', async () => {
      const { ask, hold } = await organization(2)
      await hold(0, 'a', 1500)
      const order: string[] = []
      const note = (name: string) => () => void order.push(name)
      const closed = [0, 1, 0].map((from) => use(ask(from), 10, note('a')))
      const others = [0, 1].map((from) => use(ask(from, { surface: 'b' }), 50, note('b')))
      await settle(Promise.all([...closed, ...others]))
      expect(order).toEqual(['b', 'b', 'a', 'a', 'a'])
    })

    it('closes a surface for all clients, and never opens it early', async () => {
      const { ask, hold } = await organization(3)
      const start = performance.now()
      await hold(1, 'a', 500)
      const sends: number[] = []
      await settle(
        Promise.all([0, 1, 2].map((from) => use(ask(from), 5, () => sends.push(performance.now() - start)))),
      )
      expect(sends).toHaveLength(3)
      expect(Math.min(...sends)).toBeGreaterThanOrEqual(500)
    })

    it('keeps the longer closure when a second hold is shorter', async () => {
      const { ask, limiters } = await organization(1)
      const start = performance.now()
      limiters[0]!.hold('a', 400)
      limiters[0]!.hold('a', 10)
      await settle(ask())
      expect(performance.now() - start).toBeGreaterThanOrEqual(400)
    })

    it('closes a surface for a day at most, with any announced wait', async () => {
      const { ask, hold } = await organization(2)
      const dayMs = 86_400_000
      await hold(0, 'a', Number.MAX_SAFE_INTEGER)
      for (const from of [0, 1]) {
        const { error } = await settle(ask(from))
        expect(error).toBeInstanceOf(SurfaceClosed)
        const { remaining } = error as SurfaceClosed
        expect(Math.abs(remaining - dayMs / 2)).toBeLessThanOrEqual(dayMs / 2)
      }
    })

    it('sends one probe after a hold, and the others after its response', async () => {
      const { ask, hold } = await organization(3)
      await hold(0, 'a', 100)
      const leases = collect([0, 1, 2, 0].map((from) => ask(from)))
      await pass(600)
      expect(leases).toHaveLength(1)
      leases[0]!.release()
      await pass(400)
      expect(leases).toHaveLength(3)
    })

    it('closes again for all when the probe is refused as well', async () => {
      const { ask, hold, limiters } = await organization(2)
      await hold(0, 'a', 100)
      const sends = collect(
        [0, 1].map(async (from) => ({ from, lease: await ask(from), at: performance.now() })),
      )
      await pass(400)
      const start = performance.now()
      const [probe] = sends
      limiters[probe!.from]!.hold('a', 500)
      probe!.lease.release()
      await pass(1200)
      expect(sends).toHaveLength(2)
      expect(sends[1]!.at - start).toBeGreaterThanOrEqual(500)
    })

    it.each([
      ['a slot', 'b', 4],
      ['the pace', 'a', 1],
    ])(
      'refuses a call that waits for %s when the closure is longer than it may wait',
      async (_, surface, perMinute) => {
        const { ask: askAs, limiters } = await organization(2, { inFlight: 1, perMinute })
        const ask = (from: number, ticket: Partial<Ticket>) =>
          askAs(from, { share: { inFlight: 1, perMinute }, ...ticket })
        const { value: first } = await settle(ask(0, { surface }))
        if (surface === 'a') first!.release()
        const outcomes: unknown[] = []
        for (const from of [0, 1]) {
          ask(from, { patience: 1000 }).catch((error: unknown) => outcomes.push(error))
          ask(from, { patience: 60_000 }).then(
            () => outcomes.push('granted'),
            () => outcomes.push('refused'),
          )
        }
        await pass(50)
        limiters[0]!.hold('a', 5000)
        await pass(200)
        expect(outcomes).toEqual([expect.any(SurfaceClosed), expect.any(SurfaceClosed)])
        for (const from of [0, 1]) {
          const { error } = await settle(ask(from, { patience: 1000 }))
          expect(error).toBeInstanceOf(SurfaceClosed)
          expect((error as SurfaceClosed).remaining).toBeGreaterThan(1000)
        }
        first!.release()
      },
    )

    it('releases one slot for a lease that is released twice', async () => {
      const { ask } = await organization(2, { inFlight: 1 })
      const { value: first } = await settle(ask(0))
      first!.release()
      first!.release()
      const leases = collect([0, 1].map((from) => ask(from)))
      await pass(300)
      expect(leases).toHaveLength(1)
      first!.release()
      await pass(100)
      expect(leases).toHaveLength(1)
      leases[0]!.release()
      await pass(300)
      expect(leases).toHaveLength(2)
    })

    it('counts a request from its sending, not from its grant', async () => {
      const { ask } = await organization(2, { perMinute: 2 })
      const share = { inFlight: 2, perMinute: 2 }
      const { value: leases } = await settle(Promise.all([ask(0, { share }), ask(1, { share })]))
      // Longer than any network may take.
      await pass(1500)
      const start = performance.now()
      leases!.forEach((lease, i) => {
        lease.sent()
        if (i === 0) lease.answered(null)
        lease.release()
      })
      await settle(ask(0, { share }))
      expect(performance.now() - start).toBeGreaterThanOrEqual(windowMs)
    })

    it('counts a request as arrived when its response began, if that is before the margin ends', async () => {
      const { ask } = await organization(2, { perMinute: 2 })
      const share = { inFlight: 2, perMinute: 2 }
      const start = performance.now()
      for (const from of [0, 1]) await settle(use(ask(from, { share })))
      await settle(ask(1, { share }))
      expect(performance.now() - start).toBeLessThan(windowMs + 900)
    })

    it('counts a grant that was not sent', async () => {
      const { ask } = await organization(2, { perMinute: 2 })
      const share = { inFlight: 2, perMinute: 2 }
      const start = performance.now()
      for (const from of [0, 1]) (await settle(ask(from, { share }))).value!.release()
      await settle(ask(0, { share }))
      expect(performance.now() - start).toBeGreaterThanOrEqual(windowMs)
    })

    it('keeps a client to its share, and leaves the rest to other clients', async () => {
      const { ask } = await organization(1, { perMinute: 8 })
      const modest = { inFlight: 1, perMinute: 2 }
      const other = { inFlight: 2, perMinute: 8 }
      const order: string[] = []
      let open = 0
      let peak = 0
      const calls = [
        ...Array.from({ length: 3 }, () =>
          use(ask(0, { share: modest }), 20, () => {
            order.push('modest')
            peak = Math.max(peak, ++open)
            setTimeout(() => open--, 20)
          }),
        ),
        ...Array.from({ length: 4 }, () => use(ask(0, { share: other }), 20, () => order.push('other'))),
      ]
      await settle(Promise.all(calls))
      expect(peak).toBe(1)
      expect(order.slice(0, 6).filter((name) => name === 'modest')).toHaveLength(2)
      expect(order[6]).toBe('modest')
    })

    it('counts the requests of an unpaced client for paced ones', async () => {
      const { ask } = await organization(2)
      const unpaced = { inFlight: 2, perMinute: Infinity }
      const start = performance.now()
      for (let i = 0; i < 6; i++) {
        const { value } = await settle(use(ask(0, { share: unpaced }), 1))
        expect(value!.paced).toBe(0)
      }
      await settle(ask(1))
      expect(performance.now() - start).toBeGreaterThanOrEqual(windowMs)
    })

    it('reports how long a call queued and how long it was paced', async () => {
      const { ask, limiters } = await organization(1, { inFlight: 1 })
      const { value: first } = await settle(ask())
      setTimeout(() => first!.release(), 300)
      const { value: second } = await settle(ask())
      // Timers may fire a little early.
      expect(second!.queued).toBeGreaterThanOrEqual(290)
      expect(second!.paced).toBeLessThan(second!.queued)
      second!.release()
      limiters[0]!.hold('b', 400)
      const { value: third } = await settle(ask(0, { surface: 'b' }))
      expect(third!.paced).toBeGreaterThanOrEqual(390)
    })
  })
}
