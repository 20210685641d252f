import type { Surface } from '../api/operation.ts'
import type { Settings } from './options.ts'

/** Enforces the organization's limits: requests in flight, and requests per window on each surface. */
export interface RateLimits {
  /** Counts a request as open until the returned function is called. */
  enter(request: Request): () => void
  /** How many requests are open. */
  openCount(): number
  /** Counts a request towards its surface. Returns null if it is accepted, or the seconds until a retry. */
  admit(surface: Surface | null): number | null
}

export function createRateLimits(limits: Settings['limits']): RateLimits {
  // Keep the requests themselves: aborting a Request that was garbage-collected does not reach its signal, so a
  // stalled one would stay open forever.
  const openRequests = new Set<{ readonly request: Request }>()
  const arrivals = new Map<Surface, number[]>()

  function pace(surface: Surface, max: number): number | null {
    const now = performance.now()
    const log = (arrivals.get(surface) ?? []).filter((at) => now - at < limits.windowMs)
    arrivals.set(surface, log)
    // The window is full until this request leaves it.
    const blocker = log.at(-max)
    const isFull = log.length >= max && blocker !== undefined
    if (!isFull || limits.countRejected) log.push(now)
    return isFull ? Math.max(1, Math.ceil((blocker + limits.windowMs - now) / 1000)) : null
  }

  return {
    enter(request) {
      const entry = { request }
      openRequests.add(entry)
      return () => void openRequests.delete(entry)
    },
    openCount: () => openRequests.size,
    admit(surface) {
      const isCrowded = limits.inFlight !== false && openRequests.size > limits.inFlight
      const isPaced = surface !== null && limits.perMinute !== false
      if (isCrowded) {
        if (isPaced && limits.countRejected) pace(surface, limits.perMinute)
        return 1
      }
      return isPaced ? pace(surface, limits.perMinute) : null
    },
  }
}
