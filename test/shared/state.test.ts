import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeState } from '../../src/extensions/shared/change.ts'
import type { LimiterState } from '../../src/extensions/shared/state.ts'
import { type Attack, type Plan, Simulation } from './simulation.ts'

const attacks: Attack[] = [
  ...(['kill', 'pause', 'lose', 'roll back', 'set the clock'] as const),
  ...(['lose a reply', 'refuse', 'start', 'cancel'] as const),
]

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
        simulation.run(plan)
        expect(simulation.violations).toEqual([])
        expect(simulation.waiting).toBe(0)
        expect(simulation.takenInTheEnd()).toBe(0)
      }),
      { numRuns: Number(process.env['RUNS'] ?? 20) },
    )
  }, 600_000)

  it('grants nothing after a loss while others may still restore their slots', () => {
    const rules = { inFlight: 1, perMinute: 20, spanMs: 60_020, leaseMs: 15_000 }
    const run = (process: string, clock: number, text?: string, copy?: LimiterState, slots = 0) =>
      changeState(
        text,
        { clock, readAt: clock, receivedAt: clock, seen: undefined },
        copy,
        (now) => ({
          ...{ process, slots, arrivals: [], closures: [], turnMs: 200 },
          ...{ places: [[':a', now]] },
          asks: [{ surface: ':a', limit: 20, arrivalMs: 1020, hasNext: false }],
        }),
        rules,
        `epoch of ${process} ${clock}`,
      )
    const before = run('second', 0, undefined, undefined)
    expect(before.outcomes.get(':a')).toMatchObject({ reason: 'granted' })
    // Only its process knows the slot that the next one has got.
    const restored = run('first', 1000, undefined, { ...before.state, processes: {} })
    expect(restored.outcomes.get(':a')).toMatchObject({ reason: 'quiet', ms: 3000 })
    expect(
      run('first', 3900, JSON.stringify(restored.state), restored.state).outcomes.get(':a'),
    ).toMatchObject({
      reason: 'quiet',
    })
    expect(
      run('first', 4100, JSON.stringify(restored.state), restored.state).outcomes.get(':a'),
    ).toMatchObject({ reason: 'granted' })
    const told = run('second', 2000, JSON.stringify(restored.state), before.state, 1)
    expect(run('first', 4100, JSON.stringify(told.state), told.state).outcomes.get(':a')).toMatchObject({
      reason: 'slot',
    })
  })
})
