import {
  type Limits,
  SurfacePace,
  type SentRequest,
  marginMs,
  type Slot,
  type SlotSource,
  SurfaceQueue,
} from '../../extend.ts'
import { unpaced } from './state.ts'
import type { StateSync, SurfacePart } from './state-sync.ts'
import type { AskOutcome } from './turns.ts'

/** Maximum time from the grant of a slot until its request is sent, in milliseconds; a later one is told. */
const promptMs = 20

/** How long a request takes to arrive at the latest, in milliseconds. */
export const arrivalMs = marginMs + promptMs

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
  waitReason: SurfacePart['waitReason']
  readonly #context: SurfaceContext
  /** The sends that others count. */
  readonly #sends = new Set<SentRequest>()
  /** Those that may be sent, but have no slot yet. */
  readonly #granted: SentRequest[] = []
  readonly #isPaced: boolean
  /** Whether an update will tell that calls wait. */
  #isAsking = false

  constructor(name: string | null, context: SurfaceContext) {
    this.key = name === null ? unpaced : `:${name}`
    this.#isPaced = name !== null
    this.#context = context
    const { alone, limits } = context
    // It keeps the limits of this process while the store is unavailable.
    const perMinute = this.#isPaced ? (alone ?? limits).perMinute : Infinity
    this.queue = new SurfaceQueue(new SurfacePace(limits, perMinute), this)
  }

  get calls(): number {
    // A reason to wait ends with the calls that it was for.
    if (this.queue.length === 0) this.waitReason = undefined
    return this.queue.length - this.#granted.length
  }

  arrivals(): [SentRequest, number][] {
    const { spanMs } = this.#context.sync.rules
    for (const send of this.#sends)
      if (performance.now() - arrivalOf(send) >= spanMs + marginMs) this.#sends.delete(send)
    return this.#isPaced ? Array.from(this.#sends, (send) => [send, arrivalOf(send)]) : []
  }

  settle(outcome: AskOutcome | undefined, until: number): void {
    const { closed } = this.queue.pace
    this.#isAsking = false
    this.waitReason = outcome?.waitReason && {
      ...outcome.waitReason,
      until: performance.now() + outcome.waitReason.ms,
    }
    // Others count them as if they were sent as late as possible.
    const granted = Array.from({ length: outcome?.granted ?? 0 }, () => ({ at: until, answered: Infinity }))
    for (const send of granted) this.#sends.add(send)
    this.#granted.push(...granted)
    const { reason, ms = 0 } = this.waitReason ?? {}
    // Each closure counts as another 429, so one that is known, at most read at another time, is left.
    if (reason === 'closed' && ms > (closed && closed + marginMs)) this.queue.closeFor(ms)
    this.queue.wake()
  }

  keepGranted(most: number): number {
    const used = this.queue.pace.closed > 0 ? 0 : Math.min(this.queue.length, most)
    for (const send of this.#granted.splice(used)) this.#sends.delete(send)
    return this.#granted.length
  }

  hasNoSlot(): boolean {
    return this.#context.sync.slots >= this.#context.limits.inFlight
  }

  wait(): number {
    const { alone, sync } = this.#context
    const { closed, wait } = this.queue.pace
    if (this.#granted.length > 0) return sync.hasFreeSlot ? closed : Infinity
    if (sync.isUnavailable) {
      sync.touch()
      if (alone === undefined || sync.slots >= alone.inFlight) return Infinity
      return Math.max(wait, this.#waitAlone(alone.share))
    }
    if (closed > 0) return closed
    const left = this.waitReason === undefined ? 0 : this.waitReason.until - performance.now()
    if (left > 0) return this.waitReason?.reason === 'pace' ? left : Infinity
    if (this.queue.length === 0) return 0
    if (!this.#isAsking) sync.touch()
    this.#isAsking = true
    return Infinity
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

  take(): Promise<Slot | undefined> {
    const { sync } = this.#context
    const isGranted = this.#granted.length > 0 && sync.hasFreeSlot
    return Promise.resolve(isGranted || sync.isUnavailable ? this.#slot(sync) : undefined)
  }

  #slot(sync: StateSync): Slot {
    const enteredAt = performance.now()
    return {
      enter: (send) => {
        const granted = this.#granted.pop()
        if (granted !== undefined) this.#sends.delete(granted)
        this.#sends.add(send)
        sync.enter()
      },
      sent: (send) => {
        if (this.#isPaced && send.at - enteredAt > promptMs) sync.touch()
      },
      release: (send) => {
        if (send === null) sync.giveBack()
        else sync.release(performance.now() - enteredAt)
      },
    }
  }
}

/** When a request arrived at the latest, in monotonic milliseconds. */
function arrivalOf({ at, answered }: SentRequest): number {
  return Math.min(at + arrivalMs, answered)
}
