import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { useVirtualTime } from '../support/clock.ts'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeEach(() => process.on('unhandledRejection', note))
afterEach(() => {
  process.off('unhandledRejection', note)
  vi.useRealTimers()
})

/** How the service treats the next request. */
type Plan =
  | { kind: 'ok' | 'reset' | 'unavailable' | 'stall'; ms: number }
  | { kind: 'limited'; ms: number; retryAfter: number }

let worlds = 0

/** Two clients of one organization, and a service that complains whenever one of its limits is broken. */
class World {
  readonly complaints: string[] = []
  readonly plans: Plan[] = []
  readonly calls: { settled: boolean; abort: AbortController }[] = []
  readonly clients: SocialSearch[]
  readonly listeners = { added: 0 }
  #open = 0
  readonly #arrivals = new Map<string, number[]>()
  readonly #closedUntil = new Map<string, number>()

  constructor() {
    const organization = `world ${++worlds}`
    const options = {
      baseUrl: 'https://api.example/v1',
      apiKey: 'org_live_key',
      organization,
      fetch: this.fetch,
    }
    this.clients = [new SocialSearch(options), new SocialSearch({ ...options, limits: { inFlight: 1 } })]
  }

  call(client: number, surface: number, priority: number, deadline: number | undefined): void {
    const abort = new AbortController()
    const call = { settled: false, abort }
    const { microblog, technews } = this.clients[client]!
    const options = { signal: abort.signal, priority, timeout: 20_000, deadline }
    const search = surface === 0 ? microblog.search({ query: 'a' }, options) : technews.search({}, options)
    const settled = (): void => void (call.settled = true)
    Promise.resolve(search).then(settled, settled)
    this.calls.push(call)
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const surface = request.url
    const now = performance.now()
    const arrivals = this.#arrivals.get(surface) ?? []
    this.#arrivals.set(surface, arrivals)
    if (++this.#open > 2) this.complaints.push(`${this.#open} are open at ${now}`)
    if (now < (this.#closedUntil.get(surface) ?? 0))
      this.complaints.push(`${now} is before the announced reset`)
    arrivals.push(now)
    const first = arrivals.at(-21)
    if (first !== undefined && now - first <= 60_000)
      this.complaints.push(`21 arrived within ${now - first} ms`)
    const plan = this.plans.shift() ?? { kind: 'ok', ms: 50 }
    try {
      await new Promise<void>((resolve, reject) => {
        // The service notices an abort after a while.
        const giveUp = (): void => void setTimeout(() => reject(request.signal.reason), 30)
        request.signal.addEventListener('abort', giveUp)
        if (plan.kind !== 'stall') setTimeout(resolve, plan.ms)
      })
    } finally {
      this.#open--
    }
    if (plan.kind === 'reset') throw new TypeError('fetch failed')
    const headers = { date: new Date().toUTCString() }
    if (plan.kind === 'limited') {
      const until = performance.now() + plan.retryAfter * 1000
      this.#closedUntil.set(surface, Math.max(until, this.#closedUntil.get(surface) ?? 0))
      const error = { code: 'rate_limited', retryAfter: plan.retryAfter }
      return Response.json({ requestId: 'r', error }, { status: 429, headers })
    }
    if (plan.kind === 'unavailable')
      return Response.json({ requestId: 'r', error: { code: 'unavailable' } }, { status: 503, headers })
    return Response.json(
      { requestId: 'r', posts: [], meta: { returnedCount: 0, hasMore: false } },
      { headers },
    )
  }
}

type Step = (world: World) => void | Promise<void>

const times = (step: Step, count: number): Step => {
  return async (world) => {
    for (let i = 0; i < count; i++) await step(world)
  }
}
const ms = fc.integer({ min: 1, max: 6000 })
const steps: fc.Arbitrary<[string, Step]> = fc.oneof(
  fc
    .tuple(
      fc.integer({ min: 1, max: 30 }),
      fc.nat({ max: 1 }),
      fc.nat({ max: 1 }),
      fc.integer({ min: -1, max: 1 }),
      fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
    )
    .map(([count, client, surface, priority, deadline]): [string, Step] => [
      `${count} calls of client ${client} to ${surface}, priority ${priority}, deadline ${deadline}`,
      times((world) => world.call(client, surface, priority, deadline), count),
    ]),
  fc
    .array(
      fc.oneof(
        fc.record({ kind: fc.constantFrom('ok', 'reset', 'unavailable', 'stall'), ms }),
        fc.record({ kind: fc.constant('limited'), ms, retryAfter: fc.integer({ min: 1, max: 90 }) }),
      ) as fc.Arbitrary<Plan>,
      { minLength: 1, maxLength: 6 },
    )
    .map((plans): [string, Step] => [
      `plans ${JSON.stringify(plans)}`,
      (world) => void world.plans.push(...plans),
    ]),
  fc.integer({ min: 1, max: 70_000 }).map((time): [string, Step] => [
    `${time} ms pass`,
    async () => {
      await vi.advanceTimersByTimeAsync(time)
    },
  ]),
  fc
    .nat({ max: 200 })
    .map((place): [string, Step] => [
      `call ${place} is aborted`,
      ({ calls }) => calls[place % Math.max(1, calls.length)]?.abort.abort(new Error('enough')),
    ]),
  fc
    .integer({ min: -3_600_000, max: 3_600_000 })
    .map((jump): [string, Step] => [
      `the wall clock jumps by ${jump} ms`,
      () => void vi.setSystemTime(Date.now() + jump),
    ]),
)

const named = steps.map(([name, run]) => ({ run, [fc.toStringMethod]: () => name }))

describe('the limits of an organization', () => {
  it(
    'hold for any calls and responses; every call settles, and nothing is left pending',
    { timeout: 100_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(named, { minLength: 3, maxLength: 25 }), async (history) => {
          useVirtualTime()
          const world = new World()
          for (const { run } of history) {
            await run(world)
            await turns()
          }
          for (let hours = 0; hours < 100 && world.calls.some(({ settled }) => !settled); hours++)
            await vi.advanceTimersByTimeAsync(3_600_000)
          // The service must notice the abort.
          await vi.advanceTimersByTimeAsync(10_000)
          await turns()
          expect(world.complaints).toEqual([])
          expect(world.calls.filter(({ settled }) => !settled)).toHaveLength(0)
          expect(vi.getTimerCount()).toBe(0)
          expect(world.clients.map(({ credits }) => credits.reserved)).toEqual([0, 0])
          expect(unhandled).toEqual([])
          vi.useRealTimers()
        }),
        { seed: 11, numRuns: 120 },
      )
    },
  )
})

/** Lets what does not depend on timers come to its end. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
