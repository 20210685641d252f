// What every limiter does: that of a process (`local-limiter.ts`), and those that share a store (`extensions/shared`). Before each attempt, a
// call asks it for a permit. The permit holds one of the slots, the requests in flight, and counts toward the rate limit of its surface, the
// searches that share one. After a 429, its surface is closed for the announced time.

/** What a call asks of a limiter before each attempt. Times are monotonic. */
export interface QueueRequest {
  /** The search surface; null if only the requests in flight count. */
  readonly surface: string | null
  /** Calls with a higher priority go first. */
  readonly priority: number
  /** Whether this is a retry; retries go before first attempts of the same priority. */
  readonly isRetry: boolean
  /** Longest wait for a closed surface, in milliseconds; if it stays closed for longer, it rejects at once. */
  readonly maxClosedWaitMs: number
  /** When the request must be sent. If the limiter knows that it will be later, it rejects at once. Default: any time. */
  readonly sendBy?: number | undefined
  readonly queuedAt: number
  readonly signal: AbortSignal
}

/** How a request ended, as far as limits are concerned. */
export interface RequestOutcome {
  /** After a 429: the milliseconds from now for which the surface is closed, at most a day. */
  readonly refusedForMs?: number | undefined
  /** Whether the request was never sent, or is proven not to have left: then it does not count toward the rate limit. */
  readonly unsent?: boolean | undefined
}

/** Permission to send one request now. */
export interface Permit {
  /** Time spent waiting for a slot, in milliseconds. */
  readonly queued: number
  /** Time spent waiting for the surface to open, in milliseconds. */
  readonly paced: number
  /** Call it right before you send the request. Until then, the time of the grant counts as the send time. */
  sent(): void
  answered(): void
  /** Frees the slot. Call it when the body has been read, or the request has failed. */
  end(outcome?: RequestOutcome): void
}

/** Keeps all clients that share it within the organization's limits. */
export interface CallLimiter {
  /** The limits of the process; Infinity for no limit. */
  readonly limits: Limits
  /**
   * Waits for a slot and for the surface. Rejects with the signal's reason, or if the wait would be too long: with a `RateLimitError` if a
   * 429 keeps the surface closed, and with a `TimeoutError` if the requests sent and those ahead last beyond `sendBy`.
   */
  acquire(request: QueueRequest): Promise<Permit>
  /** Why the next call would wait at a surface; null if it could go now. */
  waitOf(surface: string | null): QueueWait | null
}

/** The limits of an organization. */
export interface Limits {
  /** Requests that may be in flight. */
  readonly inFlight: number
  /** Requests that each surface accepts in the window. */
  readonly perMinute: number
  /** Length of the window, in milliseconds. */
  readonly windowMs: number
}

/** Why the next call of a surface waits. */
export interface QueueWait {
  /** `slot`: all slots are taken. `pace`: the minute is used up. `rate_limited`: a 429 closed the surface. */
  readonly reason: 'slot' | 'pace' | 'rate_limited'
  /** Milliseconds until it ends; Infinity if unknown. */
  readonly ms: number
}
