import fc from '../support/chance.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CreditBudget, type CallOptions } from '../../src/index.ts'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { type Fault, createSandbox } from '../support/sandbox.ts'
import { pass, virtualTime } from '../support/clock.ts'
import { miscounts } from '../support/ledger.ts'
import { makeClient } from '../support/service.ts'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
virtualTime()
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(() => void process.off('unhandledRejection', note))

/** Of the connection, or a response that is not the service's. */
const faultsOfServers: readonly Fault[] = [
  ...(['before', 'after'] as const).map((reset) => ({ reset })),
  ...(['stall', 'truncate', 'reset'] as const).map((cut) => ({ cut })),
  ...[3000, 40_000].map((delay) => ({ delay })),
  { body: { requestId: 'odd', posts: 'none' } },
  { status: 502, body: '<h1>Bad gateway</h1>' },
]
const announcedWait = fc.record({
  status: fc.constantFrom(400, 403, 429, 500, 502, 503, 504),
  retryAfter: fc.integer({ min: 1, max: 20 }),
})
const fault = fc.oneof(fc.constantFrom(...faultsOfServers), announcedWait)
/** Up to six faults, each after some requests without one. */
const faults = fc.array(fc.record({ skip: fc.nat({ max: 3 }), fault }), { maxLength: 6 })

const upTo = (max: number, min = 1) => fc.option(fc.integer({ min, max }), { nil: undefined })
const call = fc.record({
  ...{ abortAfter: upTo(5000, 0), timeout: upTo(5000), deadline: upTo(9000) },
  budget: fc.constantFrom('none', 'shared', 'empty'),
  retry: fc.constantFrom(undefined, false as const, { unknown: true }),
  cache: fc.constantFrom(undefined, undefined, 'refresh' as const, false as const, { maxAge: 1000 }),
})
const calls = fc.array(call, { minLength: 1, maxLength: 8 })
/** A group of equal calls that begin at the same time. */
const group = fc.record({ wait: fc.nat({ max: 5000 }), query: fc.constantFrom('coffee', 'data'), calls })

/** A sandbox, and a client of it with a cache. */
function cached() {
  const sandbox = createSandbox({ posts: 300 })
  const { baseUrl, apiKey, fetch } = sandbox
  const cache = new ResultCache({ maxAge: 60_000 })
  return { sandbox, client: makeClient({ baseUrl, apiKey, fetch, cache }) }
}

describe('a ResultCache', () => {
  it('keeps the ledger right with any schedule of faults, aborts, timeouts and budgets', async () => {
    await fc.assert(
      fc.asyncProperty(faults, fc.array(group, { minLength: 1, maxLength: 5 }), async (faults, groups) => {
        const { sandbox, client } = cached()
        for (const { skip, fault } of faults) sandbox.inject({ ...fault, skip })
        const [shared, empty] = [new CreditBudget(1000), new CreditBudget(0)]
        let [open, saved] = [0, 0]
        for (const { wait, query, calls } of groups) {
          for (const { abortAfter, budget, ...given } of calls) {
            const abort = new AbortController()
            const options: CallOptions = {
              ...given,
              signal: abort.signal,
              ...(budget !== 'none' && { budget: budget === 'shared' ? shared : empty }),
            }
            if (abortAfter === 0) abort.abort()
            else if (abortAfter !== undefined) setTimeout(() => abort.abort(), abortAfter)
            open++
            void client.microblog
              .search({ query }, options)
              .withResponse()
              .then(({ cached, credits }) => {
                if (cached !== undefined && credits.spent === 0) saved += 2
              })
              .catch(() => {})
              .then(() => open--)
          }
          await pass(wait)
        }
        const end = performance.now() + 200_000
        do await pass(1000)
        while ((open > 0 || vi.getTimerCount() > 0) && performance.now() < end)
        expect(open).toBe(0)
        const { spent } = client.credits
        expect(miscounts(client.credits, sandbox.ledger.spent)).toEqual([])
        expect(client.credits.saved).toBe(saved)
        expect(empty.summary()).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
        expect(shared.summary().reserved).toBe(0)
        expect(shared.summary().spent).toBeLessThanOrEqual(spent)
        expect(Math.max(0, ...sandbox.requests.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(2)
        expect(vi.getTimerCount()).toBe(0)
        expect(unhandled).toEqual([])
      }),
      { numRuns: 75 },
    )
  }, 120_000)

  it('100 equal calls cost 2 credits, whatever happens to the leader', async () => {
    const leader = fc.constantFrom<(abort: AbortController) => CallOptions>(
      ({ signal }) => ({ signal }),
      () => ({ deadline: 70 }),
      () => ({ budget: new CreditBudget(1) }),
      () => ({}),
    )
    await fc.assert(
      fc.asyncProperty(leader, fc.nat({ max: 400 }), async (leader, ms) => {
        const { sandbox, client } = cached()
        sandbox.inject({ delay: 300 })
        const abort = new AbortController()
        const ends: string[] = []
        const ask = (options: CallOptions) =>
          client.microblog.search({ query: 'coffee' }, options).then(
            () => ends.push('answered'),
            () => ends.push('failed'),
          )
        void ask(leader(abort))
        for (let i = 1; i < 100; i++) void ask({})
        setTimeout(() => abort.abort(), ms)
        await pass(1000)
        expect(ends.filter((end) => end === 'answered').length).toBeGreaterThanOrEqual(99)
        expect(ends).toHaveLength(100)
        expect(sandbox.ledger.spent).toBe(2)
        expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
        expect(sandbox.requests).toHaveLength(1)
      }),
      { numRuns: 30 },
    )
  })
})
