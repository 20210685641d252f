import {
  type CallQueue,
  type Lease,
  type Limiter,
  type Limits,
  type QueueWait,
  type Share,
  type Ticket,
  type Waiter,
  resolveLimits,
} from '../core/limits/limiter.ts'
import { assertOptions, milliseconds, nonEmptyText, shown, shownWord } from '../core/lib/assert.ts'
import { SurfaceQueue } from '../core/limits/surface-queue.ts'
import { JitterMargin } from '../core/limits/jitter-margin.ts'
import { Pace } from '../core/limits/pace.ts'
import { acquireFrom } from '../core/limits/custom-limiter.ts'
import { ClosedError, ConfigurationError } from '../errors.ts'
import type { RedisAdapter } from './client.ts'
import { type SurfaceReport, Fleet } from './fleet.ts'
import { type RedisOptions, redisNames, resolveRedis } from './options.ts'
import { Outage } from './outage.ts'
import { Surface } from './surface.ts'

/** How a fleet of processes keeps the limits of its organization. */
export interface RedisLimiterOptions extends RedisOptions {
  /** What stands for the organization: the same for all its processes. Redis sees a hash of it. */
  organization: string
  /**
   * What becomes of calls while Redis is out of reach. `wait`: they stay queued until it is back, or until their signal
   * or deadline ends them. `local`: this process goes on by itself, with `localShare` of the limits.
   */
  onUnavailable: 'wait' | 'local'
  /**
   * The part of the organization's limits that this process takes by itself, above 0 and up to 1, at least one request: one
   * divided by the number of processes keeps them together within the pace. Default 0.25.
   */
  localShare?: number | undefined
  /** Limits of the organization, where they are not the documented ones; the same for all its processes. */
  limits?: Partial<Limits> | undefined
  /** How long the slot of a process that has died stays taken, in milliseconds. Default 15,000. */
  leaseMs?: number | undefined
}

const names: Record<keyof RedisLimiterOptions, true> = {
  ...redisNames,
  ...{ organization: true, onUnavailable: true, localShare: true, limits: true, leaseMs: true },
}

/** The longest closure, in milliseconds: it outlives every process, and a service may announce nonsense. */
const longestHoldMs = 86_400_000

/** Most time between two looks for a free place, in milliseconds, in case that nobody has told. */
const lookMs = 1000

/**
 * Keeps the limits of an organization for all processes that share a Redis. Within a process, calls go by priority and
 * arrival; the processes take turns, whoever has waited longest first.
 *
 * @example
 * const limiter = new RedisLimiter({ client: redis, organization: 'acme', onUnavailable: 'wait' })
 * const client = new SocialSearch({ baseUrl, apiKey, limiter })
 */
export class RedisLimiter implements Limiter, CallQueue {
  readonly #redis: RedisAdapter
  /** What the organization has, for all its processes together. */
  readonly limits: Limits
  readonly #alone: Pick<Limits, 'inFlight' | 'perMinute'> | undefined
  readonly #fleet: Fleet
  readonly #outage: Outage
  readonly #margin = new JitterMargin()
  readonly #surfaces = new Map<string | null, { queue: SurfaceQueue; surface: Surface }>()
  readonly #inFlight = new WeakMap<Share, number>()
  readonly #waiting = new Set<Surface>()
  readonly #full = { since: -1 }
  #changes = 0
  #turn: Promise<unknown> = Promise.resolve()
  #look: ReturnType<typeof setTimeout> | undefined
  #unlisten: (() => void) | undefined
  #resyncing: Promise<void> | undefined
  #closed = false

  /**
   * A limiter that keeps the limits of `organization` with all processes that share the Redis.
   *
   * @throws {ConfigurationError} for options that cannot work.
   */
  constructor(options: RedisLimiterOptions) {
    assertOptions(options, names)
    const { organization, onUnavailable, localShare = 0.25, leaseMs = 15_000 } = options
    nonEmptyText('organization', organization)
    if (!['wait', 'local'].includes(onUnavailable)) {
      throw new ConfigurationError(`onUnavailable must be wait or local, got ${shownWord(onUnavailable)}`)
    }
    if (!(localShare > 0 && localShare <= 1)) {
      throw new ConfigurationError(
        `localShare must be a number above 0 and up to 1, got ${shown(localShare)}`,
      )
    }
    this.limits = resolveLimits(options.limits)
    const part = (limit: number): number => Math.max(1, Math.floor(limit * localShare))
    const { inFlight, perMinute } = this.limits
    if (onUnavailable === 'local') this.#alone = { inFlight: part(inFlight), perMinute: part(perMinute) }
    const { redis, scripts, base, log } = resolveRedis(options, organization)
    this.#redis = redis
    this.#outage = new Outage(
      log,
      () => this.#resync(),
      () => this.#onAttempt(),
    )
    this.#fleet = new Fleet(scripts, base, this.limits, milliseconds('leaseMs', leaseMs), {
      onFailure: (error) => this.#onFailure(error),
      onFree: () => this.#change(),
    })
  }

  acquire(ticket: Ticket): Promise<Lease> {
    return acquireFrom(this, ticket)
  }

  enter(waiter: Waiter): void {
    if (this.#closed) {
      waiter.refuse(new ClosedError({}, 'limiter'))
      return
    }
    this.#unlisten ??= this.#listen()
    this.#at(waiter.surface).queue.enter(waiter)
  }

  leave(waiter: Waiter): void {
    this.#at(waiter.surface).queue.leave(waiter)
  }

  hold(surface: string | null, milliseconds: number): void {
    const ms = Math.min(milliseconds, longestHoldMs)
    this.#close(surface, ms)
    // An outage ends with telling Redis of it, less the time that has passed.
    if (!this.#isSilent) this.#fleet.hold(surface, ms)
  }

  waitOf(surface: string | null, share: Share): QueueWait | null {
    return this.#surfaces.get(surface)?.queue.waitOf(share) ?? null
  }

  /**
   * Ends what waits with a {@link ClosedError}, and the limiter's own connection; the client stays as it is, since requests
   * under way keep their slots until they end.
   */
  async close(): Promise<void> {
    this.#closed = true
    for (const { queue } of this.#surfaces.values()) queue.empty(new ClosedError({}, 'limiter'))
    this.#outage.stop()
    clearTimeout(this.#look)
    this.#unlisten?.()
    await this.#turn
    // By then, the queues have given back what came for nobody.
    await new Promise((resolve) => setTimeout(resolve))
    await this.#fleet.flush()
  }

  /** What happens while Redis is being told of everything comes too late to be a part of it. */
  get #isSilent(): boolean {
    return this.#outage.isOn && this.#resyncing === undefined
  }

  #at(name: string | null): { queue: SurfaceQueue; surface: Surface } {
    const known = this.#surfaces.get(name)
    if (known !== undefined) return known
    const { windowMs, perMinute } = this.limits
    const ownPerMinute = name === null ? Infinity : (this.#alone ?? this.limits).perMinute
    const pace = new Pace(ownPerMinute, windowMs, this.#margin)
    const surface = new Surface(
      name,
      {
        fleet: this.#fleet,
        outage: this.#outage,
        isSilent: () => this.#isSilent,
        margin: this.#margin,
        alone: this.#alone?.inFlight,
        full: this.#full,
        turn: (work) => this.#inTurn(work),
        changes: () => this.#changes,
        waiting: this.#waiting,
        look: (ms) => this.#lookWithin(ms),
        closed: () => queue.refuseImpatient(),
        resync: () => this.#resync(),
      },
      pace,
    )
    const queue = new SurfaceQueue({
      pace,
      margin: this.#margin,
      inFlight: this.#inFlight,
      limits: { inFlight: this.limits.inFlight, perMinute: name === null ? 0 : perMinute },
      windowMs,
      wait: (share) => surface.wait(share),
      reserve: (then, share) => void surface.reserve(share).then(then),
      onRelease: () => this.#wake(),
    })
    const made = { queue, surface }
    this.#surfaces.set(name, made)
    return made
  }

  #listen(): () => void {
    let end = (): void => {}
    const onMessage = (message: string): void => {
      const notice = this.#fleet.parseNotice(message)
      if (notice?.lost === true) this.#resyncIfNeeded()
      if (notice?.hold !== undefined) this.#close(notice.surface, notice.hold)
      if (notice !== undefined) this.#change()
    }
    this.#fleet.channel
      .then((channel) => {
        // Where the connection was lost, so may have been all that Redis knew.
        if (!this.#closed) end = this.#redis.subscribe(channel, onMessage, () => this.#resyncIfNeeded())
      })
      // Without a connection of its own, it finds out by looking from time to time.
      .catch(() => {})
    return () => end()
  }

  #close(name: string | null, milliseconds: number): void {
    const { queue, surface } = this.#at(name)
    surface.close(milliseconds)
    queue.refuseImpatient()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  #lookWithin(ms: number): void {
    if (this.#closed) return
    this.#look ??= setTimeout(() => this.#change(), Math.min(ms, lookMs * (1 + Math.random() / 2)))
  }

  /** A place may have become free. */
  #change(): void {
    this.#changes++
    clearTimeout(this.#look)
    this.#look = undefined
    for (const { surface } of this.#surfaces.values()) surface.changed()
    this.#wake()
  }

  #wake(): void {
    for (const surface of this.#waiting) this.#surfaces.get(surface.name)?.queue.wake()
    for (const { queue } of this.#surfaces.values()) queue.wake()
  }

  #reports(): SurfaceReport[] {
    return [...this.#surfaces.values()].map(({ surface }) => surface.report())
  }

  #hasToReport(): boolean {
    return (
      this.#fleet.leases.size > 0 || this.#reports().some(({ sends, holdMs }) => sends.length + holdMs > 0)
    )
  }

  #resync(): Promise<void> {
    this.#resyncing ??= this.#fleet.resync(this.#reports()).finally(() => (this.#resyncing = undefined))
    return this.#resyncing
  }

  /** Makes sure that Redis knows of this process, also when none of its calls asks for anything. */
  #resyncIfNeeded(): void {
    if (!this.#closed && this.#hasToReport()) this.#resync().catch(() => {})
  }

  #onFailure(error: unknown): void {
    if (this.#closed || this.#outage.isOn) return
    this.#outage.begin(error)
    this.#onAttempt()
  }

  #onAttempt(): void {
    if (this.#closed) return
    // Others must not count on what these requests take any longer than need be.
    if (this.#outage.isOn && this.#hasToReport()) this.#outage.retrySoon()
    this.#change()
  }
}
