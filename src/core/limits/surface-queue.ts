import { maxTimerMs } from '../lib/time.ts'
import type { ClientShares } from './client-shares.ts'
import type { JitterMargin } from './jitter-margin.ts'
import { type Slot, SurfaceLease } from './lease.ts'
import type { Place, Share, Waiter } from './limiter.ts'
import type { Pace } from './pace.ts'
import { PriorityQueue, type Ranked, goesBefore } from './priority-queue.ts'
import { type Send, SendLog } from './send-log.ts'
import { SurfaceClosed } from './surface-closed.ts'

/** Decides when the requests of a surface may go, apart from what their clients may have. */
export interface Gate {
  /** Milliseconds until a client may send; Infinity until {@link SurfaceQueue.wake}. */
  wait(share: Share): number
  /** Takes a slot, or resolves with undefined if the queue has to look again. Never rejects. */
  reserve(share: Share): Promise<Slot | undefined>
}

/** The parts that a queue works with. */
export interface QueueParts {
  readonly gate: Gate
  readonly pace: Pace
  readonly margin: JitterMargin
  readonly shares: ClientShares
  /** What the organization has at this surface; a client with less is kept to its share. */
  readonly limits: Share
  readonly windowMs: number
  /** Called when a request has ended, so that other queues look again. */
  readonly onRelease: () => void
}

/** One call in the queue. */
class Entry implements Ranked, Place {
  readonly waiter: Waiter
  readonly order: number
  readonly since = performance.now()
  /** How long the surface had been shut, in total, when the call came. */
  readonly shutBefore: number
  readonly group: Group
  readonly queue: SurfaceQueue
  index = -1

  constructor(waiter: Waiter, order: number, shutBefore: number, group: Group, queue: SurfaceQueue) {
    this.waiter = waiter
    this.order = order
    this.shutBefore = shutBefore
    this.group = group
    this.queue = queue
  }

  get priority(): number {
    return this.waiter.priority
  }

  get resumed(): boolean {
    return this.waiter.resumed
  }

  leave(): void {
    this.queue.remove(this)
  }
}

/** Calls that may send at the same time: those of one client, or of all clients without a share of their own. */
interface Group {
  readonly key: Share | number
  readonly share: Share
  readonly waiting: PriorityQueue<Entry>
}

/**
 * The queue of one search surface. It takes a slot only when a call may send, so a closed surface never keeps a slot from
 * the other surfaces.
 */
export class SurfaceQueue {
  readonly #parts: QueueParts
  readonly #groups = new Map<Group['key'], Group>()
  readonly #logs = new WeakMap<Share, SendLog>()
  #arrivals = 0
  /** How long the surface was shut while calls waited, in milliseconds. */
  #shutMs = 0
  #shutSince: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #reserving = false

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  enter(waiter: Waiter): Place | undefined {
    const { closed } = this.#parts.pace
    if (closed > waiter.patience) {
      waiter.refuse(new SurfaceClosed(closed))
      return undefined
    }
    const group = this.#groupOf(waiter.share)
    const isFirst = group.waiting.first === undefined
    const entry = new Entry(waiter, this.#arrivals++, this.#shutTotal(), group, this)
    group.waiting.add(entry)
    // A call behind others of its group changes nothing about when the next one may go.
    if (isFirst || this.#timer === undefined) this.wake()
    return entry
  }

  /** Takes a call out of the queue. */
  remove(entry: Entry): void {
    const { waiting, key } = entry.group
    if (entry.index === -1) return
    waiting.delete(entry)
    if (waiting.first === undefined) this.#groups.delete(key)
    if (this.#groups.size === 0) this.#stopTimer()
  }

  /** Looks again whether a call may go, since something has changed. */
  wake(): void {
    if (this.#reserving || this.#groups.size === 0) return
    this.#stopTimer()
    const { group, wait } = this.#next()
    if (group !== undefined) void this.#serve(group.share)
    else if (wait !== Infinity) {
      this.#shutSince = performance.now()
      this.#timer = setTimeout(() => this.wake(), Math.min(Math.ceil(wait), maxTimerMs))
    }
  }

  /** Refuses the calls that have no patience for the time that the surface is closed. */
  refuseImpatient(): void {
    const { closed } = this.#parts.pace
    this.#refuse(({ waiter }) => closed > waiter.patience, new SurfaceClosed(closed))
    this.wake()
  }

  /** Refuses every call. */
  empty(reason: unknown): void {
    this.#refuse(() => true, reason)
  }

  /** Counts a request of a client, and makes its lease. */
  lease(share: Share, slot: Slot, send: Send = { at: performance.now(), answered: Infinity }): SurfaceLease {
    const { pace, margin, shares, onRelease } = this.#parts
    return new SurfaceLease(send, share, slot, { pace, margin, shares, onRelease, log: this.#logOf(share) })
  }

  async #serve(share: Share): Promise<void> {
    this.#reserving = true
    const slot = await this.#parts.gate.reserve(share)
    this.#reserving = false
    if (slot !== undefined) this.#grant(slot)
    this.wake()
  }

  #grant(slot: Slot): void {
    // Meanwhile the first in line may have left, or another call come that goes before.
    const entry = this.#next().group?.waiting.first
    if (entry === undefined || !slot.fits(entry.waiter.share)) {
      slot.release(null)
      return
    }
    this.remove(entry)
    const lease = this.lease(entry.waiter.share, slot)
    const waited = performance.now() - entry.since
    lease.paced = Math.min(waited, this.#shutTotal() - entry.shutBefore)
    lease.queued = waited - lease.paced
    entry.waiter.grant(lease)
  }

  /** The group whose first call goes next, or else the milliseconds until one may. */
  #next(): { group?: Group; wait: number } {
    let next: Group | undefined
    let wait = Infinity
    for (const group of this.#groups.values()) {
      const ms = this.#waitOf(group.share)
      if (ms > 0) wait = Math.min(wait, ms)
      else if (next === undefined || isAhead(group, next)) next = group
    }
    return next === undefined ? { wait } : { group: next, wait: 0 }
  }

  #waitOf(share: Share): number {
    if (!this.#parts.shares.hasRoom(share)) return Infinity
    return Math.max(this.#parts.gate.wait(share), this.#logOf(share)?.wait(share.perMinute) ?? 0)
  }

  /** What a client has sent at this surface; a client that may take all of it, or more, needs no log of its own. */
  #logOf(share: Share): SendLog | undefined {
    if (share.perMinute >= this.#parts.limits.perMinute) return undefined
    const log =
      this.#logs.get(share) ?? new SendLog(share.perMinute, this.#parts.windowMs, this.#parts.margin)
    this.#logs.set(share, log)
    return log
  }

  #groupOf(share: Share): Group {
    const { inFlight, perMinute } = this.#parts.limits
    const isWhole = share.inFlight >= inFlight && share.perMinute >= perMinute
    const key = isWhole ? share.perMinute : share
    const group = this.#groups.get(key) ?? { key, share, waiting: new PriorityQueue() }
    this.#groups.set(key, group)
    return group
  }

  #refuse(which: (entry: Entry) => boolean, reason: unknown): void {
    const entries = [...this.#groups.values()].flatMap(({ waiting }) => [...waiting.entries()])
    for (const entry of entries.filter(which).sort((a, b) => a.order - b.order)) {
      this.remove(entry)
      entry.waiter.refuse(reason)
    }
  }

  #shutTotal(): number {
    return this.#shutSince === undefined ? this.#shutMs : this.#shutMs + performance.now() - this.#shutSince
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#shutMs = this.#shutTotal()
    this.#shutSince = undefined
  }
}

function isAhead({ waiting: { first: a } }: Group, { waiting: { first: b } }: Group): boolean {
  return a !== undefined && b !== undefined && goesBefore(a, b)
}
