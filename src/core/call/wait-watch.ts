import { isTiedToRequests } from '../../lib/browser.ts'
import { dateIn } from '../../lib/time.ts'
import type { QueueRequest, QueueWait } from '../../limits/interface.ts'
import type { Wait } from '../options/types.ts'
import type { Call } from './call.ts'

/** Milliseconds between two checks why calls wait. */
const checkMs = 250

/** Milliseconds after which a silent program seems to hang. */
const longMs = 5000

/** Why a call waits, and for how long in milliseconds. */
type KnownWait = Pick<QueueWait, 'ms'> & Pick<Wait, 'reason'>

/** Why a call waits, for people. */
export const waitReasons: Record<Wait['reason'], string> = {
  slot: 'other requests are still running',
  pace: "this minute's requests are used up",
  rate_limited: 'the service asked to slow down',
  retry: 'the last attempt failed',
}

/** Tells observers and the log why the queued calls of a client wait. */
export class WaitWatch {
  /** The queued calls, with what they ask of the limiter. */
  readonly #queued: ReadonlyMap<Call, QueueRequest>
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Whether a long wait has been logged: with a full queue, each call has one. */
  #hasWarned = false
  /** In Cloudflare's workers, the timer would end with the incoming request that its first call belongs to. */
  readonly #isTied = isTiedToRequests()

  constructor(queued: ReadonlyMap<Call, QueueRequest>) {
    this.#queued = queued
  }

  /** Checks soon why a call waits, if it is still queued then. */
  start({ observer, settings }: Call): void {
    if ((observer || (settings.log && !this.#hasWarned)) && !this.#isTied)
      this.#timer ??= setTimeout(() => this.#check(), checkMs)
  }

  /** No call is queued any more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /**
   * Logs a wait of more than 5 seconds, once.
   *
   * @param wait Why the call waits; null if its limiter does not tell.
   * @param waitedMs Milliseconds for which it has waited.
   */
  warn(call: Call, wait: KnownWait | null, waitedMs = 0): void {
    const { id, surface } = call.operation
    const { log } = call.settings
    const { reason = null, ms = Infinity } = wait ?? {}
    const isLong = waitedMs >= longMs || (ms !== Infinity && ms > longMs)
    if (!isLong || log === undefined || this.#hasWarned) return
    this.#hasWarned = true
    const why = reason === null ? 'its limiter does not say why' : waitReasons[reason]
    const until = dateIn(ms)?.toISOString() ?? null
    log('warn', `a call waits for more than 5 seconds: ${why}`, { operation: id, surface, reason, until })
  }

  #check(): void {
    this.#timer = undefined
    const now = performance.now()
    const waits = new Map<string | null, QueueWait | null>()
    // A copy, since a callback may make another call.
    for (const [call, { surface, queuedAt }] of [...this.#queued]) {
      this.start(call)
      if (!waits.has(surface)) waits.set(surface, call.client.limiter.waitOf(surface))
      const wait = waits.get(surface) ?? null
      call.observer?.check(wait)
      this.warn(call, wait, now - queuedAt)
    }
  }
}
