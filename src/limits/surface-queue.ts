import { isTiedToRequests } from '../lib/browser.ts'
import { maxTimerMs } from '../lib/time.ts'
import { type CallTicket, type Lease, type QueueWait, type Share, SurfaceClosed } from './interface.ts'
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

/** The requests that a process may have in flight. */
export interface Slots {
  /** How many are in use. */
  readonly taken: number
  /** Whether `take()` would resolve with undefined: all are in use, and it cannot wait. */
  readonly isFull: boolean
  take(): Promise<Slot | undefined>
}

/** Where a surface queue gets its slots. */
export interface SlotSource {
  /** Requests in flight of each client, on all surfaces. */
  readonly inFlight: WeakMap<Share, number>
  /** Milliseconds until a client may send; Infinity until {@link SurfaceQueue.wake}. */
  wait(share: Share): number
  /** Whether to take no slot before the next {@link SurfaceQueue.wake}. Default: false. */
  isFull?(): boolean
  /** Resolves with a slot, or with undefined if the queue should check again. Never rejects. */
  take(share: Share): Promise<Slot | undefined>
  /** Called when a request has ended, unless `release` of its slot wakes all queues. */
  wake?(): void
}

/** Calls with the same limits: those of one client, or of all clients with full limits. */
interface Group {
  readonly share: Share
  /** Requests of a client with its own rate at this surface. */
  readonly log: SendLog | undefined
  readonly waiting: PriorityQueue<Entry>
}

interface Entry extends Ranked {
  readonly ticket: CallTicket
  readonly group: Group
  readonly since: number
  /** `#pacedMs` when the call joined. */
  readonly pacedBefore: number
  readonly grant: (lease: Lease) => void
  readonly refuse: (reason: unknown) => void
}

/**
 * The queue of one search surface. It takes a slot only when a call may send, so a closed surface never occupies a
 * slot.
 */
export class SurfaceQueue {
  readonly pace: Pace
  readonly #slots: SlotSource
  readonly #entries = new Map<CallTicket, Entry>()
  readonly #groups = new Map<Share | number, Group>()
  #arrivals = 0
  /** How long calls have waited for the pace, in milliseconds. */
  #pacedMs = 0
  /** Start of the current wait for the pace. */
  #pacedSince: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTakingSlot = false

  constructor(pace: Pace, slots: SlotSource) {
    this.pace = pace
    this.#slots = slots
  }

  /** How many calls wait. */
  get length(): number {
    return this.#entries.size
  }

  /** Waits for a lease. Rejects with a `SurfaceClosed`, or with the reason of `cancel()`. */
  acquire(ticket: CallTicket): Promise<Lease> {
    return new Promise((grant, refuse) => this.enter(ticket, grant, refuse))
  }

  /** Like `acquire()`, without a promise. */
  enter(ticket: CallTicket, grant: (lease: Lease) => void, refuse: (reason: unknown) => void): void {
    const group = this.#groupOf(ticket.share)
    const since = performance.now()
    const pacedBefore = this.#pacedMs + (this.#pacedSince === undefined ? 0 : since - this.#pacedSince)
    const entry = { ticket, group, order: this.#arrivals++, index: -1, since, pacedBefore, grant, refuse }
    const { maxQueueWait = Infinity } = ticket
    const ahead = maxQueueWait < Infinity ? group.waiting.countBefore(ticket) : 0
    this.#entries.set(ticket, entry)
    group.waiting.add(entry)
    this.#refuseIfClosed(ticket)
    if (maxQueueWait < Infinity) {
      const ms = this.pace.waitBehind(ticket.share, ahead)
      // Responses may shrink the margin until then.
      if (ms - this.pace.margin.ms > maxQueueWait) this.cancel(ticket, new SurfaceClosed(ms, 'pace'))
    }
    // A call behind another one of its group does not change when the next one goes.
    if (group.waiting.entries.length === 1 || this.#pacedSince === undefined) this.wake()
  }

  /** Refuses a call if it waits. */
  cancel(ticket: CallTicket, reason: unknown): void {
    const entry = this.#entries.get(ticket)
    if (entry === undefined) return
    this.#leave(entry)
    entry.refuse(reason)
  }

  /** Grants the next lease if it is due, or else sets a timer. */
  wake(): void {
    if (this.#entries.size === 0 || this.#isTakingSlot) return
    this.#endPacedWait()
    const next = this.#next()
    if (typeof next === 'object') {
      if (this.#slots.isFull?.() !== true) void this.#grantNext(next.group.share)
    } else if (next !== Infinity) {
      this.#pacedSince = performance.now()
      // In Cloudflare's workers, each queued call polls instead.
      if (!isTiedToRequests())
        this.#timer = setTimeout(() => this.wake(), Math.min(Math.ceil(next), maxTimerMs))
    }
  }

  /** Closes the surface after a 429, and refuses the calls that do not wait for so long. */
  hold(milliseconds: number): void {
    this.pace.hold(milliseconds)
    for (const ticket of [...this.#entries.keys()]) this.#refuseIfClosed(ticket)
    this.wake()
  }

  /** Refuses all calls, in the order of their arrival. */
  refuse(reason: unknown): void {
    for (const ticket of [...this.#entries.keys()]) this.cancel(ticket, reason)
  }

  /** Counts a request from now on. The lease holds the slot until it is released. */
  lease(send: Send, share: Share, slot: Slot, queued = 0, paced = 0): Lease {
    const { pace } = this
    const { inFlight } = this.#slots
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
        this.#slots.wake?.()
      },
    }
  }

  #refuseIfClosed(ticket: CallTicket): void {
    const { closed } = this.pace
    const { maxHoldWait, maxQueueWait = Infinity } = ticket
    if (closed > Math.min(maxHoldWait, maxQueueWait)) this.cancel(ticket, new SurfaceClosed(closed))
  }

  async #grantNext(share: Share): Promise<void> {
    this.#isTakingSlot = true
    const slot = await this.#slots.take(share)
    this.#isTakingSlot = false
    // The first call may have left, or a call with a higher rank may have come, before the slot was free.
    const next = slot && this.#next()
    if (slot && typeof next === 'object' && slot.fits?.(next.ticket.share) !== false) {
      const { ticket, since, pacedBefore, grant } = next
      this.#leave(next)
      const at = performance.now()
      const paced = Math.min(at - since, this.#pacedMs - pacedBefore)
      grant(this.lease({ at, answered: Infinity }, ticket.share, slot, at - since - paced, paced))
    } else slot?.release(null)
    this.wake()
  }

  #leave(entry: Entry): void {
    this.#entries.delete(entry.ticket)
    const { share, waiting } = entry.group
    waiting.delete(entry)
    // The group of all clients with full limits has another key, and stays.
    if (waiting.entries.length === 0) this.#groups.delete(share)
    if (this.#entries.size === 0) this.#endPacedWait()
  }

  /** Why a client's next call would wait; null if it could go now. */
  waitOf(share: Share): QueueWait | null {
    const { closed } = this.pace
    if (closed > 0) return { reason: 'rate_limited', ms: closed }
    const ms = this.#paceWait(share, this.pace.logOf(share))
    if (ms > 0 && ms !== Infinity) return { reason: 'pace', ms }
    const isFull = this.#entries.size > 0 || (this.#slots.inFlight.get(share) ?? 0) >= share.inFlight
    return ms === Infinity || isFull ? { reason: 'slot', ms: Infinity } : null
  }

  /** Milliseconds until the pace lets a client send. */
  #paceWait(share: Share, log: SendLog | undefined): number {
    return Math.max(this.#slots.wait(share), log?.wait(share.perMinute) ?? 0)
  }

  /** The call that goes next, or the milliseconds until one may. */
  #next(): Entry | number {
    const { inFlight } = this.#slots
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
