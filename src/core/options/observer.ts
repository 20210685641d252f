import type { Applied, Attempt, Charged } from '../../errors/index.ts'

/** A call, as an observer sees it. */
export interface ObservedStart {
  /** The same in all events of a call. */
  id: number
  /** The operation, such as `microblog.search`. */
  operation: string
  /** The search surface; null for a call without one. */
  surface: string | null
}

/** A call that waits. */
export interface Wait extends ObservedStart {
  /**
   * `slot`: both requests in flight are taken. `pace`: this minute's requests are used up. `rate_limited`: the service
   * answered 429. `retry`: an attempt failed, and the next one must wait.
   */
  reason: 'slot' | 'pace' | 'rate_limited' | 'retry'
  /** When the wait should end; null if unknown. Calls ahead in the queue may delay it. */
  until: Date | null
}

/** An answer that came from the cache, or from an equal call. */
export interface Cached {
  /** When the answer arrived from the service. */
  readonly at: Date
  /** Milliseconds since then. */
  readonly age: number
  /** Credits that you did not pay again. */
  readonly saved: number
}

/** An attempt that ended. Times are milliseconds. */
export interface ObservedAttempt extends ObservedStart, Attempt {
  /** What it cost. */
  credits: { spent: number; uncertain: number }
}

/** A call that ended. Times are milliseconds. */
export interface ObservedCall extends ObservedStart {
  /** `ok`, the code of the error, or `aborted`. */
  outcome: string
  charged: Charged
  /** Of a failed write: whether it changed data. */
  applied: Applied | undefined
  /** The timeline: `queued`, `paced`, `waited`, `status` and more of each attempt. */
  attempts: readonly Attempt[]
  /** Of the whole call. */
  duration: number
  requestId: string | undefined
  credits: { spent: number; uncertain: number }
  /** Set if the answer came from the cache, or from an equal call. */
  cached: Cached | undefined
}

/** Sees what calls do and cost, never a credential or params. If it throws, the error is logged and the call goes on. */
export interface Observer {
  /**
   * Called when a call has waited for a quarter of a second, and when the reason changes. In Cloudflare Workers, only
   * retries call it.
   */
  onWait?(wait: Wait): void
  /** Called when an attempt ends. */
  onAttempt?(attempt: ObservedAttempt): void
  /** Called when a call ends. */
  onCall?(call: ObservedCall): void
}
