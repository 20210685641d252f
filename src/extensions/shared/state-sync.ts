import { type SurfaceQueue, marginMs } from '../../extend.ts'
import { type Changed, changeState } from './change.ts'
import { type AskOutcome, type Report, type WaitReason, decodeNotice, everyone, turnMs } from './turns.ts'
import { type SharedOptions, SharedText } from './shared-text.ts'
import type { LimiterState, Rules } from './limiter-state.ts'
import { randomId } from '../../lib/hash.ts'
import { within } from '../../lib/abort.ts'
import { runUserCallback } from '../../lib/thrown.ts'

/** How long a store keeps an unused state, in milliseconds: longer than a 429 closes a surface. */
const keepMs = 2 * 86_400_000

/** Longest random delay, so that processes do not all look at once, in milliseconds. */
const spreadMs = 40

/** First and longest time between two looks at a store without notices, in milliseconds. It grows while a call waits. */
const [firstPollMs, longestPollMs] = [25, 1000]

/** Maximum time from the grant of a slot until its request is sent, in milliseconds; a later one is told. */
export const promptMs = 20

/** How long a request takes to arrive at the latest after its slot was heard of, in milliseconds. */
export const arrivalMs = marginMs + promptMs

/** A process that has heard no notice of its own for so long logs it, in milliseconds. */
const deafMs = 5000

/** A shorter request would be one of a test, or of a cache: then processes should still take turns. In milliseconds. */
const leastRequestMs = 50

/** What a surface of this process tells of itself. Times are monotonic. */
export interface SurfacePart {
  readonly key: string
  /** The calls that wait, the sends of this process, and the closure that it knows of. */
  readonly queue: SurfaceQueue
  /** Its calls that wait for a slot. */
  readonly calls: number
  /** Why they wait; undefined if they have not asked since the latest change. */
  readonly waitReason: (WaitReason & { readonly until: number }) | undefined
  /** Its requests, and when they arrived at the latest. */
  arrivals(): [request: object, at: number][]
  /** Its calls may be sent in the slots of this process until some time, or have to wait. With undefined, they may ask again. */
  settle(outcome: AskOutcome | undefined, until: number): void
  /** Keeps granted requests for calls that wait, so many at most, and returns how many it has. */
  keepGranted(most: number): number
  /** A 429 has closed it for so many milliseconds. */
  refused(milliseconds: number): void
}

/** Keeps the shared state and this process's part in it in step. */
export class StateSync extends SharedText<LimiterState> {
  readonly surfaces = new Map<string, SurfacePart>()
  readonly rules: Rules
  /** Requests in flight. */
  inFlight = 0
  /** Slots of this process: for them, and for the next ones. */
  slots = 0
  /** How long the latest request took, at first a guess, in milliseconds. */
  #requestMs = 100
  /** How long it takes this process to get a slot, in milliseconds. */
  #grantMs = Infinity
  /** Until when a slot may serve another request of this process, since handing it on would take as long. */
  #turnEndsAt = 0
  isClosed = false
  /** When surfaces open that a 429 has closed, until the others know. */
  readonly #closures = new Map<string, number>()
  /** What was told of a request, so that it is told again as it was: each reading of the clock is late by another time. */
  readonly #told = new WeakMap<object, { at: number; time: number; epoch: string }>()
  #unwatch: (() => void) | undefined
  #isWatching = false
  #pollMs = firstPollMs
  /** Whether a notice of this process has come back to it. Until then it polls: a pooler or missing rights may swallow them. */
  #hears = false
  /** Since when each update sends a notice, to hear it come back; Infinity before, and once it has come or is given up. */
  #testsSince = Infinity
  /** When to look whether another process has taken its slot. */
  #lookAt = Infinity

  constructor(options: SharedOptions, organization: string, rules: Rules) {
    // The number changes with the text.
    super(options, 'limits-2', organization, keepMs)
    this.rules = rules
  }

  /** Closes a surface for all processes. */
  close(surface: string, ms: number): void {
    this.#closures.set(surface, Math.max(performance.now() + ms, this.#closures.get(surface) ?? 0))
    this.touch()
  }

  get hasFreeSlot(): boolean {
    return this.slots > this.inFlight
  }

  /** Begins a request, in a free slot if there is one. */
  enter(): void {
    this.inFlight++
    this.slots = Math.max(this.slots, this.inFlight)
  }

  /** Ends a request: another one of this turn gets its slot, or another process. */
  release(requestMs: number): void {
    this.#requestMs = Math.max(leastRequestMs, requestMs)
    this.inFlight--
    this.giveBack(1)
    for (const { queue } of this.surfaces.values()) queue.wake()
  }

  /**
   * Gives back the slots that no call may use. After the turn, these are also the slots of requests that have ended: others
   * count that what it may send in its turn has arrived by then.
   */
  giveBack(ended = 0): void {
    const free = this.slots - this.inFlight
    const isOver = performance.now() >= this.#turnEndsAt
    let needed = 0
    for (const surface of this.surfaces.values())
      needed += surface.keepGranted(isOver ? free - ended - needed : Infinity)
    if (free <= needed) return
    this.slots -= free - needed
    this.touch()
  }

  /** When requests of all processes arrived at a surface, as far as the latest known state tells, and when that was. */
  known(surface: string): { arrivals: number[]; at: number } {
    const { time: readTime = 0, receivedAt: at = -Infinity } = this.seen ?? {}
    const entries = Object.values(this.copy?.processes ?? {})
    const times = entries.flatMap(({ arrivals }) => arrivals[surface] ?? [])
    return { arrivals: times.map((time) => time - readTime + at), at }
  }

  /** Gives up the places, and stops listening. Requests in flight keep their slots until they end. */
  async stop(): Promise<void> {
    this.isClosed = true
    this.#endWatch()
    const own = this.copy?.processes[this.id]
    if (Object.keys(own?.places ?? {}).length > 0) this.touch()
    await this.running
    this.schedule()
  }

  /** How long this process may keep a slot for its next requests, in milliseconds. */
  get #keepMs(): number {
    return Math.min(this.slowestMs, this.#grantMs)
  }

  get #isWaiting(): boolean {
    return Array.from(this.surfaces.values()).some(({ calls }) => calls > 0)
  }

  /** Whether a state without the part of this process would lack something. */
  get #counts(): boolean {
    const surfaces = [...this.surfaces.values()]
    const isClosed = Array.from(this.#closures.values()).some((openAt) => openAt > performance.now())
    return isClosed || this.slots > 0 || surfaces.some((each) => each.arrivals().length > 0)
  }

  protected async update(): Promise<void> {
    this.#lookAt = Infinity
    await this.#watch()
    const startedAt = performance.now()
    this.giveBack()
    const { outcomes } = await this.#exchange()
    // A process that slept for so long may have lost its slots to others.
    const isLate = performance.now() - startedAt >= this.rules.leaseMs
    const slots = isLate ? 0 : Array.from(outcomes.values()).reduce((sum, { slots }) => sum + slots, 0)
    if (slots > 0) {
      this.#pollMs = firstPollMs
      this.slots += slots
      this.#turnEndsAt = performance.now() + this.#keepMs
      // A single slow reply says little.
      this.#grantMs = Math.min(performance.now() - startedAt, 2 * this.#grantMs)
    }
    for (const [key, surface] of this.surfaces)
      surface.settle(isLate ? undefined : outcomes.get(key), this.#turnEndsAt)
    this.giveBack()
    if (performance.now() - this.#testsSince < deafMs) return
    this.#testsSince = Infinity
    this.log('warn', 'no notices of the shared store arrive, so this process polls', {})
  }

  /** Listens to notices. Until the store does so, which may be never, this process polls. */
  async #watch(): Promise<void> {
    const key = await this.key()
    if (this.store.watch === undefined || this.#isWatching || this.isClosed) return
    this.#isWatching = true
    await within(
      this.timeoutMs,
      () => this.#subscribe(key),
      () => {
        const fields = { milliseconds: this.timeoutMs }
        this.log('warn', 'the shared store does not answer to watch(), so this process polls', fields)
      },
    )
  }

  async #subscribe(key: string): Promise<void> {
    try {
      // A store that is not typed may subscribe first.
      this.#unwatch = await Promise.resolve(this.store.watch?.(key, (text) => this.#onNotice(text)))
    } catch (error) {
      this.#isWatching = false
      throw error
    }
    this.#testsSince = performance.now()
    this.#endWatch()
  }

  #endWatch(): void {
    if (this.isClosed) runUserCallback(() => this.#unwatch?.())
  }

  /** Tells this process's part, and asks for slots. */
  async #exchange(): Promise<Changed> {
    let closures = new Map<string, number>()
    const changed = await this.change((text, moment) => {
      // Like the slots, those of now: no slot may be free before its 429 is known.
      closures = new Map(this.#closures)
      // The clock was read later: no request counts from a time before its arrival, and no surface opens early.
      const report = (now: number, epoch: string): Report =>
        this.#report(now - moment.readAt, epoch, closures)
      const changed = changeState(text, moment, this.copy, report, this.rules, randomId())
      const { looks } = changed
      const isTold = looks.length > 0 || this.#testsSince !== Infinity
      return { ...changed, notice: isTold ? JSON.stringify({ from: this.id, looks }) : undefined }
    })
    for (const [surface, at] of closures)
      if (this.#closures.get(surface) === at) this.#closures.delete(surface)
    return changed
  }

  /** @param ahead How far the time of the epoch is ahead of the monotonic time. */
  #report(ahead: number, epoch: string, closures: ReadonlyMap<string, number>): Report {
    const { id, slowestMs } = this
    const surfaces = [...this.surfaces.values()]
    const timeOf = ([request, at]: [object, number]): number => {
      const told = this.#told.get(request)
      const time = told?.at === at && told.epoch === epoch ? told.time : Math.ceil(at + ahead)
      this.#told.set(request, { at, time, epoch })
      return time
    }
    return {
      ...{ process: id, slots: this.slots },
      arrivals: surfaces.map((surface) => [surface.key, surface.arrivals().map(timeOf)]),
      closures: Array.from(closures, ([surface, at]) => [surface, Math.ceil(at + ahead)]),
      asks: new Map(surfaces.map(({ key, calls }) => [key, calls] as const).filter(([, calls]) => calls > 0)),
      // It hears of its slot as much later, and may send the last request with it as much later again.
      arrivalMs: arrivalMs + 2 * Math.ceil(slowestMs),
      perSlot: Math.max(1, Math.floor(this.#keepMs / this.#requestMs)),
      // It may be updating when it is called, and then needs a notice, and an update that may lose to others.
      turnMs: Math.min(turnMs.most, Math.max(turnMs.least, Math.ceil(slowestMs / 50) * 150 + 50)),
    }
  }

  #onNotice(text: string | undefined): void {
    const { id } = this
    if (text === undefined) {
      // The connection is new: notices are missing, and the state may be.
      this.#hears = false
      this.#testsSince = performance.now()
      this.touch()
      return
    }
    const { from, looks = [] } = decodeNotice(text) ?? {}
    if (from === id) {
      this.#hears = true
      this.#testsSince = Infinity
    }
    if (from === id || looks.length === 0) return
    const isFor = (process: string): boolean =>
      process === id || (process === everyone && this.copy !== undefined)
    const ms = Math.min(...looks.map(([process, ms]) => (isFor(process) ? ms : Infinity)))
    if (ms === 0) {
      this.touch()
      return
    }
    // The latest notice tells whose turn it is.
    this.#lookAt = performance.now() + ms + Math.random() * spreadMs
    this.schedule()
  }

  protected onFailure(): void {
    // The connection for notices may come back later.
    if (this.#testsSince !== Infinity) this.#testsSince = performance.now()
    for (const surface of this.surfaces.values()) surface.settle(undefined, 0)
  }

  protected get isRetried(): boolean {
    return this.#isWaiting || (this.isClosed ? this.slots > 0 : this.#counts)
  }

  protected renewMs(): number {
    const look = this.#lookAt - performance.now()
    if (this.slots === 0 && !this.#isWaiting) return look
    let ms = Math.min(this.rules.leaseMs / 3, look)
    for (const { calls, waitReason } of this.surfaces.values()) {
      // Surfaces that wait for their pace or a closure have timers of their own.
      if (calls === 0 || waitReason === undefined || waitReason.reason === 'pace') continue
      // A look takes a slot from a process that has ended.
      ms = Math.min(ms, Math.max(0, waitReason.until - performance.now()) + Math.random() * spreadMs)
      if (waitReason.reason !== 'slot' || this.#hears) continue
      ms = Math.min(ms, this.#pollMs * (1 + Math.random()))
      this.#pollMs = Math.min(this.#pollMs * 1.5, longestPollMs)
    }
    return ms
  }
}
