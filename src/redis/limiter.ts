import {
  type CallLimiter,
  type CallTicket,
  type Lease,
  type Limits,
  type QueueWait,
  type Share,
  longestHoldMs,
  resolveLimits,
} from '../limits/limiter.ts'
import { assertOptions, checked, milliseconds, nonEmptyText, shownWord } from '../errors/assert.ts'
import { JitterMargin } from '../limits/jitter-margin.ts'
import { ClosedError, ConfigurationError } from '../errors/index.ts'
import type { RedisAdapter } from './client.ts'
import { acquireUntilAborted } from './acquire-until-aborted.ts'
import { RedisClock } from './clock.ts'
import { type SurfaceReport, Fleet } from './fleet.ts'
import { type RedisOptions, redisNames, resolveRedis } from './options.ts'
import { Outage } from './outage.ts'
import { SlotRequests } from './slot-requests.ts'
import { RedisSurface } from './surface.ts'

/** Options of a {@link RedisLimiter}. */
export interface RedisLimiterOptions extends RedisOptions {
  /** A label for the organization: the same for all its processes. Redis sees a hash of it. */
  organization: string
  /**
   * What happens to calls while Redis is unreachable. `wait`: they stay queued until it is back, or until their signal
   * or deadline ends them. `local`: this process continues alone, with `localShare` of the limits.
   */
  onUnavailable: 'wait' | 'local'
  /**
   * The share of the organization's limits that this process uses alone, above 0 and up to 1, at least one request. One
   * divided by the number of processes keeps all of them within the rate limit. Default 0.25.
   */
  localShare?: number | undefined
  /** The organization's limits, if they differ from the documented ones; the same for all its processes. */
  limits?: Partial<Limits> | undefined
  /** How long the slot of a dead process stays taken, in milliseconds. Default 15,000. */
  lease?: number | undefined
}

const names: Record<keyof RedisLimiterOptions, true> = {
  ...redisNames,
  organization: true,
  onUnavailable: true,
  localShare: true,
  limits: true,
  lease: true,
}

/**
 * Keeps the limits of an organization for all processes that share a Redis. Within a process, calls go by priority and
 * arrival; the process that has waited longest goes first.
 *
 * @example
 * const limiter = new RedisLimiter({ client: redis, organization: 'acme', onUnavailable: 'wait' })
 * const client = new SocialSearch({ baseUrl, apiKey, limiter })
 */
export class RedisLimiter implements CallLimiter {
  readonly #redis: RedisAdapter
  /** The organization's limits, for all its processes together. */
  readonly limits: Limits
  readonly #alone: Pick<Limits, 'inFlight' | 'perMinute'> | undefined
  readonly #fleet: Fleet
  readonly #outage: Outage
  readonly #margin = new JitterMargin()
  readonly #surfaces = new Map<string | null, RedisSurface>()
  readonly #inFlight = new WeakMap<Share, number>()
  readonly #requests = new SlotRequests()
  #unlisten: (() => void) | undefined
  #closed = false

  /**
   * Makes a limiter that shares the limits of `organization` with all processes that use the same Redis.
   *
   * @throws {ConfigurationError} for invalid options.
   */
  constructor(options: RedisLimiterOptions) {
    assertOptions(options, names)
    const { organization, onUnavailable, localShare = 0.25, lease = 15_000 } = options
    nonEmptyText('organization', organization)
    if (!['wait', 'local'].includes(onUnavailable)) {
      throw new ConfigurationError(`onUnavailable must be wait or local, got ${shownWord(onUnavailable)}`)
    }
    checked(localShare, localShare > 0 && localShare <= 1, 'localShare must be a number above 0 and up to 1')
    this.limits = resolveLimits(options.limits)
    const part = (limit: number): number => Math.max(1, Math.floor(limit * localShare))
    const { inFlight, perMinute } = this.limits
    if (onUnavailable === 'local') this.#alone = { inFlight: part(inFlight), perMinute: part(perMinute) }
    const { redis, scripts, base, log } = resolveRedis(options, organization)
    this.#redis = redis
    this.#outage = new Outage(
      log,
      () => this.#fleet.resync(this.#reports()),
      () => this.#onAttempt(),
    )
    this.#fleet = new Fleet(scripts, base, new RedisClock(log), this.limits, milliseconds('lease', lease), {
      onFailure: (error) => this.#onFailure(error),
      onFree: () => this.#requests.change(),
    })
  }

  acquire(ticket: CallTicket): Promise<Lease> {
    if (ticket.signal !== undefined) return acquireUntilAborted(this, ticket, ticket.signal)
    if (this.#closed) return Promise.reject(new ClosedError({}, 'limiter'))
    this.#unlisten ??= this.#listen()
    return this.#at(ticket.surface).queue.acquire(ticket)
  }

  cancel(ticket: CallTicket, reason: unknown): void {
    this.#surfaces.get(ticket.surface)?.queue.cancel(ticket, reason)
  }

  hold(surface: string | null, milliseconds: number): void {
    const ms = Math.min(milliseconds, longestHoldMs)
    this.#at(surface).queue.hold(ms)
    // The report after an outage contains it, less the time that has passed.
    if (!this.#outage.isSilent) this.#fleet.hold(surface, ms)
  }

  waitOf(surface: string | null, share: Share): QueueWait | null {
    return this.#surfaces.get(surface)?.queue.waitOf(share) ?? null
  }

  /**
   * Rejects waiting calls with a {@link ClosedError}, and closes the limiter's own connection. The client stays open,
   * since requests in flight keep their slots until they end.
   */
  async close(): Promise<void> {
    this.#closed = true
    for (const { queue } of this.#surfaces.values()) queue.refuse(new ClosedError({}, 'limiter'))
    this.#outage.stop()
    this.#unlisten?.()
    await this.#requests.stop()
    // By then, the queues have returned leases that no call waits for.
    await new Promise((resolve) => setTimeout(resolve))
    await this.#fleet.flush()
  }

  #at(name: string | null): RedisSurface {
    const known = this.#surfaces.get(name)
    if (known !== undefined) return known
    const surface = new RedisSurface(name, {
      fleet: this.#fleet,
      outage: this.#outage,
      requests: this.#requests,
      margin: this.#margin,
      inFlight: this.#inFlight,
      alone: this.#alone,
    })
    this.#requests.queues.add(surface.queue)
    this.#surfaces.set(name, surface)
    return surface
  }

  #listen(): () => void {
    let end = (): void => {}
    const onMessage = (message: string): void => {
      const notice = this.#fleet.parseNotice(message)
      if (notice?.time === true) this.#fleet.renew()
      if (notice?.lost === true) this.#resyncIfNeeded()
      if (notice?.hold !== undefined) this.#at(notice.surface).queue.hold(notice.hold)
      if (notice !== undefined) this.#requests.change()
    }
    this.#fleet.channel
      .then((channel) => {
        // If the connection was lost, Redis may have lost its data, too.
        if (!this.#closed) end = this.#redis.subscribe(channel, onMessage, () => this.#resyncIfNeeded())
      })
      // Without messages, it still looks from time to time.
      .catch(() => {})
    return () => end()
  }

  #reports(): SurfaceReport[] {
    return [...this.#surfaces.values()].map((surface) => surface.report())
  }

  #hasToReport(): boolean {
    return (
      this.#fleet.leases.size > 0 || this.#reports().some(({ sends, holdMs }) => sends.length + holdMs > 0)
    )
  }

  /** Reports this process's requests to Redis, even if no call asks for a slot. */
  #resyncIfNeeded(): void {
    if (!this.#closed && this.#hasToReport()) this.#outage.resync().catch(() => {})
  }

  #onFailure(error: unknown): void {
    if (this.#closed || this.#outage.isOn) return
    this.#outage.begin(error)
    this.#onAttempt()
  }

  #onAttempt(): void {
    if (this.#closed) return
    // Report these requests soon, because other processes do not count them yet.
    if (this.#outage.isOn && this.#hasToReport()) this.#outage.retrySoon()
    this.#requests.change()
  }
}
