import { organizationLimits } from '../src/contract/limits.ts'
import { type Window, createWindow } from './windows.ts'

/** Whose request: of the strategy under test, or of somebody else in the organization. */
export type Sender = 'own' | 'foreign'

/** Why a request was turned away. It is the foreign load's doing where our own requests alone would have passed. */
export type Cause = 'pace' | 'in-flight' | 'foreign'

export interface Refusal {
  /** Seconds. */
  readonly retryAfter: number
  readonly cause: Cause
}

/** Counts requests at their arrival, and turns away what exceeds the organization's limits. */
export class Gate {
  readonly #rules: Parameters<typeof createWindow>
  readonly #countsRejects: boolean
  readonly #open: Record<Sender, number> = { own: 0, foreign: 0 }
  /** For each surface what the service counts, and what it would count if there were no foreign load. */
  readonly #windows = new Map<string | null, { all: Window; own: Window }>()

  constructor(countsRejects: boolean, ...rules: Parameters<typeof createWindow>) {
    this.#rules = rules
    this.#countsRejects = countsRejects
  }

  /** Returns null for a request that is admitted; it stays in flight until `leave`. */
  arrive(surface: string | null, at: number, sender: Sender): Refusal | null {
    const { all, own } = this.#windowsOf(surface)
    const refusal = this.#refusal(all, own, at)
    if (refusal === null) this.#open[sender]++
    if (refusal === null || this.#countsRejects) {
      all.count(at)
      if (sender === 'own') own.count(at)
    }
    return refusal
  }

  leave(sender: Sender): void {
    this.#open[sender]--
  }

  #refusal(all: Window, own: Window, at: number): Refusal | null {
    const { inFlight } = organizationLimits
    if (this.#open.own + this.#open.foreign >= inFlight) {
      return { retryAfter: 1, cause: this.#open.own >= inFlight ? 'in-flight' : 'foreign' }
    }
    const closed = all.closedFor(at)
    if (closed === 0) return null
    return { retryAfter: Math.ceil(closed / 1000), cause: own.closedFor(at) > 0 ? 'pace' : 'foreign' }
  }

  #windowsOf(surface: string | null): { all: Window; own: Window } {
    const known = this.#windows.get(surface)
    if (known !== undefined) return known
    const windows = { all: createWindow(...this.#rules), own: createWindow(...this.#rules) }
    this.#windows.set(surface, windows)
    return windows
  }
}
