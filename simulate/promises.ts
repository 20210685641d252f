import type { Summary } from './summary.ts'

/** What must hold for our own pacer at 200 calls, with every seed. */
interface Promised {
  readonly scenario: string
  /** Most time, over the optimum. */
  readonly ratio: number
  /** Most 429s. */
  readonly refused: number
  /** Most calls that do not succeed. */
  readonly failed: number
}

/**
 * Alone nothing may go wrong, however uneven the network. With somebody else in the organization every sixth call may
 * meet a 429, and none may fail; where two processes do not know of each other, every second one may.
 */
export const promises: readonly Promised[] = [
  { scenario: 'alone', ratio: 1.02, refused: 0, failed: 0 },
  { scenario: 'jitter', ratio: 1.05, refused: 0, failed: 0 },
  { scenario: 'no-dates', ratio: 1.05, refused: 0, failed: 0 },
  { scenario: 'rejects-count', ratio: 1.02, refused: 0, failed: 0 },
  { scenario: 'foreign-light', ratio: 1.25, refused: 30, failed: 0 },
  { scenario: '2-processes', ratio: 1.15, refused: 100, failed: 2 },
]

/** Says which promises the figures break. */
export function broken(summaries: readonly Summary[]): string[] {
  return promises.flatMap(({ scenario, ...limits }) => {
    const summary = summaries.find((candidate) => candidate.scenario === scenario)
    if (summary === undefined) return [`${scenario}: not measured`]
    return (['ratio', 'refused', 'failed'] as const)
      .filter((figure) => !(summary[figure].worst <= limits[figure]))
      .map(
        (figure) =>
          `${scenario}: ${figure} is ${summary[figure].worst}, at most ${limits[figure]} is promised`,
      )
  })
}
