// Which limiter a client uses without one of its own: all clients of a process that call for one organization share one.

import { organizationLimits } from '../api/limits.ts'
import { assertOptions, wholeNumber } from '../errors/check-options.ts'
import { ConfigurationError } from '../errors/index.ts'
import { ofProcess } from '../lib/runtime.ts'
import type { CallLimiter, Limits } from './interface.ts'
import { LocalLimiter } from './local-limiter.ts'

/** How much of the organization's rate limits a client may use. */
export interface LimitOptions {
  /** Requests in flight, 1 or 2. Default: 2; with a `limiter`, its limit. */
  inFlight?: number | undefined
  /**
   * Requests a minute for each search surface; false for no limit. Default: 20; with a `limiter`, its limit. Set less if
   * another program uses the organization's limits, and more if your organization has higher ones.
   */
  perMinute?: number | false | undefined
  /**
   * Which search surface an operation counts toward, by id (`microblog.search`); null for none. By default, each network
   * is one, because the service does not define its surfaces.
   */
  surfaces?: Readonly<Record<string, string | null>> | undefined
}

/** The limits that the user has set. @throws {ConfigurationError} */
export function limitsOf(limits: LimitOptions): Partial<Limits> {
  assertOptions(limits, { inFlight: true, perMinute: true, surfaces: true }, 'limits')
  const { inFlight, perMinute } = limits
  return {
    ...(inFlight !== undefined && {
      inFlight: wholeNumber('limits.inFlight', inFlight, organizationLimits.inFlight),
    }),
    ...(perMinute !== undefined && {
      perMinute: perMinute === false ? Infinity : wholeNumber('limits.perMinute', perMinute),
    }),
  }
}

/** All limiters of this process. They outlive their clients: a program may make a client for each job. What they count does not. */
interface Limiters {
  /** By label, or hash of a key, and base URL. */
  readonly byLabel: Map<string, LocalLimiter>
  readonly byProvider: WeakMap<object, Map<string, LocalLimiter>>
  sweptAt: number
}

const limitersOfProcess = (): Limiters =>
  ofProcess('limiters 1', () => ({ byLabel: new Map(), byProvider: new WeakMap(), sweptAt: 0 }))

/**
 * The limiter of one organization in this process.
 *
 * @param owner Identifies the organization: a label, the hash of a key, or the object that provides its tokens.
 * @throws {ConfigurationError} if another client of the organization had other limits.
 */
export function limiterOfProcess(
  owner: string | object,
  baseUrl: string,
  limits: Partial<Limits> = {},
): CallLimiter {
  const limiters = limitersOfProcess()
  const { byLabel, byProvider } = limiters
  forgetIdle(limiters)
  const isLabel = typeof owner === 'string'
  const all = isLabel ? byLabel : (byProvider.get(owner) ?? new Map<string, LocalLimiter>())
  if (!isLabel) byProvider.set(owner, all)
  const key = isLabel ? `${owner} ${baseUrl}` : baseUrl
  const own = Object.keys(limits).length === 0 ? organizationLimits : { ...organizationLimits, ...limits }
  const limiter = all.get(key) ?? new LocalLimiter(own, organizationLimits)
  for (const name of Object.keys(limits) as (keyof Limits)[]) {
    const other = limiter.limits[name]
    if (other !== own[name])
      throw new ConfigurationError(
        `limits.${name} is ${other} in another client of this organization, got ${own[name]}`,
      )
  }
  all.set(key, limiter)
  return limiter
}

/** Runs once a window, without a timer, which edge workers would tie to a request. */
function forgetIdle(limiters: Limiters): void {
  const now = performance.now()
  if (now - limiters.sweptAt < organizationLimits.windowMs) return
  limiters.sweptAt = now
  for (const limiter of limiters.byLabel.values()) limiter.forgetIfIdle()
}
