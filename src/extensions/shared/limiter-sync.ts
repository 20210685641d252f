// A process's side of the shared state: what its surfaces have and want is put into the text whenever it changes, when its lease is due, and
// while calls wait: when a notice or the reason of their waiting says so. What an update grants goes back to the surfaces. A process has slots
// for its requests in flight, and keeps those that become free for its next ones, for about as long as passing them on would take.

import { type SurfaceQueue, marginMs } from '../../extend.ts'
import { randomId } from '../../lib/hash.ts'
import { type Changed, changeState } from './limiter-change.ts'
import type { LimiterState, Rules } from './limiter-state.ts'
import { type WakeUp, Notices, everyone } from './notices.ts'
import { type Grant, type Report, type WaitReason, offerBounds } from './slot-offers.ts'
import { type SharedOptions, StoredText } from './stored-text.ts'

/** How long a store keeps a state that nobody changes, in milliseconds: longer than a 429 closes a surface. */
const keepMs = 2 * 86_400_000

/** Longest random delay, so that processes do not all update at once, in milliseconds. */
const spreadMs = 40

/** First and longest time between two updates without notices, in milliseconds. It grows while a call waits. */
const [firstPollMs, longestPollMs] = [25, 1000]

/** Maximum time from the grant of a slot until its request is sent, in milliseconds; a later one is reported. */
export const promptMs = 20

/** How long a request takes to arrive at the latest, from when the process has the reply that grants it, in milliseconds. */
export const arrivesWithinMs = marginMs + promptMs

/** A shorter request would be one of a test, or of a cache: then processes should still take turns. In milliseconds. */
const leastRequestMs = 50

/** One surface, as the update sees it. Times are monotonic. */
export interface SurfacePart {
  readonly key: string
  /** The calls that wait, the requests of this process, and the closure that it knows of. */
  readonly queue: SurfaceQueue
  /** Its calls that wait for a slot. */
  readonly calls: number
  /** Why they wait; undefined if they have not asked since the latest change. */
  readonly waitReason: (WaitReason & { readonly until: number }) | undefined
  /** Its requests, and when they arrived at the latest. */
  arrivals(): [request: object, at: number][]
  /** Its calls may be sent in the slots of this process until some time, or have to wait. With undefined, they may ask again. */
  receive(grant: Grant | undefined, until: number): void
  /** Keeps granted requests for calls that wait, so many at most, and returns how many it has. */
  keepGranted(most: number): number
  /** A 429 has closed it for so many milliseconds. */
  refused(milliseconds: number): void
}

/** Keeps the shared state and this process's part in it in step. */
export class LimiterSync extends StoredText<LimiterState> {
  readonly surfaces = new Map<string, SurfacePart>()
  readonly rules: Rules
  /** Requests in flight. */
  inFlight = 0
  /** Slots of this process: for them, and for the next ones. */
  slots = 0
  isClosed = false
  /** How long the latest request took, at first a guess, in milliseconds. */
  #requestMs = 100
  /** How long it takes this process to get a slot, in milliseconds. */
  #grantMs = Infinity
  /** Until when a slot may serve another request of this process, since passing it on would take as long. */
  #slotsEndAt = 0
  /** When surfaces open that a 429 has closed, until the others know. */
  readonly #closures = new Map<string, number>()
  /** What was reported of a request, so that it is reported again as it was: each reading of the clock is late by another time. */
  readonly #reported = new WeakMap<object, { at: number; time: number; stateId: string }>()
  readonly #notices: Notices
  #pollMs = firstPollMs
  /** When to update because a notice has asked for it. */
  #wakeAt = Infinity

  constructor(options: SharedOptions, organization: string, rules: Rules) {
    // The number changes with the text.
    super(options, 'limits-3', organization, keepMs)
    this.rules = rules
    const { store, timeoutMs, log } = this
    const onNotice = (wakeUps: readonly WakeUp[] | undefined): void => this.#onNotice(wakeUps)
    this.#notices = new Notices({ store, timeoutMs, log, process: () => this.id, onNotice })
  }

  /** Closes a surface for all processes. */
  close(surface: string, ms: number): void {
    this.#closures.set(surface, Math.max(performance.now() + ms, this.#closures.get(surface) ?? 0))
    this.updateSoon()
  }

  get hasFreeSlot(): boolean {
    return this.slots > this.inFlight
  }

  /** Begins a request, in a free slot if there is one. */
  enter(): void {
    this.inFlight++
    this.slots = Math.max(this.slots, this.inFlight)
  }

  /** Ends a request: another one of this process gets its slot, or another process. */
  release(requestMs: number): void {
    this.#requestMs = Math.max(leastRequestMs, requestMs)
    this.inFlight--
    this.giveBack(1)
    for (const { queue } of this.surfaces.values()) queue.wake()
  }

  /**
   * Gives back the slots that no call may use. When the process may keep none any more, these are also the slots of requests that have
   * ended: others count that what it may send has arrived by then.
   */
  giveBack(ended = 0): void {
    const free = this.slots - this.inFlight
    const isOver = performance.now() >= this.#slotsEndAt
    let needed = 0
    for (const surface of this.surfaces.values())
      needed += surface.keepGranted(isOver ? free - ended - needed : Infinity)
    if (free <= needed) return
    this.slots -= free - needed
    this.updateSoon()
  }

  /** When requests of all processes arrived at a surface, as far as the latest known state says, and when that was. */
  known(surface: string): { arrivals: number[]; at: number } {
    const { time: readTime = 0, receivedAt: at = -Infinity } = this.seen ?? {}
    const parts = Object.values(this.copy?.processes ?? {})
    const times = parts.flatMap(({ arrivals }) => arrivals[surface] ?? [])
    return { arrivals: times.map((time) => time - readTime + at), at }
  }

  /** Gives up the places, and stops listening. Requests in flight keep their slots until they end. */
  async stop(): Promise<void> {
    this.isClosed = true
    this.#notices.stop()
    const own = this.copy?.processes[this.id]
    if (Object.keys(own?.places ?? {}).length > 0) this.updateSoon()
    await this.running
    this.schedule()
  }

  /** How long this process may use a slot for further requests, in milliseconds. */
  get #reuseSlotMs(): number {
    return Math.min(this.slowestMs, this.#grantMs)
  }

  get #isWaiting(): boolean {
    return Array.from(this.surfaces.values()).some(({ calls }) => calls > 0)
  }

  /** Whether a state without the part of this process would lack something. */
  get #isMissed(): boolean {
    const surfaces = [...this.surfaces.values()]
    const hasClosure = Array.from(this.#closures.values()).some((openAt) => openAt > performance.now())
    return hasClosure || this.slots > 0 || surfaces.some((each) => each.arrivals().length > 0)
  }

  protected async update(): Promise<void> {
    this.#wakeAt = Infinity
    await this.#notices.listen(await this.key())
    const startedAt = performance.now()
    this.giveBack()
    const { grants } = await this.#exchange()
    // A process that slept for so long may have lost its slots to others.
    const isLate = performance.now() - startedAt >= this.rules.leaseMs
    const slots = isLate ? 0 : Array.from(grants.values()).reduce((sum, { slots }) => sum + slots, 0)
    if (slots > 0) {
      this.#pollMs = firstPollMs
      this.slots += slots
      this.#slotsEndAt = performance.now() + this.#reuseSlotMs
      // A single slow reply says little.
      this.#grantMs = Math.min(performance.now() - startedAt, 2 * this.#grantMs)
    }
    for (const [key, surface] of this.surfaces)
      surface.receive(isLate ? undefined : grants.get(key), this.#slotsEndAt)
    this.giveBack()
    this.#notices.updated()
  }

  /** Puts this process's part into the text, and asks for slots. */
  async #exchange(): Promise<Changed> {
    let closures = new Map<string, number>()
    const changed = await this.change((text, moment) => {
      // Like the slots, those of now: no slot may be free before its 429 is known.
      closures = new Map(this.#closures)
      // The clock was read later: no request counts from a time before its arrival, and no surface opens early.
      const report = (now: number, stateId: string): Report =>
        this.#report(now - moment.readAt, stateId, closures)
      const changed = changeState(text, moment, this.copy, report, this.rules, randomId())
      return { ...changed, notice: this.#notices.compose(changed.wakeUps) }
    })
    for (const [surface, at] of closures)
      if (this.#closures.get(surface) === at) this.#closures.delete(surface)
    return changed
  }

  /** @param ahead How far the time of the state is ahead of the monotonic time. */
  #report(ahead: number, stateId: string, closures: ReadonlyMap<string, number>): Report {
    const { id, slowestMs } = this
    const surfaces = [...this.surfaces.values()]
    const reportedTime = ([request, at]: [object, number]): number => {
      const before = this.#reported.get(request)
      const isSame = before?.at === at && before.stateId === stateId
      const time = isSame ? before.time : Math.ceil(at + ahead)
      this.#reported.set(request, { at, time, stateId })
      return time
    }
    const waiting = surfaces.map(({ key, calls }) => [key, calls] as const).filter(([, calls]) => calls > 0)
    return {
      ...{ process: id, slots: this.slots, waiting: new Map(waiting) },
      arrivals: surfaces.map((surface) => [surface.key, surface.arrivals().map(reportedTime)]),
      closures: Array.from(closures, ([surface, at]) => [surface, Math.ceil(at + ahead)]),
      // It has the reply as much later, and may send the last request with its slot as much later again.
      arrivesWithinMs: arrivesWithinMs + 2 * Math.ceil(slowestMs),
      requestsPerSlot: Math.max(1, Math.floor(this.#reuseSlotMs / this.#requestMs)),
      // It may be updating when a slot is offered to it, and then needs a notice, and an update that may lose to others.
      offerMs: Math.min(offerBounds.most, Math.max(offerBounds.least, Math.ceil(slowestMs / 50) * 150 + 50)),
    }
  }

  #onNotice(wakeUps: readonly WakeUp[] | undefined): void {
    const isFor = (process: string): boolean =>
      process === this.id || (process === everyone && this.copy !== undefined)
    // Without notices, the state may be missing, too.
    const ms = wakeUps ? Math.min(...wakeUps.map(([process, ms]) => (isFor(process) ? ms : Infinity))) : 0
    if (ms === 0) {
      this.updateSoon()
      return
    }
    // The latest notice says whose turn it is.
    this.#wakeAt = performance.now() + ms + Math.random() * spreadMs
    this.schedule()
  }

  protected onFailure(): void {
    this.#notices.failed()
    for (const surface of this.surfaces.values()) surface.receive(undefined, 0)
  }

  protected get isRetried(): boolean {
    return this.#isWaiting || (this.isClosed ? this.slots > 0 : this.#isMissed)
  }

  protected renewMs(): number {
    const wakeMs = this.#wakeAt - performance.now()
    if (this.slots === 0 && !this.#isWaiting) return wakeMs
    let ms = Math.min(this.rules.leaseMs / 3, wakeMs)
    for (const { calls, waitReason } of this.surfaces.values()) {
      // Surfaces that wait for their pace or a closure have timers of their own.
      if (calls === 0 || waitReason === undefined || waitReason.reason === 'pace') continue
      // That update takes a slot from a process that has ended.
      ms = Math.min(ms, Math.max(0, waitReason.until - performance.now()) + Math.random() * spreadMs)
      if (waitReason.reason !== 'slot' || this.#notices.haveArrived) continue
      ms = Math.min(ms, this.#pollMs * (1 + Math.random()))
      this.#pollMs = Math.min(this.#pollMs * 1.5, longestPollMs)
    }
    return ms
  }
}
