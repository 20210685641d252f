// What one process has of the shared limits: its queues, and its requests. The store grants it a request, a call of a queue gets it, and when
// the call has ended, the others hear of it. What the process wants of them follows from its queues, its requests and the latest state: it
// updates when they have to know something, when the limits may allow its calls, when another process asks for it, and before its lease ends.
// While the store is unavailable, calls wait.

import {
  type Permit,
  type QueueRequest,
  type SentRequest,
  type Slot,
  SurfaceQueue,
  arrivalOf,
  marginMs,
} from '../../extend.ts'
import { randomId } from '../../lib/hash.ts'
import { runUserCallback } from '../../lib/thrown.ts'
import {
  type LimiterState,
  type OwnRequest,
  type Rules,
  allowedFrom,
  changeState,
  isFor,
  messageText,
  surfaceKey,
} from './limiter-state.ts'
import { type SharedOptions, StoredText } from './stored-text.ts'
import type { Snapshot } from './versioned-state.ts'

/** How long a store keeps a state that nobody changes, in milliseconds: longer than a 429 closes a surface. */
const ttlMs = 2 * 86_400_000

/** Longest time between two updates while only a slot is missing, in milliseconds; up to twice that, so that processes do not coincide. */
const longestPollMs = 1000

/** Longest random delay of an update, so that processes do not all update at once, in milliseconds. */
const jitterMs = 40

/** Keeps the shared state and the requests of this process in step. */
export class LimiterSync extends StoredText<LimiterState> {
  isClosed = false
  readonly #rules: Rules
  readonly #queues = new Map<string, SurfaceQueue>()
  /** By their ids: those in flight, and those whose end the store may not know yet. */
  readonly #requests = new Map<string, OwnRequest>()
  /** How long it waits for a message before it polls whether it has a slot: longer each time. */
  #pollMs: number
  /** What that begins with, also after a grant. A store without messages has to be polled soon. */
  readonly #firstPollMs: number
  /** When the latest message came: it shows that those for this process would come, too. */
  #messageAt = -Infinity
  /** Which fraction of the longest random delay the next update has. */
  #random = 0
  /** Ends listening to the messages of other processes. */
  #unwatch: (() => void) | undefined

  constructor(options: SharedOptions, organization: string, rules: Rules) {
    // The number changes with the text.
    super(options, 'limits-6', organization, ttlMs)
    this.#rules = rules
    this.#firstPollMs = this.#pollMs = this.store.watch === undefined ? 25 : longestPollMs
  }

  acquire(request: QueueRequest): Promise<Permit> {
    const permit = this.#queueOf(request.surface).acquire(request)
    this.schedule()
    return permit
  }

  /** The queue of a surface that has had calls. */
  queueAt(surface: string | null): SurfaceQueue | undefined {
    return this.#queues.get(surfaceKey(surface))
  }

  /** Refuses all calls that wait, and stops listening. Requests in flight keep their slots until they end. */
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
    const closed = (): number => Math.max(0, this.#closedUntil(key) - performance.now())
    const queue = new SurfaceQueue({
      closed,
      wait: () => {
        // What the store has granted before may be sent.
        if (this.#grantsAt(key).length > 0) return closed()
        if (this.isUnavailable) return Infinity
        const ms = Math.max(closed(), this.#allowedAt(key) - performance.now())
        // Then only a slot is missing, which an update brings.
        return ms > 0 || !this.#queues.get(key)?.length ? Math.max(0, ms) : Infinity
      },
      waitBehind: (ahead) => Math.max(0, this.#allowedAt(key, ahead) - performance.now()),
      isFull: () => this.#inFlight >= this.#rules.inFlight,
      take: () => Promise.resolve(this.#slotAt(key)),
    })
    this.#queues.set(key, queue)
    return queue
  }

  #slotAt(key: string): Slot {
    let id: string | undefined
    const put = (request: Omit<OwnRequest, 'surface'>): void => {
      // A queue uses a slot only while there is a grant.
      id ??= this.#grantsAt(key)[0] as string
      this.#requests.set(id, { surface: key, ...request })
    }
    return {
      use: (sent) => put({ sent, hasEnded: false }),
      release: (request, { unsent, refusedForMs }) => {
        if (request !== null) {
          const closedUntil = refusedForMs === undefined ? undefined : performance.now() + refusedForMs
          put({ sent: unsent === true ? undefined : request, hasEnded: true, closedUntil })
        }
        this.schedule()
        this.#wakeQueues()
      },
    }
  }

  /** The ids of the requests that the store has granted at a surface, and that no call has got yet. */
  #grantsAt(key: string): string[] {
    const isUnused = ({ surface, sent, hasEnded }: OwnRequest): boolean =>
      surface === key && sent === undefined && !hasEnded
    return Array.from(this.#requests).flatMap(([id, request]) => (isUnused(request) ? [id] : []))
  }

  get #inFlight(): number {
    return Array.from(this.#requests.values()).filter(({ sent, hasEnded }) => sent && !hasEnded).length
  }

  /** When a surface opens after a 429, of this process or of another one. */
  #closedUntil(key: string): number {
    const { latest } = this
    const known = latest ? ownTime(latest, latest.state.closedUntil[key] ?? -Infinity) : -Infinity
    const own = Array.from(
      this.#requests.values(),
      ({ surface, closedUntil }) => (surface === key && closedUntil) || -Infinity,
    )
    return Math.max(known, ...own)
  }

  /** When the limits may allow the next call of a surface; in the past if only a slot is missing, or the store has not been asked. */
  #allowedAt(key: string, ahead = 0): number {
    const { latest } = this
    if (latest === undefined) return -Infinity
    const from = allowedFrom(latest.state, this.id, key, this.#rules, ahead)
    return from <= latest.state.time ? -Infinity : ownTime(latest, from)
  }

  #wakeQueues(): void {
    for (const queue of this.#queues.values()) queue.wake()
  }

  protected async update(): Promise<void> {
    const key = await this.key()
    if (!this.isClosed)
      this.#unwatch ??= this.store.watch?.(key, (message) => this.#receive(message)) ?? (() => {})
    for (const [id, surface] of this.#unusable())
      this.#requests.set(id, { surface, sent: undefined, hasEnded: true })
    const { report } = await this.change((text, times) => {
      // As it is now: no slot may be free before its 429 is known.
      const report = { process: this.id, requests: new Map(this.#requests), waiting: this.#waiting() }
      const changed = changeState(text, times, this.latest, report, this.#rules, randomId())
      return { ...changed, message: messageText(this.id, changed.toNotify), report }
    })
    // The store knows of them.
    for (const [id, { hasEnded }] of report.requests) if (hasEnded) this.#requests.delete(id)
    this.#random = Math.random()
    this.#pollMs = this.#takeGrants() ? this.#firstPollMs : Math.min(this.#pollMs * 1.5, longestPollMs)
    for (const queue of this.#queues.values()) queue.refuseIfClosed()
    this.#wakeQueues()
  }

  /** How many calls ask for a slot at each surface. */
  #waiting(): Map<string, number> {
    const waiting = new Map<string, number>()
    for (const [key, { length }] of this.#queues) {
      const calls = Math.min(length - this.#grantsAt(key).length, this.#rules.inFlight)
      if (calls > 0) waiting.set(key, calls)
    }
    return waiting
  }

  /** The surfaces at which the process is queued. */
  get #queuedSurfaces(): Set<string> {
    const own = this.latest?.state.queue.filter(({ process }) => process === this.id) ?? []
    return new Set(own.map(({ surface }) => surface))
  }

  /** The grants that no call can use, since it has left or its surface has closed. */
  #unusable(): [id: string, surface: string][] {
    const now = performance.now()
    return Array.from(this.#queues).flatMap(([key, { length }]) =>
      this.#grantsAt(key)
        .slice(this.#closedUntil(key) > now ? 0 : length)
        .map((id): [string, string] => [id, key]),
    )
  }

  /** Takes the requests that the latest state grants this process; returns whether there are any. */
  #takeGrants(): boolean {
    if (this.latest === undefined) return false
    const { state, readAt } = this.latest
    // A process that slept for so long may have lost them to others.
    const aliveMs = (state.aliveUntil[this.id] ?? 0) - state.time
    if (performance.now() - readAt >= aliveMs) return false
    const isNew = ([id, { process }]: [string, { process: string }]): boolean =>
      process === this.id && !this.#requests.has(id)
    const grants = Object.entries(state.open).filter(isNew)
    for (const [id, { surface }] of grants)
      this.#requests.set(id, { surface, sent: undefined, hasEnded: false })
    return grants.length > 0
  }

  /** @param message Undefined if some may have been missed. */
  #receive(message: string | undefined): void {
    this.#messageAt = performance.now()
    if (message === undefined || isFor(message, this.id)) this.updateNow()
  }

  protected onFailure(): void {
    const now = performance.now()
    // A little longer than it counts: to forget it late costs nothing.
    const countsUntil = (sent: SentRequest): number => arrivalOf(sent) + this.#rules.windowMs + marginMs
    for (const [id, { sent, hasEnded, closedUntil = 0 }] of this.#requests)
      if (hasEnded && sent && Math.max(countsUntil(sent), closedUntil) < now) this.#requests.delete(id)
    this.#wakeQueues()
  }

  protected get isRetried(): boolean {
    if (this.isClosed) return this.#inFlight > 0
    return this.#requests.size + this.#waiting().size > 0
  }

  protected nextUpdateAt(): number {
    if (this.#hasUnreported) return performance.now()
    const pollAt = Math.max(this.updatedAt, this.#messageAt) + this.#pollMs * (1 + this.#random)
    const polls = Array.from(this.#queuedSurfaces, (key) => {
      const allowedAt = this.#allowedAt(key)
      return allowedAt === -Infinity ? pollAt : allowedAt + jitterMs * this.#random
    })
    const isAlive = this.#requests.size + polls.length > 0
    return Math.min(...polls, isAlive ? this.updatedAt + this.#rules.leaseMs / 3 : Infinity)
  }

  /** Whether the others have to know something. */
  get #hasUnreported(): boolean {
    const hasEnds = Array.from(this.#requests.values()).some(({ hasEnded }) => hasEnded)
    const [waiting, queued] = [this.#waiting(), this.#queuedSurfaces]
    const isQueuedAsWanted =
      waiting.size === queued.size && Array.from(waiting.keys()).every((key) => queued.has(key))
    return hasEnds || this.#unusable().length > 0 || !isQueuedAsWanted
  }
}

/** What the clock of this process shows at a time of the latest state. */
function ownTime({ state, readAt }: Snapshot<LimiterState>, time: number): number {
  return time - state.time + readAt
}
