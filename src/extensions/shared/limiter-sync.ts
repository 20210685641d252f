// The part of one process in the shared limits: its queues and its requests. What it wants of the others follows from them and from the
// latest state: it updates when they have to know something, when there may be room for its calls, when another process asks for it, and
// before its lease ends. While the store is unavailable, calls wait, or go on with limits of this process alone.

import {
  type Lease,
  type Limits,
  type QueueRequest,
  type SentRequest,
  type Slot,
  SurfacePace,
  SurfaceQueue,
  longestClosureMs,
  marginMs,
} from '../../extend.ts'
import { randomId } from '../../lib/hash.ts'
import { runUserCallback } from '../../lib/thrown.ts'
import { arrivalOf, changeState, roomFrom } from './limiter-change.ts'
import {
  type LimiterState,
  type OwnRequest,
  type Report,
  type Rules,
  isFor,
  messageOf,
  surfaceKey,
} from './limiter-state.ts'
import { type SharedOptions, StoredText } from './stored-text.ts'

/** How long a store keeps a state that nobody changes, in milliseconds: longer than a 429 closes a surface. */
const keepMs = 2 * 86_400_000

/** Longest time between two updates while only a slot is missing, in milliseconds; up to twice that, so that processes do not coincide. */
const longestPollMs = 1000

/** Longest random delay of an update, so that processes do not all update at once, in milliseconds. */
const jitterMs = 40

const hasEnded = ({ status }: OwnRequest): boolean => status === 'ended' || status === 'unsent'

/** The limits of a process while the store is unavailable. */
export interface LocalLimits extends Pick<Limits, 'inFlight' | 'perMinute'> {
  /** The fraction of the organization's limits. */
  readonly share: number
}

/** Keeps the shared state and the requests of this process in step. */
export class LimiterSync extends StoredText<LimiterState> {
  isClosed = false
  readonly #rules: Rules
  readonly #limits: Limits
  readonly #local: LocalLimits | undefined
  readonly #queues = new Map<string, SurfaceQueue>()
  /** By their ids: those in flight, and those whose end the store may not know yet. */
  readonly #requests = new Map<string, OwnRequest>()
  /** When surfaces open after a 429 that the others may not know yet. */
  readonly #closures = new Map<string, number>()
  readonly #firstPollMs: number
  /** How long it waits for a message before it looks whether it has a slot. */
  #pollMs: number
  /** When the latest message came: it shows that those for this process would come, too. */
  #heardAt = -Infinity
  /** A part of the longest random delay, for the next update. */
  #random = 0
  /** Ends listening to the messages of other processes. */
  #unwatch: (() => void) | undefined

  /** @param local Undefined if this process must send nothing while the store is unavailable. */
  constructor(
    options: SharedOptions,
    organization: string,
    rules: Rules,
    limits: Limits,
    local: LocalLimits | undefined,
  ) {
    // The number changes with the text.
    super(options, 'limits-4', organization, keepMs)
    this.#rules = rules
    this.#limits = limits
    this.#local = local
    this.#firstPollMs = this.#pollMs = this.store.watch === undefined ? 25 : longestPollMs
  }

  acquire(request: QueueRequest): Promise<Lease> {
    const lease = this.#queueOf(request.surface).acquire(request)
    this.schedule()
    return lease
  }

  /** The queue of a surface that has had calls. */
  queueAt(surface: string | null): SurfaceQueue | undefined {
    return this.#queues.get(surfaceKey(surface))
  }

  /** Gives up the places, and stops listening. Requests in flight keep their slots until they end. */
  async stop(reason: unknown): Promise<void> {
    this.isClosed = true
    for (const queue of this.#queues.values()) queue.refuse(reason)
    runUserCallback(() => this.#unwatch?.())
    this.schedule()
    while (this.running) await this.running
  }

  #queueOf(name: string | null): SurfaceQueue {
    const key = surfaceKey(name)
    const known = this.#queues.get(key)
    if (known !== undefined) return known
    // It keeps the limits of this process while the store is unavailable.
    const perMinute = name === null ? Infinity : (this.#local ?? this.#limits).perMinute
    const queue: SurfaceQueue = new SurfaceQueue(new SurfacePace(this.#limits, perMinute), {
      wait: () => this.#waitMs(key, queue),
      hasNoSlot: () => this.#inFlight >= this.#rules.inFlight,
      take: () => Promise.resolve(this.#slotOf(key)),
      refused: (ms) => {
        const openAt = performance.now() + Math.min(ms, longestClosureMs)
        this.#closures.set(key, Math.max(openAt, this.#closures.get(key) ?? 0))
        this.schedule()
      },
    })
    this.#queues.set(key, queue)
    return queue
  }

  #slotOf(key: string): Slot {
    let id: string | undefined
    const become = (status: OwnRequest['status'], sent: SentRequest): void => {
      id ??= this.#unusedAt(key)[0]?.[0] ?? randomId()
      this.#requests.set(id, { surface: key, status, sent })
    }
    return {
      enter: (request) => become('in flight', request),
      release: (request, isUnsent = false) => {
        if (request !== null) become(isUnsent ? 'unsent' : 'ended', request)
        this.schedule()
        this.#wakeQueues()
      },
    }
  }

  /** The requests that the store has granted at a surface, and that no call has got yet. */
  #unusedAt(key: string): [id: string, request: OwnRequest][] {
    return Array.from(this.#requests).filter(
      ([, { surface, status }]) => surface === key && status === 'unused',
    )
  }

  get #inFlight(): number {
    return Array.from(this.#requests.values()).filter(({ status }) => status === 'in flight').length
  }

  /** Milliseconds until the next call of a surface may go; Infinity until an update says more. */
  #waitMs(key: string, { pace, length }: SurfaceQueue): number {
    // What the store has granted before may be sent.
    if (this.#unusedAt(key).length > 0) return pace.closed
    if (this.isUnavailable)
      return this.#local === undefined ? Infinity : this.#localWaitMs(key, pace, this.#local)
    const ms = Math.max(pace.closed, this.#roomAt(key) - performance.now())
    return ms > 0 || length === 0 ? Math.max(0, ms) : Infinity
  }

  /** When there may be room for the next call of a surface; in the past if only a slot is missing, or the store has not been asked. */
  #roomAt(key: string): number {
    const { latestState: state, latestReading: reading } = this
    if (state === undefined || reading === undefined) return -Infinity
    const from = roomFrom(state, this.id, key, this.#rules)
    return from <= reading.time ? -Infinity : from - reading.time + reading.readAt
  }

  /** Milliseconds until the process may send its share of what the requests of all have left, as far as it knows them. */
  #localWaitMs(key: string, pace: SurfacePace, { inFlight, share }: LocalLimits): number {
    if (this.#inFlight >= inFlight) return Infinity
    const now = performance.now()
    const { windowMs, perMinute } = this.#rules
    const { time = 0, receivedAt = -Infinity } = this.latestReading ?? {}
    const { arrivals = {}, open = {} } = this.latestState ?? {}
    const others = Object.values(open).filter(
      ({ surface, process }) => surface === key && process !== this.id,
    )
    const times = [...Object.values(arrivals[key] ?? {}), ...others.map(() => time)]
      .map((at) => at - time + receivedAt)
      .filter((at) => at + windowMs > now)
      .sort((a, b) => a - b)
    const own = Array.from(this.#requests.values()).filter(({ surface }) => surface === key)
    const sent = own.filter((request) => request.status !== 'unsent' && !this.#isOutdated(request)).length
    const room = Math.min(perMinute, Math.ceil((sent + 1) / share))
    const last = times[times.length + room - perMinute - 1] ?? -Infinity
    return Math.max(pace.wait, last + windowMs - now)
  }

  /** Whether a request that has ended counts no more. */
  #isOutdated({ status, sent }: OwnRequest): boolean {
    const { windowMs } = this.#rules
    return (
      status === 'ended' && sent !== undefined && arrivalOf(sent) + windowMs + marginMs < performance.now()
    )
  }

  #wakeQueues(): void {
    for (const queue of this.#queues.values()) queue.wake()
  }

  protected async update(): Promise<void> {
    const key = await this.key()
    if (!this.isClosed)
      this.#unwatch ??= this.store.watch?.(key, (message) => this.#receive(message)) ?? (() => {})
    for (const [id, request] of this.#needless()) this.#requests.set(id, { ...request, status: 'unsent' })
    const { report } = await this.change((text, reading) => {
      // As it is now: no slot may be free before its 429 is known.
      const report = this.#report()
      const changed = changeState(text, reading, this.latestState, report, this.#rules, randomId())
      return { ...changed, message: messageOf(this.id, changed.wakes), report }
    })
    this.#forget(report)
    this.#random = Math.random()
    this.#pollMs = this.#takeGranted() ? this.#firstPollMs : Math.min(this.#pollMs * 1.5, longestPollMs)
    this.#closeQueues()
    this.#wakeQueues()
  }

  #report(): Report {
    const requests = new Map(this.#requests)
    return { process: this.id, requests, waiting: this.#waiting(), closures: new Map(this.#closures) }
  }

  /** How many calls ask for a slot at each surface. */
  #waiting(): Map<string, number> {
    const waiting = new Map<string, number>()
    for (const [key, { length }] of this.#queues) {
      const calls = Math.min(length - this.#unusedAt(key).length, this.#rules.inFlight)
      if (calls > 0) waiting.set(key, calls)
    }
    return waiting
  }

  /** The surfaces at which the process is in the line. */
  get #places(): Set<string> {
    const own = this.latestState?.line.filter(({ process }) => process === this.id) ?? []
    return new Set(own.map(({ surface }) => surface))
  }

  /** The granted requests that no call may use. */
  #needless(): [id: string, request: OwnRequest][] {
    return Array.from(this.#queues).flatMap(([key, { length, pace }]) =>
      this.#unusedAt(key).slice(pace.closed > 0 ? 0 : length),
    )
  }

  /** The store knows what was reported. */
  #forget({ requests, closures }: Report): void {
    for (const [id, request] of requests) if (hasEnded(request)) this.#requests.delete(id)
    for (const [key, openAt] of closures) if (this.#closures.get(key) === openAt) this.#closures.delete(key)
  }

  /** Takes the requests that the state has for this process; returns whether there are any. */
  #takeGranted(): boolean {
    const { latestState: state, latestReading: reading } = this
    if (state === undefined || reading === undefined) return false
    // A process that slept for so long may have lost them to others.
    const aliveMs = (state.aliveUntil[this.id] ?? 0) - reading.time
    if (performance.now() - reading.readAt >= aliveMs) return false
    const isNew = ([id, { process }]: [string, { process: string }]): boolean =>
      process === this.id && !this.#requests.has(id)
    const granted = Object.entries(state.open).filter(isNew)
    for (const [id, { surface }] of granted)
      this.#requests.set(id, { surface, status: 'unused', sent: undefined })
    return granted.length > 0
  }

  /** Closes the surfaces for which others have had a 429. */
  #closeQueues(): void {
    const { latestState: state, latestReading: reading } = this
    if (state === undefined || reading === undefined) return
    const late = performance.now() - reading.readAt
    for (const [key, queue] of this.#queues) {
      const ms = (state.closures[key] ?? 0) - reading.time - late
      const { closed } = queue.pace
      // Each closure counts as another 429, so one that is known, at most read at another time, is left.
      if (ms > 0 && ms > (closed && closed + marginMs)) queue.closeFor(ms)
    }
  }

  /** @param message Undefined if some may have been missed. */
  #receive(message: string | undefined): void {
    this.#heardAt = performance.now()
    if (message === undefined || isFor(message, this.id)) this.updateNow()
  }

  protected onFailure(): void {
    for (const [id, request] of this.#requests) if (this.#isOutdated(request)) this.#requests.delete(id)
    for (const [key, openAt] of this.#closures) if (openAt <= performance.now()) this.#closures.delete(key)
    this.#wakeQueues()
  }

  protected get isRetried(): boolean {
    if (this.isClosed) return this.#inFlight > 0
    return this.#requests.size + this.#closures.size + this.#waiting().size > 0
  }

  protected nextUpdateAt(): number {
    if (this.#hasNews) return performance.now()
    const lookAt = Math.max(this.updatedAt, this.#heardAt) + this.#pollMs * (1 + this.#random)
    const looks = Array.from(this.#places, (key) => {
      const roomAt = this.#roomAt(key)
      return roomAt === -Infinity ? lookAt : roomAt + jitterMs * this.#random
    })
    const isAlive = this.#requests.size + looks.length > 0
    return Math.min(...looks, isAlive ? this.updatedAt + this.#rules.leaseMs / 3 : Infinity)
  }

  /** Whether the others have to know something. */
  get #hasNews(): boolean {
    const hasEnds = Array.from(this.#requests.values()).some(hasEnded)
    const [waiting, places] = [this.#waiting(), this.#places]
    const isInLine =
      waiting.size === places.size && Array.from(waiting.keys()).every((key) => places.has(key))
    return hasEnds || this.#closures.size > 0 || this.#needless().length > 0 || !isInLine
  }
}
