import { type Random, createRandom } from '../../src/extensions/sandbox/random.ts'
import { organizationLimits } from '../../src/api/limits.ts'
import { type Scenario, serviceMs } from './scenarios.ts'

/** The fate of an admitted request. */
export interface Visit {
  /** How long it occupies a slot, in milliseconds. */
  readonly ms: number
  readonly end: 'success' | 'unavailable' | 'reset'
  /** Seconds, for a 503. */
  readonly retryAfter: number
}

/**
 * The random numbers of one run, with a separate sequence for each purpose. Visits are drawn by the order of admission,
 * not by call, so that no strategy profits from a luckier order, and a bound can be computed.
 */
export class Draws {
  /** When the first fixed window ends, in milliseconds. */
  readonly phase: number
  readonly #scenario: Scenario
  readonly #visits: Visit[] = []
  readonly #visitRandom: Random
  readonly #networkRandom: Random
  readonly #foreignRandom: Random

  constructor(seed: number, scenario: Scenario) {
    this.#scenario = scenario
    this.#visitRandom = createRandom(`${seed}/visits`)
    this.#networkRandom = createRandom(`${seed}/network`)
    this.#foreignRandom = createRandom(`${seed}/foreign`)
    this.phase = createRandom(`${seed}/phase`).integer(1, organizationLimits.windowMs)
  }

  /** The fate of the n-th admitted request. */
  visit(index: number): Visit {
    const random = this.#visitRandom
    const { unavailable, reset } = this.#scenario.faults
    while (this.#visits.length <= index) {
      const ms = random.integer(...serviceMs)
      const fate = random.next()
      const end = fate < unavailable ? 'unavailable' : fate < unavailable + reset ? 'reset' : 'success'
      this.#visits.push({ ms, end, retryAfter: random.integer(1, 3) })
    }
    return this.#visits[index] as Visit
  }

  /** Latency to or from the service, in milliseconds. */
  network(): number {
    return this.#networkRandom.integer(...this.#scenario.network)
  }

  /** Milliseconds until the next foreign request. */
  foreignGap(): number {
    const mean = organizationLimits.windowMs / this.#scenario.foreignPerMinute
    return Math.max(1, Math.round(-mean * Math.log(1 - this.#foreignRandom.next())))
  }

  foreignStay(): number {
    return this.#foreignRandom.integer(...serviceMs)
  }
}
