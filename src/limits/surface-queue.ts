import { isTiedToRequests } from '../lib/runtime.ts'
import { maxTimerMs } from '../lib/time.ts'
import { type Lease, type QueueRequest, type QueueWait, SurfaceClosed } from './interface.ts'
import { type SentRequest, type SurfacePace, GrantedRequest, marginMs } from './surface-pace.ts'

/** One request in flight, reserved for the next call. */
export interface Slot {
  /** Called when a request gets the slot. */
  enter?(send: SentRequest): void
  sent?(send: SentRequest): void
  /** Frees the slot; null if no request used it. @param unsent Whether the request never left, and does not count. */
  release(send: SentRequest | null, unsent?: boolean): void
}

/** What lets the next call of a queue go: the pace of its surface, and a slot. */
export interface Gate {
  /** Milliseconds until the pace allows a request; Infinity until {@link SurfaceQueue.wake}. */
  wait(): number
  /** Whether all slots are taken. */
  hasNoSlot(): boolean
  /** Whether to take no slot before the next {@link SurfaceQueue.wake}. Default: false. */
  isFull?: (() => boolean) | undefined
  /** Resolves with a slot, or with undefined if the queue should check again. Never rejects. */
  take(): Promise<Slot | undefined>
  /** Called when a 429 has closed the surface, for so many milliseconds. */
  refused?(milliseconds: number): void
}

/** A call that waits. It leaves when its signal aborts. */
export class Entry implements EventListenerObject {
  readonly request: QueueRequest
  readonly grant: (lease: Lease) => void
  readonly refuse: (reason: unknown) => void
  /** `#pacedMs` of the queue when the call joined. */
  readonly pacedBefore: number
  readonly #queue: SurfaceQueue

  constructor(
    queue: SurfaceQueue,
    request: QueueRequest,
    grant: (lease: Lease) => void,
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
  readonly pace: SurfacePace
  readonly #gate: Gate
  /** In Cloudflare's workers, each call wakes in its own request. */
  readonly #isTied = isTiedToRequests()
  readonly #waiting = new WaitingLine()
  /** How long calls have waited for the pace, in milliseconds. */
  #pacedMs = 0
  /** Start of the current wait for the pace. */
  #pacedSince: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTakingSlot = false

  constructor(pace: SurfacePace, gate: Gate) {
    this.pace = pace
    this.#gate = gate
  }

  get length(): number {
    return this.#waiting.length
  }

  /** Waits for a lease. Rejects with a `SurfaceClosed`, or with the reason of the signal. */
  acquire(request: QueueRequest): Promise<Lease> {
    return new Promise((grant, refuse) => this.enter(request, grant, refuse))
  }

  /** Like `acquire()`, without a promise. */
  enter(request: QueueRequest, grant: (lease: Lease) => void, refuse: (reason: unknown) => void): Entry {
    const now = performance.now()
    const pacedBefore = this.#pacedMs + (this.#pacedSince === undefined ? 0 : now - this.#pacedSince)
    const entry = new Entry(this, request, grant, refuse, pacedBefore)
    this.#waiting.add(entry)
    if (request.signal.aborted) this.cancel(entry, request.signal.reason)
    this.#refuseIfClosed(entry)
    const { sendBy = Infinity } = request
    if (sendBy !== Infinity) {
      const ms = this.pace.waitBehind(this.#waiting.before(entry))
      // Responses may come before the margin is over.
      if (ms - marginMs > sendBy - now) this.cancel(entry, new SurfaceClosed(ms, 'pace'))
    }
    // A call behind another one does not change when the next one goes.
    if (this.#waiting.first === entry || this.#pacedSince === undefined) this.wake()
    return entry
  }

  cancel(entry: Entry, reason: unknown): void {
    if (this.#leave(entry)) entry.refuse(reason)
  }

  /** Grants the next lease if it is due, or else sets a timer. */
  wake(): void {
    if (this.#waiting.first === undefined || this.#isTakingSlot) return
    this.#endPacedWait()
    const wait = this.#gate.wait()
    if (wait <= 0) {
      if (this.#gate.isFull?.() !== true) void this.#grantNext()
    } else if (wait !== Infinity) {
      this.#pacedSince = performance.now()
      if (!this.#isTied) this.#timer = setTimeout(() => this.wake(), Math.min(Math.ceil(wait), maxTimerMs))
    }
  }

  /** Closes the surface after a 429, and refuses the calls that do not wait for so long. */
  closeFor(milliseconds: number): void {
    this.pace.closeFor(milliseconds)
    for (const entry of this.#waiting.all()) this.#refuseIfClosed(entry)
    this.wake()
  }

  refuse(reason: unknown): void {
    for (const entry of this.#waiting.all()) this.cancel(entry, reason)
  }

  /** Why the next call would wait; null if it could go now. */
  waitOf(): QueueWait | null {
    const { closed } = this.pace
    if (closed > 0) return { reason: 'rate_limited', ms: closed }
    const ms = this.#gate.wait()
    if (ms > 0 && ms !== Infinity) return { reason: 'pace', ms }
    return ms === Infinity || this.#gate.hasNoSlot() ? { reason: 'slot', ms: Infinity } : null
  }

  #refuseIfClosed(entry: Entry): void {
    const { closed } = this.pace
    const { maxClosedWaitMs, sendBy = Infinity } = entry.request
    if (closed > Math.min(maxClosedWaitMs, Math.max(0, sendBy - performance.now())))
      this.cancel(entry, new SurfaceClosed(closed))
  }

  async #grantNext(): Promise<void> {
    this.#isTakingSlot = true
    const slot = await this.#gate.take()
    this.#isTakingSlot = false
    // The first call may have left, or a call with a higher rank may have come, before the slot was free.
    const next = this.#waiting.first
    if (slot && next && this.#gate.wait() <= 0) {
      this.#leave(next)
      const granted = new GrantedRequest()
      const waited = granted.at - next.request.queuedAt
      const paced = Math.max(0, Math.min(waited, this.#pacedMs - next.pacedBefore))
      next.grant(this.#lease(granted, slot, Math.max(0, waited - paced), paced))
    } else slot?.release(null)
    this.wake()
  }

  /** Counts a request from now on. The lease holds the slot until it ends. */
  #lease(request: GrantedRequest, slot: Slot, queued: number, paced: number): Lease {
    const { pace } = this
    let isEnded = false
    pace.add(request)
    slot.enter?.(request)
    return {
      queued,
      paced,
      sent: () => {
        request.sent()
        pace.add(request)
        slot.sent?.(request)
      },
      answered: () => request.answer(),
      end: (outcome = {}) => {
        if (isEnded) return
        const { refusedForMs, unsent } = outcome
        isEnded = true
        if (refusedForMs !== undefined) {
          this.closeFor(refusedForMs)
          this.#gate.refused?.(refusedForMs)
        }
        pace.end(request, outcome)
        slot.release(request, unsent)
      },
    }
  }

  /** Whether the call was waiting. */
  #leave(entry: Entry): boolean {
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

/** What decides who goes first: a higher priority, then a retry. */
type Rank = Pick<QueueRequest, 'priority' | 'isRetry'>

/** Calls in the order in which they go. Thousands may come or leave at once, so none searches more than the ranks. */
class WaitingLine {
  /** Calls of one rank in the order in which they came, by rank; none is empty. */
  readonly #ranks: (Rank & { readonly entries: Set<Entry> })[] = []

  get length(): number {
    return this.#lengthOf(Infinity)
  }

  get first(): Entry | undefined {
    return this.#ranks[0]?.entries.values().next().value
  }

  /** All in their order. A copy: calls may leave while it is read. */
  all(): Entry[] {
    return this.#ranks.flatMap(({ entries }) => [...entries])
  }

  /** Puts a call behind those that go before it. */
  add(entry: Entry): void {
    const { priority, isRetry } = entry.request
    const place = this.#placeOf(entry.request)
    const rank = this.#ranks[place]
    if (rank?.priority === priority && rank.isRetry === isRetry) rank.entries.add(entry)
    else this.#ranks.splice(place, 0, { priority, isRetry, entries: new Set([entry]) })
  }

  /** How many calls go before one that has just been added. */
  before(entry: Entry): number {
    return this.#lengthOf(this.#placeOf(entry.request) + 1) - 1
  }

  /** Whether the call was waiting. */
  delete(entry: Entry): boolean {
    const place = this.#placeOf(entry.request)
    const rank = this.#ranks[place]
    if (rank?.entries.delete(entry) !== true) return false
    if (rank.entries.size === 0) this.#ranks.splice(place, 1)
    return true
  }

  #lengthOf(ranks: number): number {
    let length = 0
    for (const { entries } of this.#ranks.slice(0, ranks)) length += entries.size
    return length
  }

  /** The index of a rank, or where it would be. */
  #placeOf({ priority, isRetry }: Rank): number {
    const place = this.#ranks.findIndex((rank) =>
      rank.priority === priority ? isRetry || !rank.isRetry : rank.priority < priority,
    )
    return place === -1 ? this.#ranks.length : place
  }
}
