import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MicroblogSearchParams, SocialSearch, isSocialSearchError } from '../../src/index.ts'
import { type Fault, type Sandbox, createSandbox } from '../../src/sandbox/index.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'

beforeEach(useVirtualTime)
afterEach(() => vi.useRealTimers())

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault>(
    { reset: 'before' },
    { reset: 'after' },
    { cut: 'stall' },
    { cut: 'truncate' },
    { cut: 'reset' },
    { delay: 40_000 },
    { body: { requestId: 'odd', posts: 'none' } },
    { status: 502, body: '<h1>Bad gateway</h1>' },
  ),
  fc.record({
    status: fc.constantFrom(400, 403, 429, 500, 502, 503, 504),
    retryAfter: fc.integer({ min: 1, max: 90 }),
  }),
  fc.record({ status: fc.constantFrom(429, 500, 502, 503, 504) }),
)

const schedule = fc.array(fc.record({ skip: fc.nat({ max: 3 }), fault }), { maxLength: 6 })

function inject(sandbox: Sandbox, faults: { skip: number; fault: Fault }[]): void {
  for (const { skip, fault } of faults) sandbox.inject({ ...fault, skip })
}

let runs = 0
const connect = ({ baseUrl, apiKey, fetch }: Sandbox, organization: string) =>
  new SocialSearch({ baseUrl, apiKey, fetch, organization })

describe('for any schedule of faults', () => {
  it('search() accounts for what the service charged, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, fc.boolean(), async (faults, ambiguous) => {
        const sandbox = createSandbox({ posts: 300 })
        inject(sandbox, faults)
        const client = connect(sandbox, `account ${++runs}`)
        const calls = Array.from({ length: 6 }, () =>
          client.microblog.search({ query: 'coffee' }, { retry: { ambiguous } }).then(undefined, () => {}),
        )
        await settle(Promise.all(calls))
        const { spent, uncertain, reserved } = client.credits
        expect(reserved).toBe(0)
        expect(spent).toBeLessThanOrEqual(sandbox.ledger.spent)
        expect(sandbox.ledger.spent).toBeLessThanOrEqual(spent + uncertain)
        expect(Math.max(...sandbox.requests.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(2)
        await pass(50)
        expect(vi.getTimerCount()).toBe(0)
      }),
      { numRuns: 60, seed: 7 },
    )
  })

  it('search() delivers the sequence of the service exactly once when it resumes from next', async () => {
    const params: MicroblogSearchParams = { query: 'coffee', count: 4 }
    const calm = createSandbox({ posts: 600, limits: { perMinute: false } })
    const { value: expected } = await settle(
      connect(calm, 'calm').microblog.search(params).toArray({ limit: 1000 }),
    )
    expect(expected!.length).toBeGreaterThan(20)
    await fc.assert(
      fc.asyncProperty(schedule, async (faults) => {
        const sandbox = createSandbox({ posts: 600 })
        inject(sandbox, faults)
        const client = connect(sandbox, `walk ${++runs}`)
        const delivered: unknown[] = []
        const walkFrom = async (start: MicroblogSearchParams): Promise<MicroblogSearchParams | null> => {
          try {
            for await (const { posts } of client.microblog.search(start).pages()) delivered.push(...posts)
            return null
          } catch (error) {
            if (!isSocialSearchError(error)) throw error
            if (error.code === 'rate_limited') await new Promise((resolve) => setTimeout(resolve, 90_000))
            return JSON.parse(JSON.stringify(error.next)) as MicroblogSearchParams
          }
        }
        let start: MicroblogSearchParams | null = params
        for (let parts = 0; start !== null && parts < 20; parts++)
          start = (await settle(walkFrom(start))).value ?? null
        expect(delivered).toEqual(expected)
      }),
      { numRuns: 40, seed: 7 },
    )
  })
})
