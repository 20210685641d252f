import type { JitterMargin } from '../limits/jitter-margin.ts'
import type { Limits, Share } from '../limits/interface.ts'
import { type Send, Pace, logFactor } from '../limits/pace.ts'
import { type Slot, type SlotSource, SurfaceQueue } from '../limits/surface-queue.ts'
import type { SurfacePart } from './own-part.ts'
import { unpaced } from './state.ts'
import type { Outcome, StateSync } from './state-sync.ts'
import type { Refusal } from './turns.ts'

/** Maximum time from the grant of a slot until its request is sent, in milliseconds; a later one is told. */
const promptMs = 20

/** What the surfaces of a limiter share. */
export interface SurfaceContext {
  readonly sync: StateSync
  readonly limits: Limits
  readonly margin: JitterMargin
  /** Requests in flight of each client, on all surfaces. */
  readonly inFlight: WeakMap<Share, number>
  /** The limits of this process while the store is unavailable; undefined if it must not send anything. */
  readonly alone: Pick<Limits, 'inFlight' | 'perMinute'> | undefined
}

/** Grants leases for one surface, together with all other processes. */
export class SharedSurface implements SlotSource, SurfacePart {
  readonly key: string
  /** The calls that wait, the sends of this process, and the closure that it knows of. */
  readonly queue: SurfaceQueue
  readonly inFlight: WeakMap<Share, number>
  refusal: SurfacePart['refusal']
  readonly #context: SurfaceContext
  /** The sends that others count. */
  readonly #sends = new Set<Send>()
  #isPaced: boolean
  #since: number | undefined

  constructor(name: string | null, context: SurfaceContext) {
    this.key = name === null ? unpaced : `:${name}`
    this.#isPaced = name !== null
    this.#context = context
    const { margin, inFlight, alone, limits } = context
    this.inFlight = inFlight
    // It keeps the limits of this process while the store is unavailable.
    const perMinute = this.#isPaced ? (alone ?? limits).perMinute : Infinity
    this.queue = new SurfaceQueue(new Pace(limits, margin, perMinute), this)
  }

  get waitingSince(): number | undefined {
    if (this.queue.length === 0) this.#since = undefined
    return this.#since
  }

  arrivals(): number[] {
    const { spanMs } = this.#context.sync.rules
    for (const send of this.#sends)
      if (performance.now() - this.#arrival(send) >= spanMs) this.#sends.delete(send)
    return this.#isPaced ? Array.from(this.#sends, (send) => this.#arrival(send)) : []
  }

  retry(): void {
    this.refusal = undefined
    this.queue.wake()
  }

  closedFor(ms: number): void {
    this.queue.hold(ms)
  }

  wait({ perMinute }: Share): number {
    const { alone, limits, sync } = this.#context
    this.#since ??= performance.now()
    if (sync.isUnavailable) {
      sync.touch()
      if (alone === undefined || sync.part.slots >= alone.inFlight) return Infinity
      // The pace has this process's share of the limits, which default limits of a client must not raise.
      return this.queue.pace.wait(perMinute > limits.perMinute ? perMinute : 0)
    }
    const { closed } = this.queue.pace
    if (this.refusal === undefined || closed > 0) return closed
    const { at, ms, reason } = this.refusal
    return reason === 'pace' ? Math.max(0, at + ms - performance.now()) : Infinity
  }

  async take(share: Share): Promise<Slot | undefined> {
    const { margin, sync } = this.#context
    const granted: Send = { at: performance.now(), answered: Infinity }
    if (sync.isUnavailable) return this.#slot(granted, false, () => sync.isUnavailable)
    const limit = this.#limit(share)
    const arrivalMs = Math.ceil(margin.ms) + promptMs
    const hasNext = this.queue.length > 1
    let outcome: Outcome
    try {
      outcome = await sync.ask({ surface: this.key, limit, arrivalMs, hasNext })
    } catch {
      // The store has failed, so the queue checks again.
      return undefined
    }
    if (outcome?.reason === 'granted') {
      this.#since = hasNext ? performance.now() : undefined
      this.#sends.add(granted)
      const fits = (other: Share): boolean => this.#limit(other) >= limit
      return this.#slot(granted, true, fits, hasNext ? outcome.next : undefined)
    }
    if (outcome?.reason === 'closed') this.queue.hold(outcome.ms)
    else if (outcome) this.refusal = { ...outcome, at: performance.now() }
    return undefined
  }

  /** Requests a minute: the limit of the client, or of the organization if that is higher. */
  #limit({ perMinute }: Share): number {
    return this.#isPaced ? Math.max(perMinute, this.#context.limits.perMinute) : Infinity
  }

  /**
   * @param granted Counts as sent until the request has been sent.
   * @param isCounted Whether the slots of this process include it before it is used.
   * @param next Why the next call waits.
   */
  #slot(granted: Send, isCounted: boolean, fits: (share: Share) => boolean, next?: Refusal): Slot {
    const { sync, limits } = this.#context
    const enteredAt = performance.now()
    return {
      fits,
      enter: (send) => {
        if (!isCounted) sync.part.slots++
        this.#sends.delete(granted)
        this.#sends.add(send)
        const [oldest = send] = this.#sends
        if (this.#sends.size > limits.perMinute * logFactor) this.#sends.delete(oldest)
        if (next !== undefined) this.refusal = { ...next, at: performance.now() }
      },
      sent: (send) => {
        if (this.#isPaced && send.at - enteredAt > promptMs) sync.touch()
      },
      release: (send) => {
        this.#sends.delete(granted)
        if (isCounted || send !== null) sync.part.slots--
        sync.touch()
        sync.change()
      },
    }
  }

  /** When a request arrived at the latest, in monotonic milliseconds. */
  #arrival({ at, answered }: Send): number {
    return Math.min(at + this.#context.margin.ms + promptMs, answered)
  }
}
