import { ClosedError } from '../../errors/index.ts'
import { dateIn } from '../../lib/time.ts'
import type { CallLimiter, Lease, LeaseOutcome, QueueRequest } from '../../limits/interface.ts'
import type { Wait } from '../options/observer.ts'
import type { Call } from './call.ts'
import { Ended } from './cancellation.ts'
import { WaitWatch } from './wait-watch.ts'

const closed = new Ended('closed', (context) => new ClosedError('client', context))

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

/** The open calls of a client and of the clients made from it with `withOptions`. */
export class OpenCalls {
  readonly #calls = new Set<Call>()
  /** With what they ask of the limiter. */
  readonly #queued = new Map<Call, QueueRequest>()
  /** Tells why the queued calls wait. */
  readonly watch = new WaitWatch(this.#queued)
  #inFlight = 0
  /** Every surface that calls have queued for. */
  readonly #surfaces = new Set<string | null>()
  readonly #onIdle: (() => void)[] = []
  #isClosed = false
  #closing: AbortController | undefined

  /** Adds a call until it has ended, or ends it if the client is closed. */
  add(call: Call): void {
    this.#calls.add(call)
    if (this.#isClosed) call.cancellation.abort(closed)
  }

  delete(call: Call): void {
    this.#unqueue(call)
    this.#calls.delete(call)
    call.cancellation.stop()
    if (this.#calls.size === 0) this.#onIdle.forEach((resolve) => resolve())
  }

  queue(call: Call, request: QueueRequest): void {
    this.#queued.set(call, request)
    this.#surfaces.add(request.surface)
    this.watch.start(call)
  }

  /** A queued call has its lease now, until {@link end}. */
  take(call: Call): void {
    this.#unqueue(call)
    this.#inFlight++
  }

  end(lease: Lease, outcome: LeaseOutcome): void {
    this.#inFlight--
    lease.end(outcome)
  }

  #unqueue(call: Call): void {
    if (this.#queued.delete(call) && this.#queued.size === 0) this.watch.stop()
  }

  status(limiter: CallLimiter): ClientStatus {
    const queued = [...this.#queued.values()]
    const surfaces = [...this.#surfaces].map((surface) => {
      const { reason, ms } = limiter.waitOf(surface) ?? { reason: null, ms: 0 }
      return {
        surface,
        waiting: queued.filter((each) => each.surface === surface).length,
        wait: reason && { reason, until: dateIn(ms) },
      }
    })
    return { slots: { taken: this.#inFlight, limit: limiter.limits.inFlight }, surfaces }
  }

  /** Aborts when the client is closed. Workers refuse to make it at construction. */
  get closing(): AbortSignal {
    this.#closing ??= new AbortController()
    if (this.#isClosed) this.#closing.abort(new ClosedError())
    return this.#closing.signal
  }

  /** Aborts all open and future calls; resolves when all have settled. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#closing?.abort(new ClosedError())
    for (const { cancellation } of this.#calls) cancellation.abort(closed)
    if (this.#calls.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }
}
