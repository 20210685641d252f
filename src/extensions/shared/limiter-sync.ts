// A process's side of the shared state: what its surfaces have and want is put into the text whenever it changes, when its lease is due, and
// while calls wait: when a message or the reason of their waiting says so, and again and again, since no message is sure to arrive. What an update grants goes back to the surfaces. A process has slots
// for its requests in flight, and keeps those that become free for its next ones, for about as long as passing them on would take.

import {
  type Limits,
  type SentRequest,
  type Slot,
  type Gate,
  SurfacePace,
  SurfaceQueue,
  longestClosureMs,
  marginMs,
} from '../../extend.ts'
import { randomId } from '../../lib/hash.ts'
import { runUserCallback } from '../../lib/thrown.ts'
import { type Changed, changeState } from './limiter-change.ts'
import { type LimiterState, type Rules, everyone, messageOf, surfaceKey, wakeUpsIn } from './limiter-state.ts'
import { type Grant, type Report, type WaitReason, offerBounds } from './limiter-grants.ts'
import { type SharedOptions, StoredText } from './stored-text.ts'

/** How long a store keeps a state that nobody changes, in milliseconds: longer than a 429 closes a surface. */
const keepMs = 2 * 86_400_000

/** Longest random delay, so that processes do not all update at once, in milliseconds. */
const jitterMs = 40

/** Longest time between two updates while a call waits for a slot, in milliseconds. */
const longestPollMs = 1000

/** Maximum time from the grant of a slot until its request is sent, in milliseconds; a later one is reported. */
const longestSendMs = 20

/** How long a request takes to arrive at the latest, from when the process has the reply that grants it, in milliseconds. */
const arrivesWithinMs = marginMs + longestSendMs

/** A shorter request would be one of a test, or of a cache: then processes should still take turns. In milliseconds. */
const leastRequestMs = 50

/** Keeps the shared state and this process's entry in it in step. */
export class LimiterSync extends StoredText<LimiterState> {
  readonly surfaces = new Map<string, LimiterSurface>()
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
  /** Ends listening to the messages of other processes. */
  #unwatch: (() => void) | undefined
  /** The first of these times: a message should come sooner. */
  readonly #firstPollMs = this.store.watch === undefined ? 25 : longestPollMs
  #pollMs = this.#firstPollMs
  /** When to update because another process has asked for it. */
  #wakeAt = Infinity

  constructor(options: SharedOptions, organization: string, rules: Rules) {
    // The number changes with the text.
    super(options, 'limits-3', organization, keepMs)
    this.rules = rules
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
  latestArrivals(surface: string): { arrivals: number[]; at: number } {
    const { time: readTime = 0, receivedAt: at = -Infinity } = this.latestReading ?? {}
    const entries = Object.values(this.latestState?.processes ?? {})
    const times = entries.flatMap(({ arrivals }) => arrivals[surface] ?? [])
    return { arrivals: times.map((time) => time - readTime + at), at }
  }

  /** Gives up the places, and stops listening. Requests in flight keep their slots until they end. */
  async stop(): Promise<void> {
    this.isClosed = true
    runUserCallback(() => this.#unwatch?.())
    const own = this.latestState?.processes[this.id]
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

  /** Whether a state without the entry of this process would lack something. */
  get #isMissed(): boolean {
    const surfaces = [...this.surfaces.values()]
    const hasClosure = Array.from(this.#closures.values()).some((openAt) => openAt > performance.now())
    return hasClosure || this.slots > 0 || surfaces.some((each) => each.arrivals().length > 0)
  }

  protected async update(): Promise<void> {
    this.#wakeAt = Infinity
    const key = await this.key()
    if (!this.isClosed)
      this.#unwatch ??= this.store.watch?.(key, (message) => this.#receive(message)) ?? (() => {})
    const startedAt = performance.now()
    this.giveBack()
    const { grants } = await this.#exchange()
    // A process that slept for so long may have lost its slots to others.
    const isLate = performance.now() - startedAt >= this.rules.leaseMs
    const slots = isLate ? 0 : Array.from(grants.values()).reduce((sum, { slots }) => sum + slots, 0)
    if (slots > 0) {
      this.#pollMs = this.#firstPollMs
      this.slots += slots
      this.#slotsEndAt = performance.now() + this.#reuseSlotMs
      // A single slow reply says little.
      this.#grantMs = Math.min(performance.now() - startedAt, 2 * this.#grantMs)
    }
    for (const [key, surface] of this.surfaces)
      surface.receive(isLate ? undefined : grants.get(key), this.#slotsEndAt)
    this.giveBack()
  }

  /** Replaces this process's entry in the text, and asks for slots. */
  async #exchange(): Promise<Changed> {
    let closures = new Map<string, number>()
    const changed = await this.change((text, reading) => {
      // Like the slots, those of now: no slot may be free before its 429 is known.
      closures = new Map(this.#closures)
      // The clock was read later: no request counts from a time before its arrival, and no surface opens early.
      const report = (now: number, stateId: string): Report =>
        this.#report(now - reading.readAt, stateId, closures)
      const changed = changeState(text, reading, this.latestState, report, this.rules, randomId())
      return { ...changed, message: messageOf(this.id, changed.wakeUps) }
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
      // It may be updating when a slot is offered to it, and then needs a wake-up, and an update that may lose to others.
      offerMs: Math.min(offerBounds.most, Math.max(offerBounds.least, Math.ceil(slowestMs / 50) * 150 + 50)),
    }
  }

  /** @param message Undefined if some may have been missed, when the state may be missing, too. */
  #receive(message: string | undefined): void {
    const wakeUps = message === undefined ? [[this.id, 0] as const] : wakeUpsIn(message, this.id)
    if (wakeUps.length === 0) return
    const isFor = (process: string): boolean =>
      process === this.id || (process === everyone && this.latestState !== undefined)
    const ms = Math.min(...wakeUps.map(([process, ms]) => (isFor(process) ? ms : Infinity)))
    if (ms === 0) {
      this.updateSoon()
      return
    }
    // The latest message says whose turn it is.
    this.#wakeAt = performance.now() + ms + Math.random() * jitterMs
    this.schedule()
  }

  protected onFailure(): void {
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
      ms = Math.min(ms, Math.max(0, waitReason.until - performance.now()) + Math.random() * jitterMs)
      if (waitReason.reason !== 'slot') continue
      ms = Math.min(ms, this.#pollMs * (1 + Math.random()))
      this.#pollMs = Math.min(this.#pollMs * 1.5, longestPollMs)
    }
    return ms
  }
}

/** The limits of a process while the store is unavailable. */
export interface LocalLimits extends Pick<Limits, 'inFlight' | 'perMinute'> {
  /** The fraction of the organization's limits. */
  readonly share: number
}

/**
 * One surface of this process: grants leases to the calls of its queue, in slots that all processes share. Its next call asks by an update,
 * which grants requests, or says why and until when it waits. While the store is unavailable, it waits, or goes on with limits of its own.
 */
export class LimiterSurface implements Gate {
  readonly key: string
  readonly queue: SurfaceQueue
  /** Why its calls wait; undefined if they have not asked since the latest change. */
  waitReason: (WaitReason & { readonly until: number }) | undefined
  readonly #sync: LimiterSync
  readonly #local: LocalLimits | undefined
  /** The requests that others count. */
  readonly #sends = new Set<SentRequest>()
  /** Those that may be sent, but have no slot yet. */
  readonly #granted: SentRequest[] = []
  readonly #isPaced: boolean
  /** Whether an update will report that calls wait. */
  #isAsking = false
  /** Whether the store has granted requests before the surface opens here: the next update gives them back, and asks for none. */
  #isGrantedEarly = false

  /** @param local Undefined if this process must send nothing while the store is unavailable. */
  constructor(name: string | null, sync: LimiterSync, limits: Limits, local: LocalLimits | undefined) {
    this.key = surfaceKey(name)
    this.#isPaced = name !== null
    this.#sync = sync
    this.#local = local
    // It keeps the limits of this process while the store is unavailable.
    const perMinute = this.#isPaced ? (local ?? limits).perMinute : Infinity
    this.queue = new SurfaceQueue(new SurfacePace(limits, perMinute), this)
  }

  /** Its calls that wait for a slot. */
  get calls(): number {
    // A reason to wait ends with the calls that it was for.
    if (this.queue.length === 0) this.waitReason = undefined
    return this.#isGrantedEarly ? 0 : this.queue.length - this.#granted.length
  }

  /** Its requests, and when they arrived at the latest, in monotonic milliseconds. */
  arrivals(): [SentRequest, number][] {
    const { windowMs } = this.#sync.rules
    for (const send of this.#sends)
      if (performance.now() - arrivalOf(send) >= windowMs + marginMs) this.#sends.delete(send)
    return this.#isPaced ? Array.from(this.#sends, (send) => [send, arrivalOf(send)]) : []
  }

  /** Its calls may be sent in the slots of this process until some time, or have to wait. Without a grant, they may ask again. */
  receive(grant: Grant | undefined, until: number): void {
    const { closed } = this.queue.pace
    this.#isAsking = false
    this.#isGrantedEarly = false
    this.waitReason = grant?.waitReason && {
      ...grant.waitReason,
      until: performance.now() + grant.waitReason.ms,
    }
    // Others count them as if they were sent as late as possible.
    const granted = Array.from({ length: grant?.requests ?? 0 }, () => ({ at: until, answered: Infinity }))
    for (const send of granted) this.#sends.add(send)
    this.#granted.push(...granted)
    const { reason, ms = 0 } = this.waitReason ?? {}
    // Each closure counts as another 429, so one that is known, at most read at another time, is left.
    if (reason === 'closed' && ms > (closed && closed + marginMs)) this.queue.closeFor(ms)
    this.queue.wake()
  }

  /** Keeps granted requests for calls that wait, so many at most, and returns how many it has. */
  keepGranted(most: number): number {
    const isClosed = this.queue.pace.closed > 0
    const used = isClosed ? 0 : Math.min(this.queue.length, most)
    this.#isGrantedEarly ||= isClosed && this.#granted.length > 0
    for (const send of this.#granted.splice(used)) this.#sends.delete(send)
    return this.#granted.length
  }

  hasNoSlot(): boolean {
    return this.#sync.slots >= this.#sync.rules.inFlight
  }

  wait(): number {
    const sync = this.#sync
    const local = this.#local
    const { closed, wait } = this.queue.pace
    if (this.#granted.length > 0) return sync.hasFreeSlot ? closed : Infinity
    if (sync.isUnavailable) {
      sync.updateSoon()
      if (local === undefined || sync.slots >= local.inFlight) return Infinity
      return Math.max(wait, this.#localWait(local.share))
    }
    if (closed > 0) return closed
    const left = this.waitReason === undefined ? 0 : this.waitReason.until - performance.now()
    if (left > 0) return this.waitReason?.reason === 'pace' ? left : Infinity
    if (this.queue.length === 0) return 0
    if (!this.#isAsking) sync.updateSoon()
    this.#isAsking = true
    return Infinity
  }

  /** Milliseconds until this process may send its share of what the requests of all have left, as far as it knows them. */
  #localWait(share: number): number {
    const { windowMs, perMinute } = this.#sync.rules
    const latest = this.#sync.latestArrivals(this.key)
    const now = performance.now()
    const counted = latest.arrivals.filter((at) => at + windowMs > now).sort((a, b) => a - b)
    const own = this.arrivals().filter(([{ at }]) => at > latest.at).length
    const room = Math.min(perMinute, Math.ceil((own + 1) / share))
    const last = counted[counted.length + room - perMinute - 1]
    return last === undefined ? 0 : last + windowMs - now
  }

  refused(milliseconds: number): void {
    this.#sync.close(this.key, Math.min(milliseconds, longestClosureMs))
  }

  take(): Promise<Slot> {
    const sync = this.#sync
    const enteredAt = performance.now()
    return Promise.resolve({
      enter: (send) => {
        const granted = this.#granted.pop()
        if (granted !== undefined) this.#sends.delete(granted)
        this.#sends.add(send)
        sync.enter()
      },
      sent: (send) => {
        if (this.#isPaced && send.at - enteredAt > longestSendMs) sync.updateSoon()
      },
      release: (send, unsent) => {
        if (send && unsent) this.#sends.delete(send)
        if (send === null) sync.giveBack()
        else sync.release(performance.now() - enteredAt)
      },
    })
  }
}

/** When a request arrived at the latest, in monotonic milliseconds. */
function arrivalOf({ at, answered }: SentRequest): number {
  return Math.min(at + arrivesWithinMs, answered)
}
