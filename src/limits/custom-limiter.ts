import type { Log } from '../lib/logger.ts'
import { sleep } from '../lib/time.ts'
import { type CallLimiter, type CallTicket, type Lease, type Limiter, SurfaceClosed } from './limiter.ts'

/**
 * Adapts a user's limiter, which cancels by signal. It logs errors of a lease, so that a paid response is not lost. It
 * enforces the wait of a 429 even if the user's limiter does not.
 */
export class CustomLimiter implements CallLimiter {
  readonly #limiter: Limiter
  readonly #log: Log | undefined
  /** Monotonic time until which a 429 has closed a surface. */
  readonly #closedUntil: Map<string | null, number>
  readonly #waiting = new Map<CallTicket, AbortController>()

  constructor(limiter: Limiter, log: Log | undefined, closedUntil = new Map<string | null, number>()) {
    this.#limiter = limiter
    this.#log = log
    this.#closedUntil = closedUntil
  }

  /** The same limiter, for a client with another logger. */
  withLog(log: Log | undefined): CustomLimiter {
    return new CustomLimiter(this.#limiter, log, this.#closedUntil)
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
      const release = (lateLease: Lease): void => lateLease.release()
      acquiring.then(release, () => {})
      throw error
    } finally {
      this.#waiting.delete(ticket)
    }
  }

  cancel(ticket: CallTicket, reason: unknown): void {
    this.#waiting.get(ticket)?.abort(reason)
  }

  hold(surface: string | null, milliseconds: number): void {
    this.#closedUntil.set(surface, performance.now() + milliseconds)
    this.#attempt(() => this.#limiter.hold(surface, milliseconds))
  }

  async #acquire(ticket: CallTicket, signal: AbortSignal): Promise<Lease> {
    const { surface, share, priority, resumed, patience } = ticket
    for (;;) {
      const lease = this.#guarded(
        await this.#limiter.acquire({ surface, share, priority, resumed, patience, signal }),
      )
      const early = (this.#closedUntil.get(surface) ?? 0) - performance.now()
      if (early <= 0) return lease
      lease.release()
      if (early > patience) throw new SurfaceClosed(early)
      await sleep(early, signal)
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
