import type { Surface } from '../contract/operation.ts'
import type { Settings } from './options.ts'

/** Keeps the limits of the organization: requests open at once, and requests per window on each surface. */
export interface Gate {
  /** Counts a request as open until the returned function is first called. */
  enter(request: Request): () => void
  /** How many requests are open. */
  open(): number
  /** Counts a request towards its surface, and returns null; or the seconds until one is welcome again. */
  admit(surface: Surface | null): number | null
}

export function createGate(limits: Settings['limits']): Gate {
  // Holds the requests themselves: once nobody refers to a Request, aborting it no longer reaches its signal,
  // and the place of a stalled one would never be free again.
  const places = new Set<{ readonly request: Request }>()
  const arrivals = new Map<Surface, number[]>()

  function pace(surface: Surface, max: number): number | null {
    const now = performance.now()
    const log = (arrivals.get(surface) ?? []).filter((at) => now - at < limits.windowMs)
    arrivals.set(surface, log)
    // The request that must leave the window before there are fewer than the maximum in it.
    const blocker = log.at(-max)
    const isFull = log.length >= max && blocker !== undefined
    if (!isFull || limits.countRejected) log.push(now)
    return isFull ? Math.max(1, Math.ceil((blocker + limits.windowMs - now) / 1000)) : null
  }

  return {
    enter(request) {
      const place = { request }
      places.add(place)
      return () => void places.delete(place)
    },
    open: () => places.size,
    admit(surface) {
      const isCrowded = limits.inFlight !== false && places.size > limits.inFlight
      const isPaced = surface !== null && limits.perMinute !== false
      if (isCrowded) {
        if (isPaced && limits.countRejected) pace(surface, limits.perMinute)
        return 1
      }
      return isPaced ? pace(surface, limits.perMinute) : null
    },
  }
}
