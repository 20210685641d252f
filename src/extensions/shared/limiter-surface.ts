import {
  type Limits,
  SurfacePace,
  type SentRequest,
  longestClosureMs,
  marginMs,
  type Slot,
  type SlotSource,
  SurfaceQueue,
} from '../../extend.ts'
import { unpaced } from './limiter-state.ts'
import { type LimiterSync, type SurfacePart, arrivesWithinMs, promptMs } from './limiter-sync.ts'
import type { Grant } from './slot-offers.ts'

/** The limits of a process while the store is unavailable. */
export interface LocalLimits extends Pick<Limits, 'inFlight' | 'perMinute'> {
  /** The fraction of the organization's limits. */
  readonly share: number
}

/**
 * One surface of this process: grants leases to the calls of its queue, in slots that all processes share. Its next call asks by an update,
 * which grants requests, or says why and until when it waits. While the store is unavailable, it waits, or goes on with limits of its own.
 */
export class LimiterSurface implements SlotSource, SurfacePart {
  readonly key: string
  readonly queue: SurfaceQueue
  waitReason: SurfacePart['waitReason']
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
  #isEarly = false

  /** @param local Undefined if this process must send nothing while the store is unavailable. */
  constructor(name: string | null, sync: LimiterSync, limits: Limits, local: LocalLimits | undefined) {
    this.key = keyOf(name)
    this.#isPaced = name !== null
    this.#sync = sync
    this.#local = local
    // It keeps the limits of this process while the store is unavailable.
    const perMinute = this.#isPaced ? (local ?? limits).perMinute : Infinity
    this.queue = new SurfaceQueue(new SurfacePace(limits, perMinute), this)
  }

  get calls(): number {
    // A reason to wait ends with the calls that it was for.
    if (this.queue.length === 0) this.waitReason = undefined
    return this.#isEarly ? 0 : this.queue.length - this.#granted.length
  }

  arrivals(): [SentRequest, number][] {
    const { spanMs } = this.#sync.rules
    for (const send of this.#sends)
      if (performance.now() - arrivalOf(send) >= spanMs + marginMs) this.#sends.delete(send)
    return this.#isPaced ? Array.from(this.#sends, (send) => [send, arrivalOf(send)]) : []
  }

  receive(grant: Grant | undefined, until: number): void {
    const { closed } = this.queue.pace
    this.#isAsking = false
    this.#isEarly = false
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

  keepGranted(most: number): number {
    const isClosed = this.queue.pace.closed > 0
    const used = isClosed ? 0 : Math.min(this.queue.length, most)
    this.#isEarly ||= isClosed && this.#granted.length > 0
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
    const { spanMs, perMinute } = this.#sync.rules
    const known = this.#sync.known(this.key)
    const now = performance.now()
    const counted = known.arrivals.filter((at) => at + spanMs > now).sort((a, b) => a - b)
    const own = this.arrivals().filter(([{ at }]) => at > known.at).length
    const room = Math.min(perMinute, Math.ceil((own + 1) / share))
    const last = counted[counted.length + room - perMinute - 1]
    return last === undefined ? 0 : last + spanMs - now
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
        if (this.#isPaced && send.at - enteredAt > promptMs) sync.updateSoon()
      },
      release: (send, unsent) => {
        if (send && unsent) this.#sends.delete(send)
        if (send === null) sync.giveBack()
        else sync.release(performance.now() - enteredAt)
      },
    })
  }
}

/** The name of a surface among all; null for calls without a limit of their rate. */
export function keyOf(name: string | null): string {
  return name === null ? unpaced : `:${name}`
}

/** When a request arrived at the latest, in monotonic milliseconds. */
function arrivalOf({ at, answered }: SentRequest): number {
  return Math.min(at + arrivesWithinMs, answered)
}
