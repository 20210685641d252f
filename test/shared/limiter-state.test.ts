import fc from '../support/chance.ts'
import { describe, expect, it } from 'vitest'
import { changeState } from '../../src/extensions/shared/limiter-change.ts'
import type { LimiterState } from '../../src/extensions/shared/limiter-state.ts'
import { type Plan, Simulation, attacks } from './simulation.ts'

const plans: fc.Arbitrary<Plan> = fc.record({
  processes: fc.integer({ min: 2, max: 20 }),
  calls: fc.integer({ min: 1, max: 120 }),
  seed: fc.nat(),
  attacks: fc.array(
    fc.record({ attack: fc.constantFrom(...attacks), after: fc.integer({ min: 1, max: 12_000 }) }),
    { maxLength: 30 },
  ),
})

describe('changeState()', () => {
  it('keeps the limits, starves no process and ends each grant, whatever happens', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const simulation = new Simulation(plan)
        expect(simulation.violations).toEqual([])
        expect(simulation.waiting).toBe(0)
        expect(simulation.takenInTheEnd()).toBe(0)
      }),
      { numRuns: Number(process.env['RUNS'] ?? 20) },
    )
  }, 600_000)

  it('keeps the limits when a store that was rolled back is rolled back once more, to before its new state', () => {
    const attacks: Plan['attacks'] = [
      { attack: 'roll back', after: 2792 },
      { attack: 'set the clock', after: 1 },
      { attack: 'roll back', after: 17 },
    ]
    const { violations, waiting } = new Simulation({ processes: 2, calls: 42, seed: 2_502_404, attacks })
    expect({ violations, waiting }).toEqual({ violations: [], waiting: 0 })
  })

  it('grants nothing after a loss while others may still restore their slots', () => {
    const rules = { inFlight: 1, perMinute: 20, windowMs: 60_020, leaseMs: 15_000 }
    const run = (process: string, clock: number, text?: string, copy?: LimiterState, slots = 0) =>
      changeState(
        text,
        { clock, readAt: clock, receivedAt: clock, previous: undefined },
        copy,
        () => ({
          ...{
            process,
            slots,
            arrivals: [],
            closures: [],
            arrivesWithinMs: 1020,
            offerMs: 200,
            requestsPerSlot: 1,
          },
          waiting: new Map([[':a', 1]]),
        }),
        rules,
        `state of ${process} ${clock}`,
      )
    const outcome = (...args: Parameters<typeof run>) => run(...args).grants.get(':a')
    const born = run('second', -1000)
    const before = run('second', 0, JSON.stringify(born.state))
    expect(before.grants.get(':a')).toMatchObject({ requests: 1 })
    // Only its process knows the slot that the next one has got.
    const restored = run('first', 1000, undefined, { ...before.state, processes: {} })
    const text = JSON.stringify(restored.state)
    expect(restored.grants.get(':a')?.waitReason).toMatchObject({ reason: 'restoring', ms: 3000 })
    expect(outcome('first', 3900, text, restored.state)?.waitReason).toMatchObject({
      reason: 'restoring',
      ms: 100,
    })
    expect(outcome('first', 4100, text, restored.state)).toMatchObject({ requests: 1 })
    const reported = run('second', 2000, text, before.state, 1)
    const waitReason = { reason: 'slot' }
    expect(outcome('first', 4100, JSON.stringify(reported.state), reported.state)).toMatchObject({
      waitReason,
    })
  })
})
