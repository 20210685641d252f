// What users make: the limiter of one process that shares limits by a store. It checks its options; `limiter-sync.ts` does the work.

import { organizationLimits } from '../../api/limits.ts'
import {
  type Limits,
  type CallLimiter,
  type QueueRequest,
  type Permit,
  type QueueWait,
  driftMs,
} from '../../extend.ts'
import { assertOptions, milliseconds, nonEmptyText, wholeNumber } from '../../errors/check-options.ts'
import { ClosedError } from '../../errors/index.ts'
import { keepSelf, unproxied } from '../../lib/runtime.ts'
import { type SharedOptions, sharedNames } from './stored-text.ts'
import { LimiterSync } from './limiter-sync.ts'

/** Options of a {@link SharedLimiter}. */
export interface SharedLimiterOptions extends SharedOptions {
  /** A label for the organization, the same in all its processes. */
  organization: string
  /** The organization's limits, if they differ from the documented ones. The same in all its processes. */
  limits?: Partial<Limits> | undefined
  /** Milliseconds after which the requests of a dead process no longer count. Default 15,000. */
  lease?: number | undefined
}

/**
 * Keeps all processes that share a store within the organization's rate limits. Waiting processes take turns. While the store is
 * unavailable, calls stay in the queue.
 *
 * @example
 * const limiter = new SharedLimiter({ store: memoryStore(), organization: 'acme' })
 * const client = new SocialSearch({ baseUrl, apiKey, limiter })
 */
export class SharedLimiter implements CallLimiter {
  /** The organization's limits, for all its processes together. */
  readonly limits: Limits
  readonly #sync: LimiterSync

  /**
   * Shares the limits of `organization` with all processes that use the same store.
   *
   * @throws {ConfigurationError} for invalid options.
   */
  constructor(options: SharedLimiterOptions) {
    keepSelf(this)
    const own = { organization: true, limits: true, lease: true }
    assertOptions(options, { ...sharedNames, ...own })
    const { organization, limits = {}, lease = 15_000 } = options
    nonEmptyText('organization', organization)
    assertOptions(limits, organizationLimits, 'limits')
    const { inFlight, perMinute, windowMs } = { ...organizationLimits, ...limits }
    this.limits = {
      inFlight: wholeNumber('limits.inFlight', inFlight),
      perMinute: wholeNumber('limits.perMinute', perMinute),
      windowMs: milliseconds('limits.windowMs', windowMs),
    }
    // The clocks of the store and of the service drift apart.
    const rules = { inFlight, perMinute, windowMs: windowMs + driftMs, leaseMs: milliseconds('lease', lease) }
    this.#sync = new LimiterSync(options, organization, rules)
  }

  acquire(request: QueueRequest): Promise<Permit> {
    const sync = unproxied(this).#sync
    return sync.isClosed ? Promise.reject(new ClosedError('limiter')) : sync.acquire(request)
  }

  waitOf(surface: string | null): QueueWait | null {
    return unproxied(this).#sync.queueAt(surface)?.waitOf() ?? null
  }

  /**
   * Rejects waiting calls with a {@link ClosedError}, and stops listening to the store, which you close yourself. Requests
   * in flight keep their slots until they end.
   */
  close(): Promise<void> {
    return unproxied(this).#sync.stop(new ClosedError('limiter'))
  }
}
