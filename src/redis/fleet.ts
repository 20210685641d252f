import type { Limits } from '../limits/interface.ts'
import { driftMs } from '../limits/pace.ts'
import { sleep } from '../lib/time.ts'
import { RedisClock } from './clock.ts'
import { askTime, cancel, hold, resync, release, renew, sent, stateMs } from './limiter-scripts.ts'
import type { ResolvedRedis } from './options.ts'
import type { Args } from './script-runner.ts'

/** A message from one process to the others. */
export interface Notice {
  readonly surface: string | null
  /** How long a 429 closes the surface, in milliseconds. */
  readonly hold?: number
  /** Redis has lost its data. */
  readonly lost?: true
  /** A new process asks for the time. */
  readonly time?: true
}

/** What one process knows of one surface, to restore lost data in Redis. */
export interface SurfaceReport {
  readonly surface: string | null
  /** Ids of the sends that still count, and how long ago they arrived, in milliseconds. */
  readonly sends: readonly (readonly [id: string, ago: number])[]
  /** How long the surface stays closed, in milliseconds. */
  readonly holdMs: number
}

/** What a fleet tells its limiter. */
export interface FleetEvents {
  /** A script failed, or had no reply in time. */
  readonly onFailure: (error: unknown) => void
  /** Another process has sent a notice. */
  readonly onNotice: (notice: Notice) => void
  /** This process listens to notices, for the first time or again. */
  readonly onListening: () => void
  /** Redis has freed a slot of this process. */
  readonly onFree: () => void
}

/** The longest time that processes take to notice that Redis has lost its data, in milliseconds. */
const maxQuietMs = 3000

/** How long a new process waits until the others have told the time, in milliseconds. */
const answerMs = 200

/** This process's leases, and the scripts and notices that share them with the other processes. */
export class Fleet {
  readonly limits: Limits
  readonly leaseMs: number
  /** How long a send counts from its arrival, in milliseconds. */
  readonly spanMs: number
  /** How long Redis grants nothing after it has lost its data, in milliseconds. */
  readonly quietMs: number
  /** Ids of this process's requests in flight. */
  readonly leases = new Set<string>()
  isClosed = false
  readonly #redis: ResolvedRedis
  readonly #events: FleetEvents
  readonly #clock: RedisClock
  readonly #pending = new Set<Promise<unknown>>()
  /** Leases that ended while Redis was unreachable. */
  readonly #released = new Set<string>()
  readonly #processId = crypto.randomUUID()
  #epoch = ''
  #lastReplyAt = -Infinity
  #renewTimer: ReturnType<typeof setInterval> | undefined
  #unlisten = (): void => {}

  constructor(redis: ResolvedRedis, limits: Limits, leaseMs: number, events: FleetEvents) {
    this.limits = limits
    this.leaseMs = leaseMs
    this.spanMs = limits.windowMs + driftMs
    this.quietMs = Math.min(maxQuietMs, this.spanMs)
    this.#redis = redis
    this.#events = events
    this.#clock = new RedisClock(redis.log)
  }

  /** The epoch that Redis should be in; empty if its data may have expired. */
  get #knownEpoch(): string {
    return performance.now() - this.#lastReplyAt < stateMs / 2 ? this.#epoch : ''
  }

  /** Runs a script; rejects if Redis does not reply. */
  async run(
    script: string,
    surface: string | null,
    args: Args,
    notice?: Notice,
  ): Promise<readonly unknown[]> {
    const base = await this.#redis.base
    const message = notice && [channelOf(base), JSON.stringify({ from: this.#processId, ...notice })]
    const at = surface === null ? 'all' : `at:${surface}`
    const names = ['leases', `log:${at}`, `gate:${at}`, 'state', `queue:${at}`, 'slots']
    const keys = names.map((name) => `${base}:${name}`)
    const sentAt = performance.now()
    const all = [this.#knownEpoch, ...this.#clock.bounds(), ...args, ...(message ?? [])].map(String)
    try {
      return this.#read(await this.#redis.scripts.run(script, keys, all), sentAt)
    } catch (error) {
      if (!this.isClosed) this.#events.onFailure(error)
      throw error
    }
  }

  /** This process's name in the queues for a surface. */
  queueName(surface: string | null): string {
    return `${this.#processId} ${surface ?? ''}`
  }

  /** Has the other processes tell the time, if this one is new: the clock of Redis may have been set since their calls. */
  async askTime(): Promise<void> {
    if (this.#knownEpoch !== '') return
    const [asked] = await this.run(askTime, null, [], { surface: null, time: true })
    if (Number(asked) > 0) await sleep(answerMs)
  }

  /** Renews the leases, and tells the time. */
  renew(): void {
    void this.#send(renew, null, [this.leaseMs, ...this.leases])
  }

  /** Renews the lease of a request until {@link Fleet.release} or {@link Fleet.cancel}. */
  addLease(id: string): void {
    this.leases.add(id)
    this.#renewTimer ??= setInterval(() => this.renew(), this.leaseMs / 3)
  }

  sent(surface: string | null, id: string, arrivalMs: number): void {
    void this.#send(sent, surface, [id, arrivalMs])
  }

  /** @param answeredAt When the response began, in monotonic milliseconds; Infinity if there was none. */
  release(surface: string | null, id: string, answeredAt: number, silent: boolean): void {
    const answeredAgo = Math.max(-1, Math.floor(performance.now() - answeredAt))
    void this.#endLease(release, surface, id, [id, answeredAgo], silent)
  }

  /** Ends a lease that was not used. Only this process can do so before it expires, so it tries even in an outage. */
  cancel(surface: string | null, id: string): void {
    void this.#endLease(cancel, surface, id, [id], false)
  }

  hold(surface: string | null, milliseconds: number): void {
    const ms = Math.ceil(milliseconds)
    void this.#send(hold, surface, [ms], { surface, hold: ms })
  }

  /** Sends Redis the state that it may have missed or lost; rejects if it does not reply. */
  async resync(reports: Iterable<SurfaceReport>): Promise<void> {
    const released = [...this.#released]
    const { leaseMs, quietMs } = this
    const common = { epoch: crypto.randomUUID(), released, leaseMs, quietMs }
    for (const { surface, sends, holdMs } of reports) {
      const state = { ...common, held: [...this.leases], sends, holdMs }
      const notice = { surface, lost: true } as const
      await this.run(resync, surface, [JSON.stringify(state)], notice)
    }
    for (const id of released) this.#released.delete(id)
  }

  /** Stops listening. */
  close(): void {
    this.isClosed = true
    this.#unlisten()
  }

  /** Resolves when every script so far has succeeded or failed. */
  async flush(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  async #listen(): Promise<void> {
    const { adapter, base } = this.#redis
    const channel = channelOf(await base)
    if (this.isClosed) return
    const onMessage = (message: string): void => this.#onMessage(message)
    this.#unlisten = adapter.subscribe(channel, onMessage, () => this.#events.onListening())
  }

  #onMessage(message: string): void {
    try {
      const { from, ...notice } = JSON.parse(message) as Notice & { from: string }
      if (from !== this.#processId) this.#events.onNotice(notice)
    } catch {
      // Other programs may publish on the channel.
    }
  }

  /** Records the time and the epoch of a reply, and returns the rest of it. */
  #read(reply: unknown, sentAt: number): readonly unknown[] {
    if (!Array.isArray(reply)) return [reply]
    const [time, clock, epoch, ...rest] = reply as unknown[]
    // Redis has lost its data, and with it the time.
    if (epoch === '') return rest
    // Before the first reply, this process has nothing to restore. Without notices, it still looks from time to time.
    if (this.#lastReplyAt === -Infinity) this.#listen().catch(() => {})
    this.#epoch = String(epoch)
    this.#lastReplyAt = performance.now()
    this.#clock.observe(Number(time), Number(clock), sentAt)
    return rest
  }

  async #endLease(script: string, surface: string | null, id: string, args: Args, silent: boolean) {
    this.leases.delete(id)
    if (this.leases.size === 0) {
      clearInterval(this.#renewTimer)
      this.#renewTimer = undefined
    }
    const isSent = !silent && (await this.#send(script, surface, args, { surface }))
    if (isSent) this.#events.onFree()
    else this.#released.add(id)
  }

  /** Runs a script; resolves with whether it succeeded. */
  #send(script: string, surface: string | null, args: Args, notice?: Notice): Promise<boolean> {
    const sending = this.run(script, surface, args, notice)
    const done = sending.then(() => true).catch(() => false)
    this.#pending.add(done)
    void done.then(() => this.#pending.delete(done))
    return done
  }
}

function channelOf(base: string): string {
  return `${base}:news`
}
