import pLimit from 'p-limit'
import { organizationLimits } from '../contract/limits.ts'
import { Lane } from './lane.ts'

/** What one client takes of the organization's limits, at most. */
export interface Share {
  /** Requests in flight. */
  readonly inFlight: number
  /** Requests a minute at each surface; Infinity for no pacing. */
  readonly perMinute: number
}

/** What a call asks of a limiter before each attempt. */
export interface Ticket {
  /** The search surface whose pace counts, or null where only the slots do. */
  readonly surface: string | null
  /** The same object for all calls of one client. */
  readonly share: Share
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
  /** Says that the request goes out now; until then the grant counts towards the pace as if it had. */
  sent(): void
  /** Gives the slot back; call it when the answer's body has been read, or has failed. */
  release(): void
}

/** Keeps the organization's limits for everybody who shares it. */
export interface Limiter {
  /** Waits for a slot and for the surface. Rejects with the signal's reason, or with a `SurfaceClosed`. */
  acquire(ticket: Ticket): Promise<Lease>
  /** Closes a surface for so many milliseconds from now: the service answered 429. */
  hold(surface: string | null, milliseconds: number): void
}

/** A limiter for the clients of one process. */
export class LocalLimiter implements Limiter {
  readonly #slots: ReturnType<typeof pLimit>
  readonly #lanes = new Map<string | null, Lane>()
  readonly #inFlight = new WeakMap<Share, number>()

  /** @param inFlight Requests that may be open at once. */
  constructor(inFlight: number = organizationLimits.inFlight) {
    this.#slots = pLimit(inFlight)
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
      lane = new Lane({
        isPaced: surface !== null,
        takeSlot: () => this.#takeSlot(),
        hasRoom: (share) => (this.#inFlight.get(share) ?? 0) < share.inFlight,
        occupy: (share) => this.#occupy(share),
      })
      this.#lanes.set(surface, lane)
    }
    return lane
  }

  /** Takes one of the organization's slots; the returned function gives it back. */
  #takeSlot(): Promise<() => void> {
    return new Promise((granted) => {
      void this.#slots(() => new Promise<void>((release) => granted(release)))
    })
  }

  /** Counts a request towards a client's share until the returned function is called. */
  #occupy(share: Share): () => void {
    const count = (change: number): void => {
      this.#inFlight.set(share, (this.#inFlight.get(share) ?? 0) + change)
    }
    count(1)
    return () => {
      count(-1)
      // The client may have calls in any lane.
      for (const lane of this.#lanes.values()) lane.wake()
    }
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
export function sharedLimiter(owner: string | object, baseUrl: string): LocalLimiter {
  const limiters =
    (typeof owner === 'string' ? byLabel.get(owner) : byProvider.get(owner)) ??
    new Map<string, LocalLimiter>()
  if (typeof owner === 'string') byLabel.set(owner, limiters)
  else byProvider.set(owner, limiters)
  const limiter = limiters.get(baseUrl) ?? new LocalLimiter()
  limiters.set(baseUrl, limiter)
  return limiter
}
