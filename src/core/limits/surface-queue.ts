import { isTiedToRequests } from '../lib/browser.ts'
import { maxTimerMs } from '../lib/time.ts'
import type { JitterMargin } from './jitter-margin.ts'
import type { Lease, QueueWait, Share, Waiter } from './limiter.ts'
import { PriorityQueue, type Ranked, goesBefore } from './priority-queue.ts'
import { type Pace, type Send, SendLog } from './pace.ts'
import { SurfaceClosed } from './surface-closed-error.ts'

/** One of the organization's slots, taken for the call that is next. */
export interface Slot {
  /** Whether the slot holds for this client; by default for any. */
  fits?(share: Share): boolean
  /** The slot is used, for this request. */
  enter?(send: Send): void
  /** The request goes out now. */
  sent?(send: Send): void
  /** Gives the slot back; null if nothing was sent. */
  release(send: Send | null): void
}

/** The parts that a queue works with. */
export interface QueueParts {
  readonly pace: Pace
  readonly margin: JitterMargin
  /** Requests in flight of each client, on all surfaces together. */
  readonly inFlight: WeakMap<Share, number>
  /** What the organization has at this surface; a client with less is kept to its share. */
  readonly limits: Share
  readonly windowMs: number
  /** Milliseconds until a client may send; Infinity until {@link SurfaceQueue.wake}. By default the pace tells. */
  readonly wait?: (share: Share) => number
  /** Takes a slot, for which it calls `then`; without one if the queue has to look again. Never throws. */
  readonly reserve: (then: (slot: Slot | undefined) => void, share: Share) => void
  /** Called when a request has ended, so that other queues look again. */
  readonly onRelease: () => void
}

/** Calls that may send at the same time: those of one client, or of all clients without a share of their own. */
interface Group {
  readonly share: Share
  /** Whether the group is of this client alone. */
  readonly hasOwnShare: boolean
  /** What a client with a share of its own has sent at this surface. */
  readonly log: SendLog | undefined
  readonly waiting: PriorityQueue<Entry>
}

/** One call in the queue. */
interface Entry extends Ranked {
  readonly waiter: Waiter
  readonly group: Group
  readonly since: number
  /** How long the surface had been shut, in total, when the call came. */
  readonly pacedBefore: number
}

/**
 * The queue of one search surface. It takes a slot only when a call may send, so a closed surface never keeps a slot from
 * the other surfaces.
 */
export class SurfaceQueue {
  readonly #parts: QueueParts
  readonly #groups = new Map<Share | number, Group>()
  readonly #logs = new WeakMap<Share, SendLog>()
  #arrivals = 0
  #size = 0
  /** How long the surface was shut while calls waited, in milliseconds. */
  #pacedMs = 0
  /** Since when it is, if it is. */
  #shutSince: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isReserving = false

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  enter(waiter: Waiter): void {
    const { closed } = this.#parts.pace
    if (closed > waiter.patience) {
      waiter.refuse(new SurfaceClosed(closed))
      return
    }
    const { priority, resumed, share } = waiter
    const group = this.#groupOf(share)
    const isBehind = group.waiting.entries.length > 0
    const since = performance.now()
    const pacedBefore = this.#pacedMs + (this.#shutSince === undefined ? 0 : since - this.#shutSince)
    const order = this.#arrivals++
    const entry = { waiter, group, priority, resumed, order, index: -1, since, pacedBefore }
    waiter.entry = entry
    group.waiting.add(entry)
    this.#size++
    // A call behind others of its group changes nothing about when the next one may go.
    if (!isBehind || this.#shutSince === undefined) this.wake()
  }

  /** Takes a call out of the queue. */
  leave(waiter: Waiter): void {
    const entry = waiter.entry as Entry | undefined
    if (entry === undefined) return
    waiter.entry = undefined
    const { share, hasOwnShare, waiting } = entry.group
    waiting.delete(entry)
    if (hasOwnShare && waiting.entries.length === 0) this.#groups.delete(share)
    if (--this.#size === 0) this.#open()
  }

  /** Looks again whether a call may go, since something has changed. */
  wake(): void {
    if (this.#size === 0 || this.#isReserving) return
    this.#open()
    const { group, wait } = this.#next()
    if (group !== undefined) {
      this.#isReserving = true
      this.#parts.reserve((slot) => this.#serve(slot), group.share)
    } else if (wait !== Infinity) {
      this.#shutSince = performance.now()
      // There, each call looks by itself.
      if (!isTiedToRequests())
        this.#timer = setTimeout(() => this.wake(), Math.min(Math.ceil(wait), maxTimerMs))
    }
  }

  /** Refuses the calls that have no patience for the time that the surface is closed. */
  refuseImpatient(): void {
    const { closed } = this.#parts.pace
    this.#refuse(({ patience }) => closed > patience, new SurfaceClosed(closed))
    this.wake()
  }

  /** Refuses every call. */
  empty(reason: unknown): void {
    this.#refuse(() => true, reason)
  }

  /** Counts a request that another limiter has let through. */
  adopt(share: Share, slot: Slot, send: Send): SurfaceLease {
    return new SurfaceLease(this.#parts, send, share, this.#logOf(share), slot)
  }

  #serve(slot: Slot | undefined): void {
    this.#isReserving = false
    // Meanwhile the first in line may have left, or another call come that goes before.
    const entry = slot && this.#next().group?.waiting.entries[0]
    if (entry === undefined || slot?.fits?.(entry.waiter.share) === false) slot?.release(null)
    else if (slot !== undefined) this.#grant(entry, slot)
    this.wake()
  }

  #grant({ waiter, group, since, pacedBefore }: Entry, slot: Slot): void {
    this.leave(waiter)
    const at = performance.now()
    const lease = new SurfaceLease(this.#parts, { at, answered: Infinity }, waiter.share, group.log, slot)
    const waited = at - since
    lease.paced = Math.min(waited, this.#pacedMs - pacedBefore)
    lease.queued = waited - lease.paced
    waiter.grant(lease)
  }

  /** What keeps the calls of a client waiting; null if one could go now. */
  waitOf(share: Share): QueueWait | null {
    const { closed } = this.#parts.pace
    if (closed > 0) return { reason: 'rate_limited', ms: closed }
    const ms = this.#msUntil(share, this.#logOf(share))
    if (ms > 0 && ms !== Infinity) return { reason: 'pace', ms }
    const isFull = this.#size > 0 || (this.#parts.inFlight.get(share) ?? 0) >= share.inFlight
    return ms === Infinity || isFull ? { reason: 'slot', ms: Infinity } : null
  }

  /** Milliseconds until the pace lets a client send. */
  #msUntil(share: Share, log: SendLog | undefined): number {
    const { pace, wait } = this.#parts
    return Math.max(wait ? wait(share) : pace.wait(share.perMinute), log?.wait(share.perMinute) ?? 0)
  }

  /** The group whose first call goes next, or else the milliseconds until one may. */
  #next(): { group?: Group; wait: number } {
    const { inFlight } = this.#parts
    let next: { group: Group; first: Entry; wait: number } | undefined
    let wait = Infinity
    for (const group of this.#groups.values()) {
      const { share, log, waiting } = group
      const first = waiting.entries[0]
      if (first === undefined || (inFlight.get(share) ?? 0) >= share.inFlight) continue
      const ms = this.#msUntil(share, log)
      if (ms > 0) wait = Math.min(wait, ms)
      else if (next === undefined || goesBefore(first, next.first)) next = { group, first, wait: 0 }
    }
    return next ?? { wait }
  }

  #groupOf(share: Share): Group {
    const { inFlight, perMinute } = this.#parts.limits
    const hasFullShare = share.inFlight >= inFlight && share.perMinute >= perMinute
    const key = hasFullShare ? share.perMinute : share
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = { share, hasOwnShare: !hasFullShare, log: this.#logOf(share), waiting: new PriorityQueue() }
      this.#groups.set(key, group)
    }
    return group
  }

  /** A client that may take all of the surface, or more, needs no log of its own. */
  #logOf(share: Share): SendLog | undefined {
    const { limits, windowMs, margin } = this.#parts
    if (share.perMinute >= limits.perMinute) return undefined
    const log = this.#logs.get(share) ?? new SendLog(share.perMinute, windowMs, margin)
    this.#logs.set(share, log)
    return log
  }

  #refuse(which: (waiter: Waiter) => boolean, reason: unknown): void {
    const entries = [...this.#groups.values()].flatMap(({ waiting }) => waiting.entries)
    for (const { waiter } of entries
      .filter((entry) => which(entry.waiter))
      .sort((a, b) => a.order - b.order)) {
      this.leave(waiter)
      waiter.refuse(reason)
    }
  }

  #open(): void {
    if (this.#shutSince === undefined) return
    clearTimeout(this.#timer)
    this.#pacedMs += performance.now() - this.#shutSince
    this.#shutSince = undefined
  }
}

/** Permission to send one request at a surface: it counts from now on, and holds a slot until it is released. */
class SurfaceLease implements Lease {
  queued = 0
  paced = 0
  readonly #parts: QueueParts
  readonly #send: Send
  readonly #share: Share
  /** Of the client, if it has less than the whole pace. */
  readonly #log: SendLog | undefined
  readonly #slot: Slot
  #released = false

  constructor(parts: QueueParts, send: Send, share: Share, log: SendLog | undefined, slot: Slot) {
    this.#parts = parts
    this.#send = send
    this.#share = share
    this.#log = log
    this.#slot = slot
    const { pace, inFlight } = parts
    inFlight.set(share, (inFlight.get(share) ?? 0) + 1)
    pace.enter(send)
    log?.add(send)
    slot.enter?.(send)
  }

  sent(): void {
    this.#send.at = performance.now()
    this.#parts.pace.sent(this.#send)
    this.#log?.add(this.#send)
    this.#slot.sent?.(this.#send)
  }

  answered(date: Date | null): void {
    this.#send.answered = performance.now()
    if (date !== null) this.#parts.margin.observe(date)
  }

  release(): void {
    if (this.#released) return
    this.#released = true
    const { pace, inFlight, onRelease } = this.#parts
    inFlight.set(this.#share, (inFlight.get(this.#share) ?? 0) - 1)
    if (pace.leave(this.#send)) this.#log?.delete(this.#send)
    this.#slot.release(this.#send)
    onRelease()
  }
}
