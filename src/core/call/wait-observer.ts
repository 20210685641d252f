import { dateIn } from '../../lib/time.ts'
import type { QueueWait } from '../../limits/limiter.ts'
import type { CallSettings } from '../options/settings.ts'
import type { Wait } from '../options/types.ts'

/** Seconds in the queue after which the log warns. */
const longQueueSeconds = 30

/** Reports to the log and to `onWait` why one call waits. */
export class WaitObserver {
  /** Monotonic time at which the call joined the queue. */
  queuedAt = 0
  readonly #settings: CallSettings
  readonly #call: Pick<Wait, 'operation' | 'surface'>
  /** Reported waits: their ends by reason. */
  readonly #reported = new Map<Wait['reason'], number>()
  #isWarned = false

  constructor(settings: CallSettings, call: Pick<Wait, 'operation' | 'surface'>) {
    this.#settings = settings
    this.#call = call
  }

  /** Reports why the call is queued if the reason is new, or if a 429 closes the surface for longer. */
  check(wait: QueueWait | null): void {
    const seconds = Math.floor((performance.now() - this.queuedAt) / 1000)
    if (seconds >= longQueueSeconds && !this.#isWarned) {
      this.#isWarned = true
      this.#settings.log?.('warn', 'still queued', { ...this.#call, seconds })
    }
    if (wait === null) return
    const { reason, ms } = wait
    const reportedEnd = this.#reported.get(reason)
    const end = Date.now() + ms
    if (reportedEnd !== undefined && !(reason === 'rate_limited' && end > reportedEnd + 1000)) return
    this.#reported.set(reason, end)
    const until = dateIn(ms)?.toISOString() ?? null
    this.#settings.log?.('info', 'waiting', { ...this.#call, reason, until })
    this.report(reason, ms)
  }

  /** Reports to `onWait` that the call waits `ms` milliseconds. */
  report(reason: Wait['reason'], ms: number): void {
    const { log, onWait } = this.#settings
    // A failing `onWait` must not fail the call. It may return a promise, whose rejection must be handled.
    new Promise((resolve) => resolve(onWait?.({ ...this.#call, reason, until: dateIn(ms) }))).catch(
      (error: unknown) => {
        log?.('error', 'onWait failed', { operation: this.#call.operation, reason: String(error) })
      },
    )
  }
}
