// What users make, and its options. All else is in `limiter-sync.ts`.

import { organizationLimits } from '../../api/limits.ts'
import {
  type Limits,
  type CallLimiter,
  type QueueRequest,
  type Lease,
  type QueueWait,
  driftMs,
} from '../../extend.ts'
import {
  assertOptions,
  requireOption,
  milliseconds,
  nonEmptyText,
  describeWord,
  wholeNumber,
} from '../../errors/check-options.ts'
import { ClosedError, ConfigurationError } from '../../errors/index.ts'
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
  /**
   * What calls do while the store is unavailable. `wait`: stay in the queue. `local`: go on with `localShare` of the limits.
   * Default `wait`.
   */
  onUnavailable?: 'wait' | 'local' | undefined
  /**
   * The fraction of the limits for this process while the store is unavailable, above 0 and up to 1. With four processes,
   * 0.25 keeps all of them within the limits. Default 0.25.
   */
  localShare?: number | undefined
}

/**
 * Keeps all processes that share a store within the organization's rate limits. Waiting processes take turns.
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
    const own = { organization: true, limits: true, lease: true, onUnavailable: true, localShare: true }
    assertOptions(options, { ...sharedNames, ...own })
    const { organization, onUnavailable = 'wait', localShare = 0.25, lease = 15_000 } = options
    nonEmptyText('organization', organization)
    if (!['wait', 'local'].includes(onUnavailable)) {
      throw new ConfigurationError(`onUnavailable must be wait or local, got ${describeWord(onUnavailable)}`)
    }
    requireOption(
      localShare,
      localShare > 0 && localShare <= 1,
      'localShare must be a number above 0 and up to 1',
    )
    const { limits = {} } = options
    assertOptions(limits, organizationLimits, 'limits')
    const { inFlight, perMinute, windowMs } = { ...organizationLimits, ...limits }
    this.limits = {
      inFlight: wholeNumber('limits.inFlight', inFlight),
      perMinute: wholeNumber('limits.perMinute', perMinute),
      windowMs: milliseconds('limits.windowMs', windowMs),
    }
    const rules = { inFlight, perMinute, windowMs: windowMs + driftMs, leaseMs: milliseconds('lease', lease) }
    const part = (limit: number): number => Math.max(1, Math.floor(limit * localShare))
    const local = { inFlight: part(inFlight), perMinute: part(perMinute), share: localShare }
    const localLimits = onUnavailable === 'local' ? local : undefined
    this.#sync = new LimiterSync(options, organization, rules, this.limits, localLimits)
  }

  acquire(request: QueueRequest): Promise<Lease> {
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
