import type { Settings } from './options.ts'

/** Enforces the organization's limits: requests in flight, and requests per window on each surface. */
export class RateLimits {
  readonly #limits: Settings['limits']
  // Keep the requests themselves: aborting a Request that was garbage-collected does not reach its signal, so a
  // stalled one would stay open forever.
  readonly #open = new Set<{ readonly request: Request }>()
  readonly #arrivals = new Map<string, number[]>()

  constructor(limits: Settings['limits']) {
    this.#limits = limits
  }

  /** How many requests are open. */
  get openCount(): number {
    return this.#open.size
  }

  /** Counts a request as open until the returned function is called. */
  enter(request: Request): () => void {
    const entry = { request }
    this.#open.add(entry)
    return () => void this.#open.delete(entry)
  }

  /** Counts a request towards its surface. Returns null if it is accepted, or the seconds until a retry. */
  admit(surface: string | null): number | null {
    const { inFlight, perMinute, windowMs } = this.#limits
    if (inFlight !== false && this.openCount > inFlight) return 1
    if (surface === null || perMinute === false) return null
    const now = performance.now()
    const log = (this.#arrivals.get(surface) ?? []).filter((at) => now - at < windowMs)
    this.#arrivals.set(surface, log)
    // The window is full until this request leaves it.
    const blocker = log.at(-perMinute)
    if (blocker !== undefined) return Math.max(1, Math.ceil((blocker + windowMs - now) / 1000))
    log.push(now)
    return null
  }
}
