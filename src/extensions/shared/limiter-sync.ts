// Runs the part of one process in the shared limits: its queues, timers and the store. What the process has is a value that `limiter-process.ts`
// computes from each event; here, the value is kept, updates are made when it says that one is due, and queues wake up when it lets their
// calls go. While the store is unavailable, calls wait, or go on with limits of this process alone.

import {
  type Lease,
  type Limits,
  type QueueRequest,
  type Slot,
  SurfacePace,
  SurfaceQueue,
  longestClosureMs,
  marginMs,
} from '../../extend.ts'
import { randomId } from '../../lib/hash.ts'
import { runUserCallback } from '../../lib/thrown.ts'
import { changeState } from './limiter-change.ts'
import type { Report } from './limiter-grants.ts'
import {
  type Moment,
  type ProcessState,
  began,
  closed,
  ended,
  failed,
  giveBack,
  hasGranted,
  isMissed,
  isWaiting,
  localWaitMs,
  longestSendMs,
  newProcess,
  nextUpdateAt,
  replied,
  reportOf,
  unsent,
  updateSoon,
  updating,
  waitMs,
  woken,
} from './limiter-process.ts'
import {
  type LimiterState,
  type Rules,
  messageOf,
  surfaceKey,
  unlimitedSurface,
  wakeUpMs,
} from './limiter-state.ts'
import { type SharedOptions, StoredText } from './stored-text.ts'

/** How long a store keeps a state that nobody changes, in milliseconds: longer than a 429 closes a surface. */
const keepMs = 2 * 86_400_000

/** The limits of a process while the store is unavailable. */
export interface LocalLimits extends Pick<Limits, 'inFlight' | 'perMinute'> {
  /** The fraction of the organization's limits. */
  readonly share: number
}

/** Keeps the shared state and this process's entry in it in step. */
export class LimiterSync extends StoredText<LimiterState> {
  isClosed = false
  readonly #rules: Rules
  readonly #limits: Limits
  readonly #local: LocalLimits | undefined
  readonly #queues = new Map<string, SurfaceQueue>()
  #own: ProcessState
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
    super(options, 'limits-3', organization, keepMs)
    this.#rules = rules
    this.#limits = limits
    this.#local = local
    this.#own = newProcess(this.store.watch !== undefined)
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
    const { places = {} } = this.latestState?.processes[this.id] ?? {}
    this.#become(Object.keys(places).length > 0 ? updateSoon(this.#own, this.#moment) : this.#own)
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
      hasNoSlot: () => this.#own.slots >= this.#rules.inFlight,
      take: () => Promise.resolve(this.#slotOf(key)),
      refused: (ms) => this.#become(closed(this.#own, key, Math.min(ms, longestClosureMs), this.#moment)),
    })
    this.#queues.set(key, queue)
    return queue
  }

  #waitMs(key: string, { pace }: SurfaceQueue): number {
    const local = this.#local
    const { latestState: state, latestReading: reading } = this
    // What the store has granted before may be sent.
    if (!this.isUnavailable || hasGranted(this.#own, key)) return waitMs(this.#own, key, this.#moment)
    if (local === undefined || this.#own.slots >= local.inFlight) return Infinity
    const latest = state && reading && { state, reading }
    return Math.max(pace.wait, localWaitMs(this.#own, key, local.share, latest, this.#moment))
  }

  #slotOf(key: string): Slot {
    const takenAt = performance.now()
    return {
      enter: (request) => this.#become(began(this.#own, key, request, this.#moment)),
      sent: ({ at }) => {
        // Others count it from too early.
        if (key !== unlimitedSurface && at - takenAt > longestSendMs)
          this.#become(updateSoon(this.#own, this.#moment))
      },
      release: (request, isUnsent = false) => {
        const own = request !== null && isUnsent ? unsent(this.#own, key, request) : this.#own
        const tookMs = performance.now() - takenAt
        this.#become(request === null ? giveBack(own, this.#moment) : ended(own, tookMs, this.#moment))
        if (request !== null) this.#wakeQueues()
      },
    }
  }

  get #moment(): Moment {
    const queues = Array.from(
      this.#queues,
      ([key, { length, pace }]) => [key, { length, closedMs: pace.closed }] as const,
    )
    return {
      ...{ now: performance.now(), rules: this.#rules, slowestMs: this.slowestMs },
      queues: new Map(queues),
    }
  }

  #become(own: ProcessState): void {
    this.#own = own
    this.schedule()
  }

  #wakeQueues(): void {
    for (const queue of this.#queues.values()) queue.wake()
  }

  protected async update(): Promise<void> {
    const key = await this.key()
    if (!this.isClosed)
      this.#unwatch ??= this.store.watch?.(key, (message) => this.#receive(message)) ?? (() => {})
    const startedAt = performance.now()
    this.#own = updating(this.#own, this.#moment)
    const { grants, reporter, reported } = await this.#exchange()
    const tookMs = performance.now() - startedAt
    // A process that slept for so long may have lost its slots to others.
    const granted: typeof grants = tookMs < this.#rules.leaseMs ? grants : new Map()
    const reply = { grants: granted, tookMs, reporter, reported }
    this.#own = replied(this.#own, reply, Math.random(), this.#moment)
    for (const [key, { waitReason }] of granted) {
      const queue = this.#queues.get(key)
      const { closed = Infinity } = queue?.pace ?? {}
      // Each closure counts as another 429, so one that is known, at most read at another time, is left.
      if (waitReason?.reason === 'closed' && waitReason.ms > (closed && closed + marginMs))
        queue?.closeFor(waitReason.ms)
    }
    this.#own = giveBack(this.#own, this.#moment)
    this.#wakeQueues()
  }

  /** Replaces this process's entry in the text, and asks for slots. */
  #exchange() {
    return this.change((text, reading) => {
      // As it is now: no slot may be free before its 429 is known.
      const reporter = this.#own
      let { reported } = reporter
      const report = (time: number, stateId: string): Report => {
        // The clock was read later: no request counts from a time before its arrival, and no surface opens early.
        const made = reportOf(reporter, this.id, time - reading.readAt, stateId, this.#moment)
        reported = made.reported
        return made.report
      }
      const changed = changeState(text, reading, this.latestState, report, this.#rules, randomId())
      return { ...changed, message: messageOf(this.id, changed.wakeUps), reporter, reported }
    })
  }

  /** @param message Undefined if some may have been missed, when the state may be missing, too. */
  #receive(message: string | undefined): void {
    const ms = message === undefined ? 0 : wakeUpMs(message, this.id, this.latestState !== undefined)
    if (ms !== undefined) this.#become(woken(this.#own, ms, Math.random(), this.#moment))
  }

  protected onFailure(): void {
    this.#own = failed(this.#own)
    this.#wakeQueues()
  }

  protected get isRetried(): boolean {
    const hasNews = this.isClosed ? this.#own.slots > 0 : isMissed(this.#own, this.#moment)
    return hasNews || isWaiting(this.#own, this.#moment)
  }

  protected nextUpdateAt(): number {
    return nextUpdateAt(this.#own, this.updatedAt, this.#moment)
  }
}
