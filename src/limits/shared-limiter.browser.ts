import { LocalLimiter } from './local-limiter.ts'

/** A page is soon left, so its limiters are kept as long as it. */
const limiters = new Map<string | object, Map<string, LocalLimiter>>()

/** {@link import('./shared-limiter.ts').sharedLimiter} */
export function sharedLimiter(owner: string | object, baseUrl: string): LocalLimiter {
  const byUrl = limiters.get(owner) ?? new Map<string, LocalLimiter>()
  const limiter = byUrl.get(baseUrl) ?? new LocalLimiter()
  limiters.set(owner, byUrl.set(baseUrl, limiter))
  return limiter
}
