import type { Lease, QueueRequest } from '../../src/limits/interface.ts'
import { LocalLimiter } from '../../src/limits/local-limiter.ts'

const never = new AbortController().signal

/** The limiter of a process, for requests that lack what a test does not care for. */
export class AbortableLimiter extends LocalLimiter {
  override acquire(request: Partial<QueueRequest>): Promise<Lease> {
    const usual = { surface: 'a', priority: 0, isRetry: false, maxClosedWaitMs: 60_000, signal: never }
    return super.acquire({ ...usual, queuedAt: performance.now(), ...request })
  }
}
