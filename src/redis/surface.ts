import type { Limits, Share } from '../limits/interface.ts'
import { type Slot, type SlotSource, SurfaceQueue } from '../limits/surface-queue.ts'
import type { JitterMargin } from '../limits/jitter-margin.ts'
import { type Send, Pace } from '../limits/pace.ts'
import type { SurfaceReport, Fleet } from './fleet.ts'
import { acquire } from './limiter-scripts.ts'
import type { Outage } from './outage.ts'
import type { SlotRequests } from './slot-requests.ts'

/** Maximum time from the grant of a lease until its request is sent, in milliseconds; a later one is reported. */
const promptMs = 20

/** What the surfaces of a limiter share. */
export interface SurfaceContext {
  readonly fleet: Fleet
  readonly outage: Outage
  readonly requests: SlotRequests
  readonly margin: JitterMargin
  /** Requests in flight of each client, on all surfaces. */
  readonly inFlight: WeakMap<Share, number>
  /** The limits of this process while Redis is unreachable; undefined if it must not send anything. */
  readonly alone: Pick<Limits, 'inFlight' | 'perMinute'> | undefined
}

/** Grants leases for one surface, together with all other processes. */
export class RedisSurface implements SlotSource {
  readonly name: string | null
  /** The calls that wait, the sends of this process, and the closure that it knows of. */
  readonly queue: SurfaceQueue
  readonly inFlight: WeakMap<Share, number>
  readonly #context: SurfaceContext
  /** The same sends, by their ids in Redis. */
  readonly #sends = new Map<string, Send>()
  /** When to ask again, in monotonic milliseconds; Infinity to wait for a change. */
  #askAt = 0
  /** A change after this count may let a request go earlier than `#askAt`; Infinity if none may. */
  #askAfterChange = Infinity

  constructor(name: string | null, context: SurfaceContext) {
    this.name = name
    this.#context = context
    const { fleet, margin, inFlight, alone } = context
    this.inFlight = inFlight
    const { limits } = fleet
    // It keeps the limits of this process while Redis is unreachable.
    const perMinute = name === null ? Infinity : (alone ?? limits).perMinute
    this.queue = new SurfaceQueue(new Pace(limits, margin, perMinute), this)
  }

  report(): SurfaceReport {
    const { fleet } = this.#context
    const sends = [...this.#sends].map(
      ([id, send]) => [id, Math.floor(performance.now() - this.#arrival(send))] as const,
    )
    return {
      surface: this.name,
      sends: sends.filter(([, ago]) => ago < fleet.spanMs),
      holdMs: Math.ceil(this.queue.pace.closed),
    }
  }

  wait({ perMinute }: Share): number {
    const { alone, fleet, outage, requests } = this.#context
    if (!outage.isOn) {
      const askAt = requests.changes > this.#askAfterChange ? 0 : this.#askAt
      return Math.max(this.queue.pace.closed, askAt - performance.now())
    }
    outage.retrySoon()
    if (alone === undefined || fleet.leases.size >= alone.inFlight) return Infinity
    // The pace has this process's share of the limits, which default limits of a client must not raise.
    return this.queue.pace.wait(perMinute > fleet.limits.perMinute ? perMinute : 0)
  }

  async take(share: Share): Promise<Slot | undefined> {
    const { outage, requests } = this.#context
    if (!outage.isOn) return requests.inTurn(() => this.#ask(this.#limit(share)))
    return this.#slot(crypto.randomUUID(), performance.now(), () => outage.isOn)
  }

  wake(): void {
    this.#context.requests.wake()
  }

  /** Requests a minute: the limit of the client, or of the organization if that is higher. */
  #limit({ perMinute }: Share): number {
    if (this.name === null) return Infinity
    return Math.max(perMinute, this.#context.fleet.limits.perMinute)
  }

  async #ask(limit: number): Promise<Slot | undefined> {
    const { fleet, margin, outage, requests } = this.#context
    const { changes } = requests
    if (requests.areFull) {
      this.#refused('slots', changes, Infinity)
      return undefined
    }
    try {
      await fleet.askTime()
    } catch {
      return undefined
    }
    const id = crypto.randomUUID()
    const at = performance.now()
    const { leaseMs, limits, quietMs, spanMs } = fleet
    const arrival = Math.ceil(margin.ms) + promptMs
    const request = [id, limits.inFlight, limit === Infinity ? -1 : limit, spanMs, arrival]
    const terms = [leaseMs, this.name === null ? 0 : 1, quietMs, fleet.queueName(this.name)]
    let reply: readonly unknown[]
    try {
      const notice = { surface: this.name, lost: true } as const
      reply = await fleet.run(acquire, this.name, [...request, ...terms], notice)
    } catch {
      // The script may have run without a reply.
      fleet.cancel(this.name, id)
      return undefined
    }
    const outcome = String(reply[0])
    if (outcome === 'lost') {
      await outage.resync().catch(() => {})
      return undefined
    }
    if (outcome === 'granted') return this.#granted(id, at, limit)
    if (outcome === 'slots') requests.noteFull(changes)
    this.#refused(outcome, changes, Number(reply[1]), Number(reply[2] ?? 0))
    return undefined
  }

  /**
   * @param changes When Redis was asked: the reply may not include later ones.
   * @param blockers How many of the counted requests may turn out to have arrived earlier.
   */
  #refused(outcome: string, changes: number, ms: number, blockers = 0): void {
    const forChange = outcome === 'slots' || outcome === 'probe'
    this.#askAt = forChange ? Infinity : performance.now() + ms
    this.#askAfterChange = forChange || blockers > 0 ? changes : Infinity
    if (forChange) this.#context.requests.waitForChange(ms)
    if (outcome === 'closed') this.queue.hold(ms)
  }

  #granted(id: string, at: number, limit: number): Slot | undefined {
    const { fleet, requests } = this.#context
    const { queues } = requests
    queues.delete(this.queue)
    queues.add(this.queue)
    // This process slept so long that another one may have the slot now.
    if (performance.now() - at >= fleet.leaseMs) {
      fleet.cancel(this.name, id)
      return undefined
    }
    fleet.addLease(id)
    return this.#slot(id, at, (share) => this.#limit(share) >= limit)
  }

  /** @param at When it was requested. */
  #slot(id: string, at: number, fits: (share: Share) => boolean): Slot {
    const { fleet, margin, outage } = this.#context
    return {
      fits,
      enter: (send) => {
        fleet.addLease(id)
        this.#remember(id, send)
      },
      sent: (send) => {
        if (this.name === null || send.at - at <= promptMs || outage.isSilent) return
        fleet.sent(this.name, id, Math.ceil(margin.ms) + promptMs)
      },
      release: (send) => {
        if (send !== null) fleet.release(this.name, id, send.answered, outage.isSilent)
        else if (fleet.leases.has(id)) fleet.cancel(this.name, id)
      },
    }
  }

  #remember(id: string, send: Send): void {
    this.#sends.set(id, send)
    for (const [old, send] of this.#sends) {
      if (performance.now() - this.#arrival(send) < this.#context.fleet.spanMs) break
      this.#sends.delete(old)
    }
  }

  /** When a request arrived at the latest, in monotonic milliseconds. */
  #arrival({ at, answered }: Send): number {
    return Math.min(at + this.#context.margin.ms + promptMs, answered)
  }
}
