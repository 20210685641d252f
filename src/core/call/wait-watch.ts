import { isTiedToRequests } from '../../lib/cloudflare-workers.ts'
import { dateIn } from '../../lib/time.ts'
import type { QueueRequest, QueueWait } from '../../limits/interface.ts'
import type { Wait } from '../options/observer.ts'
import type { Call } from './call.ts'

/** Milliseconds between two checks why calls wait. */
const checkMs = 250

/** Milliseconds after which a silent program seems to hang. */
const longMs = 5000

/** Why a call waits, and for how long in milliseconds. */
type KnownWait = Pick<QueueWait, 'ms'> & Pick<Wait, 'reason'>

type Waits = Map<string | null, QueueWait | null>

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
  /** Ends the wait of each of them for the next check. */
  readonly #watched = new Map<Call, (waits: Waits) => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Whether a long wait has been logged: with a full queue, each call has one. */
  #hasWarned = false
  /** In Cloudflare's workers, the timer would end with the incoming request that its first call belongs to. */
  readonly #isTied = isTiedToRequests()

  constructor(queued: ReadonlyMap<Call, QueueRequest>) {
    this.#queued = queued
  }

  /** Checks soon why a call waits, if it is still queued then. */
  start(call: Call): void {
    const { observer, settings } = call
    if (this.#isTied || !(observer || (settings.log && !this.#hasWarned))) return
    this.#timer ??= setTimeout(() => this.#check(), checkMs)
    // What follows a promise runs in the async context that asked for it: that of the call, as everything else of the user does.
    const next = new Promise<Waits>((resolve) => this.#watched.set(call, resolve))
    void next.then((waits) => this.#tell(call, waits))
  }

  /** No call is queued any more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#watched.clear()
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
    const watched = [...this.#watched.values()]
    this.#watched.clear()
    const waits: Waits = new Map()
    for (const resolve of watched) resolve(waits)
  }

  /** @param waits Of surfaces, as known to this check. */
  #tell(call: Call, waits: Waits): void {
    const request = this.#queued.get(call)
    if (request === undefined) return
    const { surface, queuedAt } = request
    this.start(call)
    if (!waits.has(surface)) waits.set(surface, call.client.limiter.waitOf(surface))
    const wait = waits.get(surface) ?? null
    call.observer?.check(wait)
    this.warn(call, wait, performance.now() - queuedAt)
  }
}
