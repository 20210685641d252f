import { ClosedError } from '../../errors/index.ts'
import { isTiedToRequests } from '../../lib/browser.ts'
import { dateIn } from '../../lib/time.ts'
import type { CallLimiter, Lease, QueueRequest, QueueWait } from '../../limits/interface.ts'
import type { Wait } from '../options/types.ts'
import type { Call } from './call.ts'
import { Ended } from './cancellation.ts'

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

const closed = new Ended('closed', (context) => new ClosedError('client', context))

// No interface: it would have to be exported, since declarations of users that infer it would name it.
/** Requests in flight and queued calls of a client and of the clients made from it with `withOptions`. */
export type ClientStatus = {
  /** Requests in flight, and their limit. */
  slots: { taken: number; limit: number }
  /** The queue of every surface called so far; that of `null` has the calls without a surface. */
  surfaces: {
    surface: string | null
    /** Queued calls. */
    queued: number
    /** Why and until when a new call would wait; null if it would not, or if that is unknown. */
    wait: { reason: Exclude<Wait['reason'], 'retry'>; until: Date | null } | null
  }[]
}

/** The open calls of a client and of the clients made from it with `withOptions`. */
export class OpenCalls {
  #inFlight = 0
  /** With what they ask of the limiter while they queue. */
  readonly #calls = new Map<Call, QueueRequest | undefined>()
  #queued = 0
  /** Every surface that calls have queued for. */
  readonly #surfaces = new Set<string | null>()
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #onIdle: (() => void)[] = []
  #isClosed = false
  /** Whether a long wait has been logged: with a full queue, each call has one. */
  #hasWarned = false
  /** In Cloudflare's workers, the timer would end with the incoming request that its first call belongs to. */
  readonly #isTied = isTiedToRequests()

  /** Adds a call until it has ended, or ends it if the client is closed. */
  add(call: Call): void {
    this.#calls.set(call, undefined)
    if (this.#isClosed) call.cancellation.abort(closed)
  }

  delete(call: Call): void {
    this.#unqueue(call)
    this.#calls.delete(call)
    call.cancellation.close()
    if (this.#calls.size === 0) this.#onIdle.forEach((resolve) => resolve())
  }

  queue(call: Call, request: QueueRequest): void {
    this.#queued++
    this.#calls.set(call, request)
    this.#surfaces.add(request.surface)
    this.#watch(call)
  }

  /** A queued call has its lease now, until {@link end}. */
  take(call: Call): void {
    this.#unqueue(call)
    this.#inFlight++
  }

  /** @param refusedForMs How long a 429 closes the surface; null if it was none. */
  end(lease: Lease, refusedForMs: number | null = null): void {
    this.#inFlight--
    lease.end(refusedForMs === null ? {} : { refusedForMs })
  }

  #unqueue(call: Call): void {
    if (this.#calls.get(call) === undefined) return
    this.#queued--
    this.#calls.set(call, undefined)
    if (this.#queued > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  status(limiter: CallLimiter): ClientStatus {
    const queued = [...this.#calls.values()].filter((request) => request !== undefined)
    const surfaces = [...this.#surfaces].map((surface) => {
      const { reason, ms } = limiter.waitOf(surface) ?? { reason: null, ms: 0 }
      return {
        surface,
        queued: queued.filter((each) => each.surface === surface).length,
        wait: reason && { reason, until: dateIn(ms) },
      }
    })
    return { slots: { taken: this.#inFlight, limit: limiter.limits.inFlight }, surfaces }
  }

  /** Aborts all open and future calls; resolves when all have settled. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { cancellation } of this.#calls.keys()) cancellation.abort(closed)
    if (this.#calls.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  /**
   * Logs a wait of more than 5 seconds, once.
   *
   * @param wait Why the call waits; null if its limiter does not tell.
   * @param queuedMs Milliseconds for which it has waited.
   */
  warnOfWait(call: Call, wait: KnownWait | null, queuedMs = 0): void {
    const { id, surface } = call.operation
    const { log } = call.settings
    const { reason = null, ms = Infinity } = wait ?? {}
    const isLong = queuedMs >= longMs || (ms !== Infinity && ms > longMs)
    if (!isLong || log === undefined || this.#hasWarned) return
    this.#hasWarned = true
    const why = reason === null ? 'its limiter does not say why' : waitReasons[reason]
    const until = dateIn(ms)?.toISOString() ?? null
    log('warn', `a call waits for more than 5 seconds: ${why}`, { operation: id, surface, reason, until })
  }

  /** Checks soon why a call waits, if it is still queued then. */
  #watch({ observer, settings }: Call): void {
    if ((observer || (settings.log && !this.#hasWarned)) && !this.#isTied)
      this.#timer ??= setTimeout(() => this.#check(), checkMs)
  }

  #check(): void {
    this.#timer = undefined
    const now = performance.now()
    const waits = new Map<string | null, QueueWait | null>()
    // A copy, since a callback may make another call.
    for (const [call, request] of [...this.#calls]) {
      if (request === undefined) continue
      const { surface, queuedAt } = request
      this.#watch(call)
      if (!waits.has(surface)) waits.set(surface, call.client.limiter.waitOf(surface))
      const wait = waits.get(surface) ?? null
      call.observer?.check(wait)
      this.warnOfWait(call, wait, now - queuedAt)
    }
  }
}
