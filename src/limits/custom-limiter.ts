import { sleep } from '../lib/time.ts'
import {
  type CallLimiter,
  type CallTicket,
  type Lease,
  type Limiter,
  SurfaceClosed,
  longestHoldMs,
} from './limiter.ts'

/** Adapts a user's limiter, which cancels by signal, and enforces the wait of a 429 even if that limiter does not. */
export class CustomLimiter implements CallLimiter {
  readonly #limiter: Limiter
  /** Monotonic time until which a 429 has closed a surface. */
  readonly #closedUntil = new Map<string | null, number>()
  readonly #waiting = new Map<CallTicket, AbortController>()

  constructor(limiter: Limiter) {
    this.#limiter = limiter
  }

  async acquire(ticket: CallTicket): Promise<Lease> {
    const controller = new AbortController()
    const { signal } = controller
    this.#waiting.set(ticket, controller)
    // The user's limiter may ignore the signal.
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    const acquiring = this.#acquire(ticket, signal)
    try {
      return await Promise.race([acquiring, aborted])
    } catch (error) {
      acquiring.then(giveBack, () => {})
      throw error
    } finally {
      this.#waiting.delete(ticket)
    }
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
      await sleep(early, signal)
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
