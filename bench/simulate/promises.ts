import { ours, oursWithShares } from './ours.ts'
import type { Summary } from './summary.ts'

/** Bounds for our own pacer at 200 calls, for every seed. */
interface Promised {
  readonly scenario: string
  readonly strategy: string
  /** Maximum time, divided by the optimum. */
  readonly ratio: number
  /** Maximum number of 429s. */
  readonly refused: number
  /** Maximum number of failed calls. */
  readonly failed: number
}

/**
 * Alone, no call may fail or meet a 429 on any network. With foreign load, every sixth call may meet a 429, and none
 * may fail; with two processes that do not know of each other, two of three may. Two processes with half of the
 * limits each never meet a 429. Three thirds are three requests for two slots, and add up to eighteen a minute, not
 * twenty.
 */
export const promises: readonly Promised[] = [
  { scenario: 'alone', strategy: ours.name, ratio: 1.02, refused: 0, failed: 0 },
  { scenario: 'jitter', strategy: ours.name, ratio: 1.05, refused: 0, failed: 0 },
  { scenario: 'no-dates', strategy: ours.name, ratio: 1.05, refused: 0, failed: 0 },
  { scenario: 'rejects-count', strategy: ours.name, ratio: 1.02, refused: 0, failed: 0 },
  { scenario: 'foreign-light', strategy: ours.name, ratio: 1.25, refused: 30, failed: 0 },
  { scenario: '2-processes', strategy: ours.name, ratio: 1.15, refused: 140, failed: 2 },
  { scenario: '2-processes', strategy: oursWithShares.name, ratio: 1.03, refused: 0, failed: 0 },
  { scenario: '3-processes', strategy: oursWithShares.name, ratio: 1.25, refused: 40, failed: 0 },
]

/** Lists the broken promises. */
export function broken(summaries: readonly Summary[]): string[] {
  return promises.flatMap(({ scenario, strategy, ...limits }) => {
    const name = `${scenario}, ${strategy}`
    const summary = summaries.find((other) => other.scenario === scenario && other.strategy === strategy)
    if (summary === undefined) return [`${name}: not measured`]
    return (['ratio', 'refused', 'failed'] as const)
      .filter((figure) => !(summary[figure].worst <= limits[figure]))
      .map(
        (figure) => `${name}: ${figure} is ${summary[figure].worst}, at most ${limits[figure]} is promised`,
      )
  })
}
