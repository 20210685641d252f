import type { Arrival } from './service.ts'
import type { Summary } from './summary.ts'

/** One strategy in one scenario, by name, over all seeds. */
export interface Job {
  readonly scenario: string
  readonly strategy: string
  readonly calls: number
  readonly seeds: number
}

export interface JobResult {
  readonly summary: Summary
  /** The service's record of the first seed. */
  readonly arrivals: readonly Arrival[]
}
