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
  readonly #waiting = new Map<CallTicket, (reason: unknown) => void>()

  constructor(limiter: Limiter) {
    this.#limiter = limiter
  }

  acquire(ticket: CallTicket): Promise<Lease> {
    const controller = new AbortController()
    const { signal } = controller
    return new Promise((resolve, reject) => {
      // The user's limiter may ignore the signal.
      this.#waiting.set(ticket, (reason) => {
        controller.abort(reason)
        reject(reason)
      })
      this.#acquire(ticket, signal).then(
        (lease) => {
          if (signal.aborted) giveBack(lease)
          else {
            this.#waiting.delete(ticket)
            resolve(lease)
          }
        },
        (error: unknown) => {
          this.#waiting.delete(ticket)
          reject(error)
        },
      )
    })
  }

  cancel(ticket: CallTicket, reason: unknown): void {
    const cancel = this.#waiting.get(ticket)
    this.#waiting.delete(ticket)
    cancel?.(reason)
  }

  hold(surface: string | null, announcedMs: number): void {
    const milliseconds = Math.min(announcedMs, longestHoldMs)
    this.#closedUntil.set(surface, performance.now() + milliseconds)
    this.#limiter.hold(surface, milliseconds)
  }

  async #acquire(ticket: CallTicket, signal: AbortSignal): Promise<Lease> {
    const { surface, share, priority, resumed, patience } = ticket
    for (;;) {
      const lease = await this.#limiter.acquire({ surface, share, priority, resumed, patience, signal })
      const early = (this.#closedUntil.get(surface) ?? 0) - performance.now()
      if (!signal.aborted && early <= 0) return lease
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
