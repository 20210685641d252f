import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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
      { numRuns: Number(process.env['RUNS'] ?? 60) },
    )
  }, 600_000)
})
