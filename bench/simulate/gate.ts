import { organizationLimits } from '../../src/api/limits.ts'
import { type Window, createWindow } from './windows.ts'

/** The sender of a request: the strategy under test, or foreign load in the organization. */
export type Sender = 'own' | 'foreign'

/** Why a request was refused. `foreign` if our own requests alone would have passed. */
export type Cause = 'pace' | 'in-flight' | 'foreign'

export interface Refusal {
  /** Seconds. */
  readonly retryAfter: number
  readonly cause: Cause
}

/** Counts requests on arrival, and refuses those above the organization's limits. */
export class Gate {
  readonly #rules: Parameters<typeof createWindow>
  readonly #countsRejects: boolean
  readonly #open: Record<Sender, number> = { own: 0, foreign: 0 }
  /** For each surface, the count of the service, and the count without foreign load. */
  readonly #windows = new Map<string | null, { all: Window; own: Window }>()

  constructor(countsRejects: boolean, ...rules: Parameters<typeof createWindow>) {
    this.#rules = rules
    this.#countsRejects = countsRejects
  }

  /** Returns null if it admits a request, which stays in flight until `leave`. */
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
