import type { Log } from '../lib/logger.ts'
import { sleep } from '../lib/time.ts'
import {
  type CallQueue,
  type Lease,
  type Limiter,
  type Waiter,
  SurfaceClosed,
  longestHoldMs,
} from './limiter.ts'

/**
 * Adapts the user's limiter to a {@link CallQueue}. It logs errors of a lease, so that a paid response is not lost. It
 * enforces the wait of a 429 even if the user's limiter does not.
 */
export class CustomLimiter implements CallQueue {
  readonly #limiter: Limiter
  readonly #log: Log | undefined
  /** Monotonic time until which a 429 has closed a surface. */
  readonly #closedUntil: Map<string | null, number>

  constructor(limiter: Limiter, log: Log | undefined, closedUntil = new Map<string | null, number>()) {
    this.#limiter = limiter
    this.#log = log
    this.#closedUntil = closedUntil
  }

  /** The same limiter, for a client with another logger. */
  withLog(log: Log | undefined): CustomLimiter {
    return new CustomLimiter(this.#limiter, log, this.#closedUntil)
  }

  enter(waiter: Waiter): void {
    const controller = new AbortController()
    waiter.entry = controller
    void this.#acquire(waiter, controller.signal)
  }

  leave(waiter: Waiter): void {
    if (waiter.entry instanceof AbortController) waiter.entry.abort()
    waiter.entry = undefined
  }

  hold(surface: string | null, announcedMs: number): void {
    const milliseconds = Math.min(announcedMs, longestHoldMs)
    this.#closedUntil.set(surface, performance.now() + milliseconds)
    this.#attempt(() => this.#limiter.hold(surface, milliseconds))
  }

  async #acquire(waiter: Waiter, signal: AbortSignal): Promise<void> {
    const { surface, share, priority, resumed, patience } = waiter
    try {
      for (;;) {
        const lease = this.#guarded(
          await this.#limiter.acquire({ surface, share, priority, resumed, patience, signal }),
        )
        const early = (this.#closedUntil.get(surface) ?? 0) - performance.now()
        if (!signal.aborted && early <= 0) {
          waiter.grant(lease)
          return
        }
        lease.release()
        if (early > patience) throw new SurfaceClosed(early)
        await sleep(early, signal)
      }
    } catch (error) {
      if (!signal.aborted) waiter.refuse(error)
    }
  }

  #guarded(lease: Lease): Lease {
    const { queued, paced } = lease
    return {
      queued,
      paced,
      sent: () => this.#attempt(() => lease.sent()),
      answered: (date) => this.#attempt(() => lease.answered(date)),
      release: () => this.#attempt(() => lease.release()),
    }
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#log?.('error', 'the limiter failed', { reason: String(error) })
    }
  }
}
