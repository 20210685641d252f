import { isTiedToRequests } from '../lib/browser.ts'
import { maxTimerMs } from '../lib/time.ts'
import { type Lease, type QueueWait, type Share, type Waiter, SurfaceClosed } from './limiter.ts'
import { PriorityQueue, type Ranked, goesBefore } from './priority-queue.ts'
import type { Pace, Send, SendLog } from './pace.ts'

/** One request in flight, reserved for the next call. */
export interface Slot {
  /** Whether this client may use the slot. Default: any client. */
  fits?(share: Share): boolean
  /** Called when a request gets the slot. */
  enter?(send: Send): void
  /** Called when the request is sent. */
  sent?(send: Send): void
  /** Frees the slot; null if no request used it. */
  release(send: Send | null): void
}

/** What a surface queue needs from its limiter. */
export interface QueueParts {
  /** Requests in flight of each client, on all surfaces. */
  readonly inFlight: WeakMap<Share, number>
  /** Milliseconds until a client may send; Infinity until {@link SurfaceQueue.wake}. Default: `pace.wait`. */
  readonly wait?: (share: Share) => number
  /** Calls `then` with a slot, or without one if the queue should check again. Never throws. */
  readonly reserve: (then: (slot: Slot | undefined) => void, share: Share) => void
  /** Called when a request has ended, so that other queues check again. */
  readonly onRelease: () => void
}

/** Calls with the same limits: those of one client, or of all clients with full limits. */
interface Group {
  readonly share: Share
  /** Requests of a client with its own rate at this surface. */
  readonly log: SendLog | undefined
  readonly waiting: PriorityQueue<Entry>
}

interface Entry extends Ranked {
  readonly waiter: Waiter
  readonly group: Group
  readonly since: number
  /** `#pacedMs` when the call joined. */
  readonly pacedBefore: number
}

/**
 * The queue of one search surface. It takes a slot only when a call may send, so a closed surface never occupies a
 * slot.
 */
export class SurfaceQueue {
  readonly pace: Pace
  readonly #parts: QueueParts
  readonly #groups = new Map<Share | number, Group>()
  #arrivals = 0
  #queued = 0
  /** How long calls have waited for the pace, in milliseconds. */
  #pacedMs = 0
  /** Start of the current wait for the pace. */
  #pacedSince: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isReserving = false

  constructor(pace: Pace, parts: QueueParts) {
    this.pace = pace
    this.#parts = parts
  }

  enter(waiter: Waiter): void {
    const { closed } = this.pace
    if (closed > waiter.patience) {
      waiter.refuse(new SurfaceClosed(closed))
      return
    }
    const group = this.#groupOf(waiter.share)
    const since = performance.now()
    const pacedBefore = this.#pacedMs + (this.#pacedSince === undefined ? 0 : since - this.#pacedSince)
    const entry = { waiter, group, order: this.#arrivals++, index: -1, since, pacedBefore }
    waiter.entry = entry
    group.waiting.add(entry)
    this.#queued++
    // A call behind another one of its group does not change when the next one goes.
    if (group.waiting.entries.length === 1 || this.#pacedSince === undefined) this.wake()
  }

  leave(waiter: Waiter): void {
    const entry = waiter.entry as Entry | undefined
    if (entry === undefined) return
    waiter.entry = undefined
    const { share, waiting } = entry.group
    waiting.delete(entry)
    // The group of all clients with full limits has another key, and stays.
    if (waiting.entries.length === 0) this.#groups.delete(share)
    if (--this.#queued === 0) this.#endPacedWait()
  }

  /** Grants the next lease if it is due, or else sets a timer. */
  wake(): void {
    if (this.#queued === 0 || this.#isReserving) return
    this.#endPacedWait()
    const next = this.#next()
    if (typeof next === 'object') {
      this.#isReserving = true
      this.#parts.reserve(this.#useSlot, next.group.share)
    } else if (next !== Infinity) {
      this.#pacedSince = performance.now()
      // There, each call polls.
      if (!isTiedToRequests())
        this.#timer = setTimeout(() => this.wake(), Math.min(Math.ceil(next), maxTimerMs))
    }
  }

  /** Closes the surface after a 429, and refuses the calls whose patience is shorter. */
  hold(milliseconds: number): void {
    this.pace.hold(milliseconds)
    const { closed } = this.pace
    this.refuse(new SurfaceClosed(closed), ({ patience }) => closed > patience)
    this.wake()
  }

  /** Refuses calls in the order of their arrival. */
  refuse(reason: unknown, which: (waiter: Waiter) => boolean = () => true): void {
    const entries = [...this.#groups.values()].flatMap(({ waiting }) => waiting.entries)
    const refused = entries.filter(({ waiter }) => which(waiter)).sort((a, b) => a.order - b.order)
    for (const { waiter } of refused) {
      this.leave(waiter)
      waiter.refuse(reason)
    }
  }

  /** Counts a request from now on. The lease holds the slot until it is released. */
  lease(send: Send, share: Share, slot: Slot, queued = 0, paced = 0): Lease {
    const { pace } = this
    const { inFlight, onRelease } = this.#parts
    const log = pace.logOf(share)
    let isReleased = false
    inFlight.set(share, (inFlight.get(share) ?? 0) + 1)
    pace.enter(send, log)
    slot.enter?.(send)
    return {
      queued,
      paced,
      sent: () => {
        send.at = performance.now()
        pace.sent(send, log)
        slot.sent?.(send)
      },
      answered: (date) => {
        send.answered = performance.now()
        if (date !== null) pace.margin.observe(date)
      },
      release: () => {
        if (isReleased) return
        isReleased = true
        inFlight.set(share, (inFlight.get(share) ?? 0) - 1)
        pace.leave(send, log)
        slot.release(send)
        onRelease()
      },
    }
  }

  readonly #useSlot = (slot: Slot | undefined): void => {
    this.#isReserving = false
    // The first call may have left, or a call with a higher rank may have come, before the slot was free.
    const next = slot && this.#next()
    if (slot && typeof next === 'object' && slot.fits?.(next.waiter.share) !== false) {
      const { waiter, since, pacedBefore } = next
      this.leave(waiter)
      const at = performance.now()
      const paced = Math.min(at - since, this.#pacedMs - pacedBefore)
      waiter.grant(this.lease({ at, answered: Infinity }, waiter.share, slot, at - since - paced, paced))
    } else slot?.release(null)
    this.wake()
  }

  /** Why a client's next call would wait; null if it could go now. */
  waitOf(share: Share): QueueWait | null {
    const { closed } = this.pace
    if (closed > 0) return { reason: 'rate_limited', ms: closed }
    const ms = this.#paceWait(share, this.pace.logOf(share))
    if (ms > 0 && ms !== Infinity) return { reason: 'pace', ms }
    const isFull = this.#queued > 0 || (this.#parts.inFlight.get(share) ?? 0) >= share.inFlight
    return ms === Infinity || isFull ? { reason: 'slot', ms: Infinity } : null
  }

  /** Milliseconds until the pace lets a client send. */
  #paceWait(share: Share, log: SendLog | undefined): number {
    const { wait } = this.#parts
    return Math.max(wait ? wait(share) : this.pace.wait(share.perMinute), log?.wait(share.perMinute) ?? 0)
  }

  /** The call that goes next, or the milliseconds until one may. */
  #next(): Entry | number {
    const { inFlight } = this.#parts
    let next: Entry | undefined
    let wait = Infinity
    for (const { share, log, waiting } of this.#groups.values()) {
      const first = waiting.entries[0]
      if (first === undefined || (inFlight.get(share) ?? 0) >= share.inFlight) continue
      const ms = this.#paceWait(share, log)
      if (ms > 0) wait = Math.min(wait, ms)
      else if (next === undefined || goesBefore(first, next)) next = first
    }
    return next ?? wait
  }

  #groupOf(share: Share): Group {
    const log = this.pace.logOf(share)
    // Clients with full limits share a group, so that the queue has few.
    const hasFullLimits = log === undefined && share.inFlight >= this.pace.limits.inFlight
    const key = hasFullLimits ? share.perMinute : share
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = { share, log, waiting: new PriorityQueue() }
      this.#groups.set(key, group)
    }
    return group
  }

  #endPacedWait(): void {
    if (this.#pacedSince === undefined) return
    clearTimeout(this.#timer)
    this.#pacedMs += performance.now() - this.#pacedSince
    this.#pacedSince = undefined
  }
}
