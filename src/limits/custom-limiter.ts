import { ConfigurationError } from '../errors/index.ts'
import { runAside, textOf } from '../lib/thrown.ts'
import { after } from '../lib/time.ts'
import {
  type CallLimiter,
  type CallTicket,
  type Lease,
  type Limiter,
  type QueueWait,
  SurfaceClosed,
  longestHoldMs,
} from './interface.ts'

/**
 * Adapts a user's limiter, which cancels by signal. It enforces the wait of a 429 even if that limiter does not, and a
 * limiter that throws cannot lose a response that is paid for.
 */
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
        (lease) => (signal.aborted ? lease.release() : resolve(lease)),
        reject,
      )
    }).finally(() => this.#waiting.delete(ticket))
  }

  cancel(ticket: CallTicket, reason: unknown): void {
    this.#waiting.get(ticket)?.abort(reason)
  }

  hold(surface: string | null, announcedMs: number, ticket: CallTicket): void {
    const milliseconds = Math.min(announcedMs, longestHoldMs)
    const until = performance.now() + milliseconds
    // A shorter 429 of another request does not open the surface earlier.
    this.#closedUntil.set(surface, Math.max(until, this.#closedUntil.get(surface) ?? 0))
    tell(ticket, () => this.#limiter.hold(surface, milliseconds))
  }

  /** Only a 429 is known here. */
  waitOf(surface: string | null): QueueWait | null {
    const ms = (this.#closedUntil.get(surface) ?? 0) - performance.now()
    return ms > 0 ? { reason: 'rate_limited', ms } : null
  }

  async #acquire(ticket: CallTicket, signal: AbortSignal): Promise<Lease> {
    const { surface, share, priority, isRetry, maxQueueWait } = ticket
    const maxHoldWait = Math.min(ticket.maxHoldWait, maxQueueWait ?? Infinity)
    for (;;) {
      const lease = guarded(
        ticket,
        await this.#limiter.acquire({
          ...{ surface, share, priority, isRetry, maxHoldWait, maxQueueWait, signal },
        }),
      )
      const closed = this.waitOf(surface)
      if (closed === null) return lease
      lease.release()
      if (closed.ms > maxHoldWait) throw new SurfaceClosed(closed.ms)
      await new Promise<void>((resolve) => signal.addEventListener('abort', after(closed.ms, resolve)))
    }
  }
}

/** A lease whose methods cannot throw. */
function guarded(ticket: CallTicket, lease: Lease): Lease {
  if (!isLease(lease))
    throw new ConfigurationError('the limiter must return a lease: queued, paced, release()')
  const { queued, paced } = lease
  return {
    queued,
    paced,
    sent: () => tell(ticket, () => lease.sent()),
    answered: (date) => tell(ticket, () => lease.answered(date)),
    release: () => tell(ticket, () => lease.release()),
  }
}

/** Reading a property of a value of user code may throw. */
function isLease(value: Partial<Lease> | null | undefined): boolean {
  try {
    return [value?.queued, value?.paced].every(Number.isFinite) && typeof value?.release === 'function'
  } catch {
    return false
  }
}

/** Calls a method of the user's limiter or lease, and logs what it throws or rejects with. */
function tell(ticket: CallTicket, work: () => unknown): void {
  runAside(work, (error) => ticket.log?.('error', 'the limiter failed', { reason: textOf(error) }))
}
