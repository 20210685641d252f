// The queue of one surface. A call enters it, and gets its permission to send when it is the first, the pace of the surface allows a request,
// and a slot is free. It leaves early if its signal aborts, or if it would wait for too long: for the end of a 429, or beyond its deadline.

import { RateLimitError, TimeoutError } from '../errors/index.ts'
import { limitReached } from '../errors/words.ts'
import { isTiedToRequests } from '../lib/runtime.ts'
import { maxTimerMs } from '../lib/time.ts'
import type { Permit, RequestOutcome, QueueRequest, QueueWait } from './interface.ts'
import { type SentRequest, marginMs } from './surface-pace.ts'

/** What a queue asks of its limiter: when its surface allows a request, and for a slot, which all surfaces share. */
export interface Surface {
  /** Milliseconds until the surface opens after a 429. */
  closed(): number
  /** Milliseconds until a request may be sent; Infinity until {@link SurfaceQueue.wake}. */
  wait(): number
  /** Milliseconds until a request may be sent behind `ahead` further ones, if no other process sends any. */
  waitBehind(ahead: number): number
  /** Whether all slots are taken. */
  isFull(): boolean
  /** Resolves with the next slot. Never rejects. */
  take(): Promise<Slot>
}

/** One request in flight. */
export interface Slot {
  /** Called when a request gets the slot, and again when it is sent. */
  use(request: SentRequest): void
  /** Frees the slot, closes the surface after a 429, and wakes the queues. @param request Null if none used it. */
  release(request: SentRequest | null, outcome: RequestOutcome): void
}

/** Longest time that a 429 closes a surface, in milliseconds: the announced time may be wrong. */
const longestClosureMs = 86_400_000

/** A call that waits. It leaves when its signal aborts. */
export class QueuedCall implements EventListenerObject {
  readonly request: QueueRequest
  readonly grant: (permit: Permit) => void
  readonly refuse: (reason: unknown) => void
  /** `#pacedMs` of the queue when the call joined. */
  readonly pacedBefore: number
  readonly #queue: SurfaceQueue

  constructor(
    queue: SurfaceQueue,
    request: QueueRequest,
    grant: (permit: Permit) => void,
    refuse: (reason: unknown) => void,
    pacedBefore: number,
  ) {
    this.#queue = queue
    this.request = request
    this.grant = grant
    this.refuse = refuse
    this.pacedBefore = pacedBefore
    request.signal.addEventListener('abort', this)
  }

  stop(): void {
    this.request.signal.removeEventListener('abort', this)
  }

  handleEvent(): void {
    this.#queue.cancel(this, this.request.signal.reason)
  }
}

/**
 * The queue of one search surface. It takes a slot only when a call may send, so a closed surface never occupies a
 * slot.
 */
export class SurfaceQueue {
  readonly #surface: Surface
  /** In Cloudflare's workers, each call wakes in its own request. */
  readonly #isTied = isTiedToRequests()
  readonly #waiting = new PriorityQueue()
  /** How long calls have waited for the pace, in milliseconds. */
  #pacedMs = 0
  /** Start of the current wait for the pace. */
  #pacedSince: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTakingSlot = false

  constructor(surface: Surface) {
    this.#surface = surface
  }

  get length(): number {
    return this.#waiting.length
  }

  /** Waits for a permit, as {@link CallLimiter} does. */
  acquire(request: QueueRequest): Promise<Permit> {
    return new Promise((grant, refuse) => this.enter(request, grant, refuse))
  }

  /** Like `acquire()`, without a promise. */
  enter(
    request: QueueRequest,
    grant: (permit: Permit) => void,
    refuse: (reason: unknown) => void,
  ): QueuedCall {
    const now = performance.now()
    const pacedBefore = this.#pacedMs + (this.#pacedSince === undefined ? 0 : now - this.#pacedSince)
    const entry = new QueuedCall(this, request, grant, refuse, pacedBefore)
    this.#waiting.add(entry)
    if (request.signal.aborted) this.cancel(entry, request.signal.reason)
    this.#cancelIfClosed(entry)
    const { sendBy = Infinity } = request
    if (sendBy !== Infinity) {
      const ms = this.#surface.waitBehind(this.#waiting.before(entry))
      // Responses may come before the margin is over.
      if (ms - marginMs > sendBy - now) this.cancel(entry, wouldBeLate(ms))
    }
    // A call behind another one does not change when the next one goes.
    if (this.#waiting.first === entry || this.#pacedSince === undefined) this.wake()
    return entry
  }

  cancel(entry: QueuedCall, reason: unknown): void {
    if (this.#leave(entry)) entry.refuse(reason)
  }

  /** Refuses the calls that do not wait for so long as a 429 has closed the surface. */
  refuseIfClosed(): void {
    if (this.#surface.closed() > 0) for (const entry of this.#waiting.all()) this.#cancelIfClosed(entry)
  }

  /** Grants the next permit if it is due, or else sets a timer. */
  wake(): void {
    if (this.#waiting.first === undefined || this.#isTakingSlot) return
    this.#endPacedWait()
    const wait = this.#surface.wait()
    if (wait <= 0) {
      // In Cloudflare's workers, no call may wait for the end of another one's request.
      if (!(this.#isTied && this.#surface.isFull())) void this.#grantNext()
    } else if (wait !== Infinity) {
      this.#pacedSince = performance.now()
      if (!this.#isTied) this.#timer = setTimeout(() => this.wake(), Math.min(Math.ceil(wait), maxTimerMs))
    }
  }

  refuse(reason: unknown): void {
    for (const entry of this.#waiting.all()) this.cancel(entry, reason)
  }

  /** Why the next call would wait; null if it could go now. */
  waitOf(): QueueWait | null {
    const [closed, wait] = [this.#surface.closed(), this.#surface.wait()]
    if (closed > 0) return { reason: 'rate_limited', ms: closed }
    if (wait > 0 && wait !== Infinity) return { reason: 'pace', ms: wait }
    return wait === Infinity || this.#surface.isFull() ? { reason: 'slot', ms: Infinity } : null
  }

  #cancelIfClosed(entry: QueuedCall): void {
    const closed = this.#surface.closed()
    const { maxClosedWaitMs, sendBy = Infinity } = entry.request
    if (closed > Math.min(maxClosedWaitMs, Math.max(0, sendBy - performance.now())))
      this.cancel(entry, isClosed(closed))
  }

  async #grantNext(): Promise<void> {
    this.#isTakingSlot = true
    const slot = await this.#surface.take()
    this.#isTakingSlot = false
    // The first call may have left, or a call with a higher rank may have come, before the slot was free.
    const next = this.#waiting.first
    if (next && this.#surface.wait() <= 0) {
      this.#leave(next)
      const waited = performance.now() - next.request.queuedAt
      const paced = Math.max(0, Math.min(waited, this.#pacedMs - next.pacedBefore))
      next.grant(this.#permit(slot, Math.max(0, waited - paced), paced))
    } else slot.release(null, {})
    this.wake()
  }

  /** Permits a request from now on: it holds the slot, and counts, until it ends. */
  #permit(slot: Slot, queued: number, paced: number): Permit {
    const request = { at: performance.now(), answered: Infinity }
    let isEnded = false
    slot.use(request)
    return {
      queued,
      paced,
      sent: () => {
        request.at = performance.now()
        slot.use(request)
      },
      answered: () => {
        request.answered = performance.now()
      },
      end: ({ refusedForMs, unsent } = {}) => {
        if (isEnded) return
        isEnded = true
        const closedMs = refusedForMs && Math.min(refusedForMs, longestClosureMs)
        slot.release(request, { refusedForMs: closedMs, unsent })
        if (refusedForMs !== undefined) this.refuseIfClosed()
      },
    }
  }

  /** Whether the call was waiting. */
  #leave(entry: QueuedCall): boolean {
    if (!this.#waiting.delete(entry)) return false
    entry.stop()
    if (this.#waiting.first === undefined) this.#endPacedWait()
    return true
  }

  #endPacedWait(): void {
    if (this.#pacedSince === undefined) return
    clearTimeout(this.#timer)
    this.#pacedMs += performance.now() - this.#pacedSince
    this.#pacedSince = undefined
  }
}

// Why a call is refused, before the error knows the call. @param ms Until it could be sent.

function isClosed(ms: number): RateLimitError {
  return new RateLimitError({
    status: 429,
    code: 'rate_limited',
    message: limitReached,
    retryAfter: secondsOf(ms),
  })
}

function wouldBeLate(ms: number): TimeoutError {
  return new TimeoutError(limitReached, { phase: 'queue', retryAfter: secondsOf(ms) })
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** What decides who goes first: a higher priority, then a retry. */
type Rank = Pick<QueueRequest, 'priority' | 'isRetry'>

/** Calls in the order in which they go. Thousands may come or leave at once, so none searches more than the ranks. */
class PriorityQueue {
  /** Calls of one rank in the order in which they came, by rank; none is empty. */
  readonly #ranks: (Rank & { readonly entries: Set<QueuedCall> })[] = []

  get length(): number {
    return this.#lengthOf(Infinity)
  }

  get first(): QueuedCall | undefined {
    return this.#ranks[0]?.entries.values().next().value
  }

  /** All in their order. A copy: calls may leave while it is read. */
  all(): QueuedCall[] {
    return this.#ranks.flatMap(({ entries }) => [...entries])
  }

  /** Puts a call behind those that go before it. */
  add(entry: QueuedCall): void {
    const { priority, isRetry } = entry.request
    const index = this.#indexOf(entry.request)
    const rank = this.#ranks[index]
    if (rank?.priority === priority && rank.isRetry === isRetry) rank.entries.add(entry)
    else this.#ranks.splice(index, 0, { priority, isRetry, entries: new Set([entry]) })
  }

  /** How many calls go before one that has just been added. */
  before(entry: QueuedCall): number {
    return this.#lengthOf(this.#indexOf(entry.request) + 1) - 1
  }

  /** Whether the call was waiting. */
  delete(entry: QueuedCall): boolean {
    const index = this.#indexOf(entry.request)
    const rank = this.#ranks[index]
    if (rank?.entries.delete(entry) !== true) return false
    if (rank.entries.size === 0) this.#ranks.splice(index, 1)
    return true
  }

  #lengthOf(ranks: number): number {
    let length = 0
    for (const { entries } of this.#ranks.slice(0, ranks)) length += entries.size
    return length
  }

  /** The index of a rank, or where it would be. */
  #indexOf({ priority, isRetry }: Rank): number {
    const index = this.#ranks.findIndex((rank) =>
      rank.priority === priority ? isRetry || !rank.isRetry : rank.priority < priority,
    )
    return index === -1 ? this.#ranks.length : index
  }
}
