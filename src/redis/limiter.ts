import {
  type CallLimiter,
  type CallTicket,
  type Lease,
  type Limits,
  type QueueWait,
  type Share,
  longestHoldMs,
  resolveLimits,
} from '../limits/interface.ts'
import { assertOptions, checked, milliseconds, nonEmptyText, shownWord } from '../errors/check-options.ts'
import { followAbort } from '../lib/abort.ts'
import { JitterMargin } from '../limits/jitter-margin.ts'
import { ClosedError, ConfigurationError } from '../errors/index.ts'
import { type Notice, type SurfaceReport, Fleet } from './fleet.ts'
import { type RedisOptions, redisNames, resolveRedis } from './options.ts'
import { Outage } from './outage.ts'
import { SlotRequests } from './slot-requests.ts'
import { type SurfaceContext, RedisSurface } from './surface.ts'

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
  /** The organization's limits, for all its processes together. */
  readonly limits: Limits
  readonly #context: SurfaceContext
  readonly #surfaces = new Map<string | null, RedisSurface>()

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
    const alone = { inFlight: part(inFlight), perMinute: part(perMinute) }
    const redis = resolveRedis(options, organization)
    const requests = new SlotRequests()
    const fleet = new Fleet(redis, this.limits, milliseconds('lease', lease), {
      onFailure: (error) => outage.begin(error),
      onNotice: (notice) => this.#onNotice(notice),
      // If the connection was lost, Redis may have lost its data, too.
      onListening: () => this.#resyncIfNeeded(),
      onFree: () => requests.change(),
    })
    const resync = (): Promise<void> => fleet.resync(this.#reports())
    const outage = new Outage(redis.log, resync, () => this.#onAttempt())
    this.#context = {
      ...{ fleet, outage, requests, margin: new JitterMargin(), inFlight: new WeakMap() },
      alone: onUnavailable === 'local' ? alone : undefined,
    }
  }

  acquire(ticket: CallTicket): Promise<Lease> {
    if (ticket.signal !== undefined) return acquireUntilAborted(this, ticket, ticket.signal)
    if (this.#context.fleet.isClosed) return Promise.reject(new ClosedError({}, 'limiter'))
    return this.#at(ticket.surface).queue.acquire(ticket)
  }

  cancel(ticket: CallTicket, reason: unknown): void {
    this.#surfaces.get(ticket.surface)?.queue.cancel(ticket, reason)
  }

  hold(surface: string | null, milliseconds: number): void {
    const ms = Math.min(milliseconds, longestHoldMs)
    this.#at(surface).queue.hold(ms)
    // The report after an outage contains it, less the time that has passed.
    if (!this.#context.outage.isSilent) this.#context.fleet.hold(surface, ms)
  }

  waitOf(surface: string | null, share: Share): QueueWait | null {
    return this.#surfaces.get(surface)?.queue.waitOf(share) ?? null
  }

  /**
   * Rejects waiting calls with a {@link ClosedError}, and closes the limiter's own connection. The client stays open,
   * since requests in flight keep their slots until they end.
   */
  async close(): Promise<void> {
    this.#context.fleet.close()
    this.#context.outage.stop()
    for (const { queue } of this.#surfaces.values()) queue.refuse(new ClosedError({}, 'limiter'))
    await this.#context.requests.stop()
    // By then, the queues have returned leases that no call waits for.
    await new Promise((resolve) => setTimeout(resolve))
    await this.#context.fleet.flush()
  }

  #at(name: string | null): RedisSurface {
    const known = this.#surfaces.get(name)
    if (known !== undefined) return known
    const surface = new RedisSurface(name, this.#context)
    this.#context.requests.queues.add(surface.queue)
    this.#surfaces.set(name, surface)
    return surface
  }

  #reports(): SurfaceReport[] {
    return Array.from(this.#surfaces.values(), (surface) => surface.report())
  }

  #hasToReport(): boolean {
    return (
      this.#context.fleet.leases.size > 0 ||
      this.#reports().some(({ sends, holdMs }) => sends.length + holdMs > 0)
    )
  }

  /** Reports this process's requests to Redis, even if no call asks for a slot. */
  #resyncIfNeeded(): void {
    if (!this.#context.fleet.isClosed && this.#hasToReport()) this.#context.outage.resync().catch(() => {})
  }

  #onNotice({ surface, hold, lost, time }: Notice): void {
    if (time === true) this.#context.fleet.renew()
    if (lost === true) this.#resyncIfNeeded()
    if (hold !== undefined) this.#at(surface).queue.hold(hold)
    this.#context.requests.change()
  }

  #onAttempt(): void {
    if (this.#context.fleet.isClosed) return
    // Report these requests soon, because other processes do not count them yet.
    if (this.#context.outage.isOn && this.#hasToReport()) this.#context.outage.retrySoon()
    this.#context.requests.change()
  }
}

/** Acquires a lease from a limiter of this package, and cancels the wait when the signal aborts. */
export async function acquireUntilAborted(
  limiter: CallLimiter,
  ticket: CallTicket,
  signal: AbortSignal,
): Promise<Lease> {
  signal.throwIfAborted()
  // A copy, since one ticket may be used for several calls.
  const own = { ...ticket, signal: undefined }
  const unfollow = followAbort(signal, { abort: (reason) => limiter.cancel(own, reason) })
  try {
    return await limiter.acquire(own)
  } finally {
    unfollow()
  }
}
