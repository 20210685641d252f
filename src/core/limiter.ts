import pLimit, { type LimitFunction } from 'p-limit'
import { Lane } from './lane.ts'

/** What a call asks of a limiter before each attempt. */
export interface Ticket {
  /** The search surface whose pace counts, or null where only the slots do. */
  readonly surface: string | null
  /** Whether the call was already under way; such calls go before those that have not been sent yet. */
  readonly resumed: boolean
  /** Longest closure of the surface that the call waits out, in milliseconds; past it, it is refused at once. */
  readonly patience: number
  /** Aborting it takes the call out of the queue at once. */
  readonly signal: AbortSignal
}

/** Permission to send one request now. */
export interface Lease {
  /** Time spent waiting for a slot, in milliseconds. */
  readonly queued: number
  /** Time spent waiting for the surface to open, in milliseconds. */
  readonly paced: number
  /** Gives the slot back; call it when the answer's body has been read, or has failed. */
  release(): void
}

/** Keeps the organization's limits for everybody who shares it. */
export interface Limiter {
  /** Waits for a slot and for the surface. Rejects with the signal's reason, or with a `LaneClosed`. */
  acquire(ticket: Ticket): Promise<Lease>
  /** Closes a surface for so many milliseconds from now: the service answered 429. */
  hold(surface: string | null, milliseconds: number): void
}

export interface LimiterLimits {
  /** Requests in flight. */
  readonly inFlight: number
  /** Requests a minute at each surface; Infinity for no pacing. */
  readonly perMinute: number
}

/** A limiter for the clients of one process. */
export class LocalLimiter implements Limiter {
  readonly #slots: LimitFunction
  readonly #lanes = new Map<string | null, Lane>()
  #perMinute: number

  constructor(limits: LimiterLimits) {
    this.#slots = pLimit(limits.inFlight)
    this.#perMinute = limits.perMinute
  }

  /** Takes over whatever is stricter in other limits: clients that share a limiter must all be content. */
  tighten(limits: LimiterLimits): void {
    this.#slots.concurrency = Math.min(this.#slots.concurrency, limits.inFlight)
    this.#perMinute = Math.min(this.#perMinute, limits.perMinute)
    for (const [surface, lane] of this.#lanes) lane.perMinute = this.#paceOf(surface)
  }

  acquire(ticket: Ticket): Promise<Lease> {
    return this.#lane(ticket.surface).enter(ticket)
  }

  hold(surface: string | null, milliseconds: number): void {
    this.#lane(surface).hold(milliseconds)
  }

  #lane(surface: string | null): Lane {
    let lane = this.#lanes.get(surface)
    if (lane === undefined) {
      lane = new Lane(() => this.#slot(), this.#paceOf(surface))
      this.#lanes.set(surface, lane)
    }
    return lane
  }

  #paceOf(surface: string | null): number {
    return surface === null ? Infinity : this.#perMinute
  }

  /** Takes a slot; the returned function gives it back. */
  #slot(): Promise<() => void> {
    return new Promise((granted) => {
      void this.#slots(() => new Promise<void>((release) => granted(release)))
    })
  }
}

// Limiters outlive the clients that use them: the service remembers a minute of requests whoever sent them, so a
// client that is made anew for each job must find what its predecessor sent.
const byLabel = new Map<string, Map<string, LocalLimiter>>()
const byProvider = new WeakMap<object, Map<string, LocalLimiter>>()

/**
 * The limiter of one organization in this process.
 *
 * @param owner What stands for the organization: a label, a key, or the object that provides its tokens.
 */
export function sharedLimiter(owner: string | object, baseUrl: string, limits: LimiterLimits): LocalLimiter {
  const limiters =
    (typeof owner === 'string' ? byLabel.get(owner) : byProvider.get(owner)) ??
    new Map<string, LocalLimiter>()
  if (typeof owner === 'string') byLabel.set(owner, limiters)
  else byProvider.set(owner, limiters)
  const limiter = limiters.get(baseUrl) ?? new LocalLimiter(limits)
  limiters.set(baseUrl, limiter)
  limiter.tighten(limits)
  return limiter
}
