import { dateIn } from '../../lib/time.ts'
import type { QueueWait } from '../../limits/limiter.ts'
import type { Settings } from '../options/settings.ts'
import type { Wait } from '../options/types.ts'

/** Seconds in the queue after which the log warns. */
const longQueueSeconds = 30

/** Reports to the log and to `onWait` why one call waits. */
export class WaitObserver {
  readonly #settings: Settings
  readonly #operation: string
  readonly #surface: string | null
  /** Reported waits: their ends by reason. */
  readonly #reported = new Map<Wait['reason'], number>()
  #isWarned = false

  constructor(settings: Settings, operation: string, surface: string | null) {
    this.#settings = settings
    this.#operation = operation
    this.#surface = surface
  }

  /** Reports why the call is queued if the reason is new, or if a 429 closes the surface for longer. */
  check(wait: QueueWait | null, queuedMs: number): void {
    const call = { operation: this.#operation, surface: this.#surface }
    const seconds = Math.floor(queuedMs / 1000)
    if (seconds >= longQueueSeconds && !this.#isWarned) {
      this.#isWarned = true
      this.#settings.log?.('warn', 'still queued', { ...call, seconds })
    }
    if (wait === null) return
    const { reason, ms } = wait
    const reportedEnd = this.#reported.get(reason)
    const end = Date.now() + ms
    if (reportedEnd !== undefined && !(reason === 'rate_limited' && end > reportedEnd + 1000)) return
    this.#reported.set(reason, end)
    const until = dateIn(ms)?.toISOString() ?? null
    this.#settings.log?.('info', 'waiting', { ...call, reason, until })
    this.report(reason, ms)
  }

  /** Reports to `onWait` that the call waits `ms` milliseconds. */
  report(reason: Wait['reason'], ms: number): void {
    const until = dateIn(ms)
    try {
      this.#settings.onWait?.({ operation: this.#operation, surface: this.#surface, reason, until })
    } catch (error) {
      // A failing `onWait` must not fail the call.
      this.#settings.log?.('error', 'onWait failed', { operation: this.#operation, reason: String(error) })
    }
  }
}
