import { dateIn } from '../lib/time.ts'
import type { QueueWait } from '../limits/limiter.ts'
import type { Settings } from '../options/settings.ts'
import type { Wait } from '../options/types.ts'

/** How long a call queues before the log warns, in seconds. */
const longQueueSeconds = 30

/** Tells the log and `onWait` why one call waits. */
export class WaitObserver {
  readonly #settings: Settings
  readonly #operation: string
  readonly #surface: string | null
  /** The ends of the waits that have been told, by reason. */
  readonly #told = new Map<Wait['reason'], number>()
  #isWarned = false

  constructor(settings: Settings, operation: string, surface: string | null) {
    this.#settings = settings
    this.#operation = operation
    this.#surface = surface
  }

  /** Tells what keeps the call queued where that is news: a further reason, or a closure that lasts longer. */
  look(wait: QueueWait | null, queuedMs: number): void {
    const call = { operation: this.#operation, surface: this.#surface }
    const seconds = Math.floor(queuedMs / 1000)
    if (seconds >= longQueueSeconds && !this.#isWarned) {
      this.#isWarned = true
      this.#settings.log?.('warn', 'still queued', { ...call, seconds })
    }
    if (wait === null) return
    const { reason, ms } = wait
    const told = this.#told.get(reason)
    const end = Date.now() + ms
    if (told !== undefined && !(reason === 'rate_limited' && end > told + 1000)) return
    this.#told.set(reason, end)
    const until = dateIn(ms)?.toISOString() ?? null
    this.#settings.log?.('info', 'waiting', { ...call, reason, until })
    this.tell(reason, ms)
  }

  /** Tells `onWait` that the call waits so many milliseconds. */
  tell(reason: Wait['reason'], ms: number): void {
    const until = dateIn(ms)
    try {
      this.#settings.onWait?.({ operation: this.#operation, surface: this.#surface, reason, until })
    } catch (error) {
      // The call must not fail because somebody who looks on did.
      this.#settings.log?.('error', 'onWait failed', { operation: this.#operation, reason: String(error) })
    }
  }
}
