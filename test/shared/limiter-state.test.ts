import fc from '../support/chance.ts'
import { describe, expect, it } from 'vitest'
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
    const rollBack = (after: number) => ({ attack: 'roll back', after }) as const
    const attacks = [rollBack(2792), { attack: 'set the clock', after: 1 } as const, rollBack(17)]
    const { violations, waiting } = new Simulation({ processes: 2, calls: 42, seed: 2_502_404, attacks })
    expect({ violations, waiting }).toEqual({ violations: [], waiting: 0 })
  })
})
