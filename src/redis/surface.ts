import type { Share } from '../core/limits/limiter.ts'
import type { Slot } from '../core/limits/surface-queue.ts'
import type { JitterMargin } from '../core/limits/jitter-margin.ts'
import type { Pace, Send } from '../core/limits/pace.ts'
import type { SurfaceReport, Fleet } from './fleet.ts'
import { acquire } from './limiter-scripts.ts'
import type { Outage } from './outage.ts'

/** How soon after it was asked for a request goes out, in milliseconds; a later one is reported. */
const promptMs = 20

/** What a surface needs of the limiter it belongs to. */
export interface SurfaceContext {
  readonly fleet: Fleet
  readonly outage: Outage
  /** Whether Redis is told nothing now, since it will be told everything when it is back. */
  readonly isSilent: () => boolean
  readonly margin: JitterMargin
  /** Requests in flight of this process while Redis is out of reach; undefined if none shall be sent. */
  readonly alone: number | undefined
  /** Runs one request for a place after the other, so that one refusal can speak for all. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>
  /** Counts what may have freed a place. */
  readonly changes: () => number
  /** Those who wait for a place to become free; whoever has waited longest comes first. */
  readonly waiting: Set<Surface>
  /** Has those who wait called when a place may have become free, at the latest after so many milliseconds. */
  readonly look: (milliseconds: number) => void
  /** Whether all slots were taken and nothing has changed since. */
  readonly full: { since: number }
  /** Tells those who wait for the surface that it is closed. */
  readonly closed: () => void
  readonly resync: () => Promise<void>
}

/** Decides on the requests to one surface, together with all other processes. */
export class Surface {
  readonly name: string | null
  readonly #context: SurfaceContext
  /** What this process has sent itself, and the closure that it knows of. */
  readonly #pace: Pace
  /** The same, by the names that Redis knows. */
  readonly #sends = new Map<string, Send>()
  /** When to ask again, in monotonic milliseconds; Infinity for when something has changed. */
  #askAt = 0
  /** Whether a change may let a request go sooner than foreseen. */
  #mayBeSooner = false

  /** @param pace Holds the limits of this process while Redis is out of reach. */
  constructor(name: string | null, context: SurfaceContext, pace: Pace) {
    this.name = name
    this.#context = context
    this.#pace = pace
  }

  closed(): number {
    return this.#pace.closed
  }

  /** A 429 closed the surface, here or elsewhere. */
  close(milliseconds: number): void {
    this.#pace.hold(milliseconds)
  }

  /** A place may have become free. */
  changed(): void {
    if (this.#mayBeSooner) this.#askAt = 0
  }

  report(): SurfaceReport {
    const { fleet } = this.#context
    const sends = [...this.#sends].map(
      ([id, send]) => [id, Math.floor(performance.now() - this.#arrival(send))] as const,
    )
    return {
      surface: this.name,
      sends: sends.filter(([, ago]) => ago < fleet.spanMs),
      holdMs: Math.ceil(this.closed()),
    }
  }

  wait({ perMinute }: Share): number {
    const { alone, fleet, outage } = this.#context
    if (!outage.isOn) return Math.max(this.closed(), this.#askAt - performance.now())
    outage.retrySoon()
    if (alone === undefined || fleet.leases.size >= alone) return Infinity
    // Here the limits are a part of the organization's, which an ordinary client must not take for more than they are.
    return this.#pace.wait(perMinute > fleet.limits.perMinute ? perMinute : 0)
  }

  /** Takes a slot; resolves with undefined if the queue has to look again. Never rejects. */
  async reserve(share: Share): Promise<Slot | undefined> {
    const { outage, turn } = this.#context
    if (!outage.isOn) return turn(() => this.#ask(this.#limit(share)))
    return this.#slot(crypto.randomUUID(), performance.now(), () => outage.isOn)
  }

  /** Requests a minute, for a client that wants so many. */
  #limit({ perMinute }: Share): number {
    if (this.name === null) return Infinity
    return Math.max(perMinute, this.#context.fleet.limits.perMinute)
  }

  async #ask(limit: number): Promise<Slot | undefined> {
    const { changes, fleet, full, margin } = this.#context
    const changesAtRequest = changes()
    if (full.since === changesAtRequest) {
      this.#refused('slots', Infinity)
      return undefined
    }
    const id = crypto.randomUUID()
    const at = performance.now()
    const { leaseMs, limits, quietMs, spanMs, ttlMs } = fleet
    const onLateReply = (reply: unknown): void => {
      if (Array.isArray(reply) && String(reply[0]) === 'granted') void fleet.cancel(this.name, id)
    }
    const arrival = Math.ceil(margin.ms) + promptMs
    const request = [id, fleet.epoch, limits.inFlight, limit === Infinity ? -1 : limit, spanMs, arrival]
    const terms = [leaseMs, ttlMs, this.name === null ? 0 : 1, quietMs, fleet.queueName(this.name)]
    let reply: readonly unknown[]
    try {
      reply = await fleet.run(acquire, this.name, [...request, ...terms], {
        onLateReply,
        notice: { surface: this.name, lost: true },
      })
    } catch {
      // The script may have run for all that, and nobody else would give the place back before it expires.
      void fleet.cancel(this.name, id)
      return undefined
    }
    const outcome = String(reply[0])
    if (outcome === 'lost') {
      await this.#context.resync().catch(() => {})
      return undefined
    }
    fleet.onReply(outcome === 'granted' ? String(reply[1]) : undefined)
    if (outcome === 'granted') return this.#granted(id, at, limit)
    if (outcome === 'slots') full.since = changesAtRequest
    this.#refused(outcome, Number(reply[1]), Number(reply[2] ?? 0))
    // What changed meanwhile may not have been known to the reply.
    if (changes() !== changesAtRequest) this.changed()
    return undefined
  }

  /** @param blockers How many of those that stand in the way may turn out to have arrived sooner. */
  #refused(outcome: string, ms: number, blockers = 0): void {
    const forChange = outcome === 'slots' || outcome === 'probe'
    this.#askAt = forChange ? Infinity : performance.now() + ms
    this.#mayBeSooner = forChange || blockers > 0
    if (forChange) {
      this.#context.waiting.add(this)
      this.#context.look(ms)
    }
    if (outcome === 'closed') {
      this.close(ms)
      this.#context.closed()
    }
  }

  #granted(id: string, at: number, limit: number): Slot | undefined {
    const { fleet, waiting } = this.#context
    waiting.delete(this)
    // It was asleep for so long that somebody else may have the place by now.
    if (performance.now() - at >= fleet.leaseMs) {
      void fleet.cancel(this.name, id)
      return undefined
    }
    fleet.addLease(id)
    return this.#slot(id, at, (share) => this.#limit(share) >= limit)
  }

  /** @param at When it was asked for. */
  #slot(id: string, at: number, fits: (share: Share) => boolean): Slot {
    const { fleet, margin } = this.#context
    return {
      fits,
      enter: (send) => {
        fleet.addLease(id)
        this.#remember(id, send)
      },
      sent: (send) => {
        if (this.name === null || send.at - at <= promptMs || this.#context.isSilent()) return
        fleet.sent(this.name, id, Math.ceil(margin.ms) + promptMs)
      },
      release: (send) => {
        if (send !== null) this.#release(id, send)
        else if (fleet.leases.has(id)) void fleet.cancel(this.name, id)
      },
    }
  }

  #release(id: string, { answered }: Send): void {
    const ago = answered === Infinity ? undefined : performance.now() - answered
    void this.#context.fleet.release(this.name, id, ago, this.#context.isSilent())
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
