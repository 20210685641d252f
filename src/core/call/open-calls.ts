// Which calls of a client are open: those in the queue, why they wait, and how many requests are in flight. `close()` of a client ends them.

import { ClosedError } from '../../errors/index.ts'
import { dateIn } from '../../lib/time.ts'
import type { CallLimiter, Permit, RequestOutcome, QueueRequest, QueueWait } from '../../limits/interface.ts'
import type { Wait } from '../options/observer.ts'
import type { Call } from './call.ts'
import { isTiedToRequests } from '../../lib/runtime.ts'
import { runUserCallback } from '../../lib/thrown.ts'

// No interface: it would have to be exported, since declarations of users that infer it would name it.
/** Requests in flight and queued calls of a client and of the clients made from it with `withOptions`. */
export type ClientStatus = {
  /** Requests in flight, and their limit. */
  slots: { taken: number; limit: number }
  /** The queue of every surface called so far; that of `null` has the calls without a surface. */
  surfaces: {
    surface: string | null
    /** Calls in the queue. */
    waiting: number
    /** Why and until when a new call would wait; null if it would not, or if that is unknown. */
    wait: { reason: Exclude<Wait['reason'], 'retry'>; until: Date | null } | null
  }[]
}

/** Milliseconds between two checks why calls wait. */
const checkMs = 250

/** Milliseconds after which a silent program seems to hang. */
const longMs = 5000

/** Why a call waits, and for how long in milliseconds. */
type KnownWait = Pick<QueueWait, 'ms'> & Pick<Wait, 'reason'>

type Waits = Map<string | null, QueueWait | null>

/** Why a call waits, for people. */
export const waitReasons: Record<Wait['reason'], string> = {
  slot: 'other requests are running',
  pace: "this minute's requests are used up",
  rate_limited: 'the service asked to slow down',
  retry: 'the last attempt failed',
}

/** The open calls of a client and of the clients made from it with `withOptions`. */
export class OpenCalls {
  /** With what the queued ones ask of the limiter. One map: V8 keeps what each change of its size leaves for long. */
  readonly #calls = new Map<Call, QueueRequest | undefined>()
  #queued = 0
  #inFlight = 0
  /** Every surface that calls have queued for. */
  readonly #surfaces = new Set<string | null>()
  readonly #onIdle: (() => void)[] = []
  /** Once the client is closed: what ends its calls. */
  #closed: ClosedError | undefined
  #closing: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The next check why calls wait, for all that are queued before it. */
  #nextCheck: Promise<Waits> | undefined
  /** Whether a long wait has been logged: with a full queue, each call has one. */
  #hasWarned = false
  /** In Cloudflare's workers, the timer would end with the incoming request that its first call belongs to. */
  readonly #isTied = isTiedToRequests()

  /** Adds a call until it has ended, or ends it if the client is closed. */
  add(call: Call): void {
    this.#calls.set(call, undefined)
    if (this.#closed) call.cancellation.abort(this.#closed)
  }

  delete(call: Call): void {
    this.#unqueue(call)
    this.#calls.delete(call)
    call.cancellation.stop()
    this.#checkIdle()
  }

  queue(call: Call, request: QueueRequest): void {
    this.#calls.set(call, request)
    this.#queued++
    this.#surfaces.add(request.surface)
    this.#reportSoon(call)
  }

  /** A queued call has its permit now, until {@link end}. */
  take(call: Call): void {
    this.#unqueue(call)
    this.#inFlight++
  }

  end(permit: Permit, outcome: RequestOutcome): void {
    this.#inFlight--
    // A limiter of the user must not lose an answer.
    runUserCallback(() => permit.end(outcome))
    this.#checkIdle()
  }

  get #isIdle(): boolean {
    return this.#calls.size === 0 && this.#inFlight === 0
  }

  #checkIdle(): void {
    if (this.#isIdle) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  #unqueue(call: Call): void {
    if (this.#calls.get(call) === undefined) return
    this.#calls.set(call, undefined)
    if (--this.#queued > 0) return
    clearTimeout(this.#timer)
    this.#nextCheck = undefined
  }

  /** Tells observers and the log soon why a call waits, if it is still queued then. */
  #reportSoon(call: Call): void {
    const { observer, settings } = call
    if (this.#isTied || !(observer || (settings.logger && !this.#hasWarned))) return
    this.#nextCheck ??= new Promise((resolve) => {
      this.#timer = setTimeout(() => {
        this.#nextCheck = undefined
        resolve(new Map())
      }, checkMs)
    })
    // What follows a promise runs in the async context that asked for it: that of the call, as everything else of the user does.
    void this.#nextCheck.then((waits) => this.#report(call, waits))
  }

  /** @param waits Of surfaces, as known to this check. */
  #report(call: Call, waits: Waits): void {
    const request = this.#calls.get(call)
    if (request === undefined) return
    const { surface, queuedAt } = request
    this.#reportSoon(call)
    if (!waits.has(surface)) waits.set(surface, call.client.limiter.waitOf(surface))
    const wait = waits.get(surface) ?? null
    call.observer?.queued(wait)
    this.warn(call, wait, performance.now() - queuedAt)
  }

  /**
   * Logs a wait of more than 5 seconds, once.
   *
   * @param wait Why the call waits; null if its limiter does not tell.
   * @param waitedMs Milliseconds for which it has waited.
   */
  warn(call: Call, wait: KnownWait | null, waitedMs = 0): void {
    const { id, surface } = call.operation
    const { logger: log } = call.settings
    const { reason = null, ms = Infinity } = wait ?? {}
    const isLong = waitedMs >= longMs || (ms !== Infinity && ms > longMs)
    if (!isLong || log === undefined || this.#hasWarned) return
    this.#hasWarned = true
    const why = reason === null ? 'unknown' : waitReasons[reason]
    const until = dateIn(ms)?.toISOString() ?? null
    log('warn', `a call waits for more than 5 seconds: ${why}`, { operation: id, surface, reason, until })
  }

  status(limiter: CallLimiter): ClientStatus {
    const queued = [...this.#calls.values()]
    const surfaces = [...this.#surfaces].map((surface) => {
      const { reason, ms } = limiter.waitOf(surface) ?? { reason: null, ms: 0 }
      return {
        surface,
        waiting: queued.filter((each) => each?.surface === surface).length,
        wait: reason && { reason, until: dateIn(ms) },
      }
    })
    return { slots: { taken: this.#inFlight, limit: limiter.limits.inFlight }, surfaces }
  }

  /** Aborts when the client is closed. Workers refuse to make it at construction. */
  get closing(): AbortSignal {
    this.#closing ??= new AbortController()
    if (this.#closed) this.#closing.abort(this.#closed)
    return this.#closing.signal
  }

  /** Aborts all open and future calls; resolves when all have settled, and have given back their slots. */
  async close(): Promise<void> {
    this.#closed ??= new ClosedError()
    this.#closing?.abort(this.#closed)
    for (const { cancellation } of this.#calls.keys()) cancellation.abort(this.#closed)
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }
}
