import { organizationLimits } from '../api/limits.ts'
import { ConfigurationError } from '../errors/index.ts'
import type { Limits } from './interface.ts'
import { LocalLimiter } from './local-limiter.ts'

/** Limiters by label, or hash of a key, and base URL. */
const byLabel = new Map<string, Pick<WeakRef<LocalLimiter>, 'deref'>>()
const byProvider = new WeakMap<object, Map<string, LocalLimiter>>()

/** The limits of each label or hash, kept for good: what is an error must not depend on when garbage is collected. */
const limitsByLabel = new Map<string, Limits>()

/**
 * Limiters whose requests the service may still count. They outlive their clients: a program that makes a client for
 * each job must count the requests of earlier jobs.
 */
const inUse = new Set<LocalLimiter>()
let sweptAt = 0

/**
 * The limiter of one organization in this process. It is dropped when no client has it and it has been idle for a
 * window.
 *
 * @param owner Identifies the organization: a label, the hash of a key, or the object that provides its tokens.
 * @throws {ConfigurationError} if another client of the organization had other limits.
 */
export function limiterOfProcess(
  owner: string | object,
  baseUrl: string,
  limits: Partial<Limits> = {},
): LocalLimiter {
  if (typeof owner === 'object') {
    const limiters = byProvider.get(owner) ?? new Map<string, LocalLimiter>()
    byProvider.set(owner, limiters)
    const limiter = limiters.get(baseUrl) ?? new LocalLimiter(limits, organizationLimits)
    limiters.set(baseUrl, limiter)
    assertSame(limiter.limits, limits)
    return limiter
  }
  forgetIdle()
  const key = `${owner} ${baseUrl}`
  const all = limitsByLabel.get(key) ?? allOf(limits)
  assertSame(all, limits)
  limitsByLabel.set(key, all)
  const known = byLabel.get(key)?.deref()
  if (known !== undefined) return known
  const limiter = new LocalLimiter(all, organizationLimits, inUse)
  // Some edge workers have no WeakRef; limiters then live as long as the worker.
  byLabel.set(key, typeof WeakRef === 'undefined' ? { deref: () => limiter } : new WeakRef(limiter))
  return limiter
}

/** With one object for all that have the documented limits. */
function allOf(limits: Partial<Limits>): Limits {
  return Object.keys(limits).length === 0 ? organizationLimits : { ...organizationLimits, ...limits }
}

function assertSame(known: Limits, limits: Partial<Limits>): void {
  for (const [name, own] of Object.entries(limits)) {
    const other = known[name as keyof Limits]
    if (other !== own)
      throw new ConfigurationError(
        `limits.${name} is ${other} in another client of this organization, got ${own}`,
      )
  }
}

/** Runs once a window, without a timer, which edge workers would tie to a request. */
function forgetIdle(): void {
  const now = performance.now()
  if (now - sweptAt < organizationLimits.windowMs) return
  sweptAt = now
  for (const limiter of inUse) if (limiter.isIdle) inUse.delete(limiter)
  for (const [key, limiter] of byLabel) if (limiter.deref() === undefined) byLabel.delete(key)
}
