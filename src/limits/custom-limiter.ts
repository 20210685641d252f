import { after } from '../lib/time.ts'
import {
  type CallLimiter,
  type CallTicket,
  type Lease,
  type Limiter,
  SurfaceClosed,
  longestHoldMs,
} from './interface.ts'

/** Adapts a user's limiter, which cancels by signal, and enforces the wait of a 429 even if that limiter does not. */
export class CustomLimiter implements CallLimiter {
  readonly #limiter: Limiter
  /** Monotonic time until which a 429 has closed a surface. */
  readonly #closedUntil = new Map<string | null, number>()
  readonly #waiting = new Map<CallTicket, AbortController>()

  constructor(limiter: Limiter) {
    this.#limiter = limiter
  }

  acquire(ticket: CallTicket): Promise<Lease> {
    const controller = new AbortController()
    const { signal } = controller
    this.#waiting.set(ticket, controller)
    return new Promise<Lease>((resolve, reject) => {
      // The user's limiter may ignore the signal.
      signal.addEventListener('abort', () => reject(signal.reason))
      this.#acquire(ticket, signal).then(
        (lease) => (signal.aborted ? giveBack(lease) : resolve(lease)),
        reject,
      )
    }).finally(() => this.#waiting.delete(ticket))
  }

  cancel(ticket: CallTicket, reason: unknown): void {
    this.#waiting.get(ticket)?.abort(reason)
  }

  hold(surface: string | null, announcedMs: number): void {
    const milliseconds = Math.min(announcedMs, longestHoldMs)
    const until = performance.now() + milliseconds
    // A shorter 429 of another request does not open the surface earlier.
    this.#closedUntil.set(surface, Math.max(until, this.#closedUntil.get(surface) ?? 0))
    this.#limiter.hold(surface, milliseconds)
  }

  async #acquire(ticket: CallTicket, signal: AbortSignal): Promise<Lease> {
    const { surface, share, priority, resumed, maxQueueWait } = ticket
    const patience = Math.min(ticket.patience, maxQueueWait ?? Infinity)
    for (;;) {
      const lease = await this.#limiter.acquire({
        ...{ surface, share, priority, resumed, patience, maxQueueWait, signal },
      })
      const early = (this.#closedUntil.get(surface) ?? 0) - performance.now()
      if (early <= 0) return lease
      giveBack(lease)
      if (early > patience) throw new SurfaceClosed(early)
      await new Promise<void>((resolve) => signal.addEventListener('abort', after(early, resolve)))
    }
  }
}

/** No request depends on a lease that was not used, so an error of the user's limiter has no effect. */
function giveBack(lease: Lease): void {
  try {
    lease.release()
  } catch {
    // A later call reports a limiter that does not work.
  }
}
