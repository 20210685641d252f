import {
  type Limits,
  type SentRequest,
  Pace,
  logFactor,
  marginMs,
  type Slot,
  type SlotSource,
  SurfaceQueue,
} from '../../extend.ts'
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
  /** The limits of this process while the store is unavailable; undefined if it must not send anything. */
  readonly alone: (Pick<Limits, 'inFlight' | 'perMinute'> & { readonly share: number }) | undefined
}

/** Grants leases for one surface, together with all other processes. */
export class SharedSurface implements SlotSource, SurfacePart {
  readonly key: string
  /** The calls that wait, the sends of this process, and the closure that it knows of. */
  readonly queue: SurfaceQueue
  refusal: SurfacePart['refusal']
  readonly #context: SurfaceContext
  /** The sends that others count. */
  readonly #sends = new Set<SentRequest>()
  #isPaced: boolean
  #since: number | undefined

  constructor(name: string | null, context: SurfaceContext) {
    this.key = name === null ? unpaced : `:${name}`
    this.#isPaced = name !== null
    this.#context = context
    const { alone, limits } = context
    // It keeps the limits of this process while the store is unavailable.
    const perMinute = this.#isPaced ? (alone ?? limits).perMinute : Infinity
    this.queue = new SurfaceQueue(new Pace(limits, perMinute), this)
  }

  get waitingSince(): number | undefined {
    if (this.queue.length === 0) this.#since = undefined
    return this.#since
  }

  arrivals(): [SentRequest, number][] {
    const { spanMs } = this.#context.sync.rules
    for (const send of this.#sends)
      if (performance.now() - this.#arrival(send) >= spanMs) this.#sends.delete(send)
    return this.#isPaced ? Array.from(this.#sends, (send) => [send, this.#arrival(send)]) : []
  }

  retry(): void {
    this.refusal = undefined
    this.queue.wake()
  }

  closedFor(ms: number): void {
    this.queue.hold(ms)
  }

  hasNoSlot(): boolean {
    return this.#context.sync.part.slots >= this.#context.limits.inFlight
  }

  wait(): number {
    const { alone, sync } = this.#context
    this.#since ??= performance.now()
    if (sync.isUnavailable) {
      sync.touch()
      if (alone === undefined || sync.part.slots >= alone.inFlight) return Infinity
      return Math.max(this.queue.pace.wait, this.#waitAlone(alone.share))
    }
    const { closed } = this.queue.pace
    if (this.refusal === undefined || closed > 0) return closed
    const { at, ms, reason } = this.refusal
    return reason === 'pace' ? Math.max(0, at + ms - performance.now()) : Infinity
  }

  /** Milliseconds until this process may send its share of what the requests of all have left, as far as it knows them. */
  #waitAlone(share: number): number {
    const { limits, sync } = this.#context
    const known = sync.known(this.key)
    const { spanMs } = sync.rules
    const now = performance.now()
    const counted = known.arrivals.filter((at) => at + spanMs > now).sort((a, b) => a - b)
    const own = this.arrivals().filter(([{ at }]) => at > known.at).length
    const room = Math.min(limits.perMinute, Math.ceil((own + 1) / share))
    const last = counted[counted.length + room - limits.perMinute - 1]
    return last === undefined ? 0 : last + spanMs - now
  }

  async take(): Promise<Slot | undefined> {
    const { limits, sync } = this.#context
    const granted: SentRequest = { at: performance.now(), answered: Infinity }
    if (sync.isUnavailable) return this.#slot(granted, false)
    const limit = this.#isPaced ? limits.perMinute : Infinity
    const arrivalMs = marginMs + promptMs
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
      return this.#slot(granted, true, hasNext ? outcome.next : undefined)
    }
    if (outcome?.reason === 'closed') this.queue.hold(outcome.ms)
    else if (outcome) this.refusal = { ...outcome, at: performance.now() }
    return undefined
  }

  /**
   * @param granted Counts as sent until the request has been sent.
   * @param isCounted Whether the slots of this process include it before it is used.
   * @param next Why the next call waits.
   */
  #slot(granted: SentRequest, isCounted: boolean, next?: Refusal): Slot {
    const { sync, limits } = this.#context
    const enteredAt = performance.now()
    return {
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
  #arrival({ at, answered }: SentRequest): number {
    return Math.min(at + marginMs + promptMs, answered)
  }
}
