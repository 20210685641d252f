import { organizationLimits } from '../../contract/limits.ts'
import { LocalLimiter } from './local-limiter.ts'

/** Limiters by label, or hash of a key, and base URL. */
const byLabel = new Map<string, Pick<WeakRef<LocalLimiter>, 'deref'>>()
const byProvider = new WeakMap<object, Map<string, LocalLimiter>>()

/**
 * Limiters with sends that the service may still count. They outlive their clients, since the service counts a minute of
 * requests from any client: a client that is made anew for each job must find what its predecessor sent.
 */
const inUse = new Set<LocalLimiter>()
let sweptAt = 0

/**
 * The limiter of one organization in this process. It is forgotten when no client has it and it has been idle for a window.
 *
 * @param owner What stands for the organization: a label, the hash of a key, or the object that provides its tokens.
 */
export function sharedLimiter(owner: string | object, baseUrl: string): LocalLimiter {
  if (typeof owner === 'object') {
    const limiters = byProvider.get(owner) ?? new Map<string, LocalLimiter>()
    byProvider.set(owner, limiters)
    const limiter = limiters.get(baseUrl) ?? new LocalLimiter()
    limiters.set(baseUrl, limiter)
    return limiter
  }
  forgetIdle()
  const key = `${owner} ${baseUrl}`
  const known = byLabel.get(key)?.deref()
  if (known !== undefined) return known
  const limiter = new LocalLimiter({}, inUse)
  // Some edge workers have no WeakRef; limiters stay there as long as the worker does.
  byLabel.set(key, typeof WeakRef === 'undefined' ? { deref: () => limiter } : new WeakRef(limiter))
  return limiter
}

/** Once a window, without a timer, which edge workers would tie to a request. */
function forgetIdle(): void {
  const now = performance.now()
  if (now - sweptAt < organizationLimits.windowMs) return
  sweptAt = now
  for (const limiter of inUse) if (limiter.isIdle) inUse.delete(limiter)
  for (const [key, limiter] of byLabel) if (limiter.deref() === undefined) byLabel.delete(key)
}
