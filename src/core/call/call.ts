import type { Operation } from '../../api/operation.ts'
import {
  type Attempt,
  type Charged,
  type ErrorContext,
  RateLimitError,
  SharedError,
  type SocialSearchError,
  TimeoutError,
  type TimeoutPhase,
} from '../../errors/index.ts'
import { type CallCredits, Purchase } from '../credits/ledger.ts'
import type { Abortable } from '../../lib/abort.ts'
import type { LogFields, LogLevel } from '../../lib/logger.ts'
import type { Redactor } from '../../lib/redact.ts'
import { isInstance } from '../../lib/thrown.ts'
import { after } from '../../lib/time.ts'
import { type CallTicket, type Lease, type Share, SurfaceClosed } from '../../limits/interface.ts'
import type { CallSettings, ClientSettings } from '../options/settings.ts'
import type { Cached } from '../options/types.ts'
import { Failure } from '../retry/failure.ts'
import { type Stake, stakeOf } from '../retry/policy.ts'
import { type ComposedRequest, contextOf } from './compose-request.ts'
import type { InvalidItem } from './validate-body.ts'
import { channel, publisher } from './diagnostics.ts'
import type { OpenCalls } from './open-calls.ts'
import { CallObserver } from './call-observer.ts'

/** The result of a call: the response, parsed and validated, with its attempts and its cost. */
export interface Answer {
  /** Not redacted: apply `redactor` to what you show of its headers. */
  readonly response: Response
  readonly redactor: Redactor
  /** Redacted, like everything below. */
  readonly text: string
  /** The parsed body, before a schema transforms it. */
  readonly parsed: unknown
  readonly requestId: string | undefined
  readonly body: unknown
  /** Items that failed validation; null unless a list is validated as `lenient`. */
  readonly invalid: readonly InvalidItem[] | null
  readonly attempts: readonly Attempt[]
  readonly credits: CallCredits
  /** Undefined if the answer was fetched for this call. */
  readonly cached?: Cached
}

/** A cache as the calls of one client use it. */
export interface CallCache {
  /**
   * Answers a call from the cache, or with a request that equal calls share.
   *
   * @param open Opens a call for the same request with other settings.
   * @param before The answer with the page before this one, in a walk.
   */
  answer(call: Call, open: (settings: CallSettings) => Call, before?: Answer): Promise<Answer>
}

/** Shared by queued calls. */
const noAttempts: readonly Attempt[] = []
const noFailures: readonly Failure[] = []

/** One call: its state, the context of its errors, and its cancellation. It is its own ticket in the queue. */
export class Call implements CallTicket, Abortable {
  readonly client: ClientSettings
  readonly settings: CallSettings
  readonly operation: Operation
  readonly request: ComposedRequest
  readonly purchase: Purchase
  readonly surface: string | null
  readonly share: Share
  readonly priority: number
  attempts = noAttempts
  failures = noFailures
  /** Whether the token was refreshed for this call; that happens once. */
  isTokenRefreshed = false
  /** The token of the next attempt, or of the latest. */
  token: string | null = null
  /** Longest wait for a closed surface, in milliseconds. */
  patience: number
  /** Monotonic time at which it joined the queue, in whole milliseconds; undefined if it is not queued. */
  queuedAt: number | undefined
  readonly observer: CallObserver | undefined
  /** Monotonic time after which the call sends nothing more. */
  sendBy = Infinity
  /** Aborts a call that is not sent by then. */
  expire: (() => void) | undefined
  /** The risk of the latest attempt once its request has ended, with the body of a success. Hooks may still run. */
  settled: { readonly risk: Charged; readonly body?: unknown } | undefined
  readonly #openCalls: OpenCalls
  /** Of the attempt that holds a slot. */
  lease: Lease | undefined
  #phase: TimeoutPhase = 'queue'
  #aborted: { readonly reason: unknown } | undefined
  #onAbort: ((reason: unknown) => void) | undefined
  #cleanUp: (() => void)[] | undefined

  /** @param operation With the user's price, if there is one. */
  constructor(
    client: ClientSettings,
    settings: CallSettings,
    operation: Operation,
    request: ComposedRequest,
    openCalls: OpenCalls,
  ) {
    this.client = client
    this.settings = settings
    this.operation = operation
    this.request = request
    this.purchase = new Purchase(client.ledger, operation, request.maxItems, settings)
    this.patience = settings.retry.maxWaitMs
    this.share = client.share
    this.priority = settings.priority
    const surface = client.surfaces[operation.id]
    this.surface = surface === undefined ? operation.surface : surface
    const { observers: own } = settings
    const observers = channel?.hasSubscribers === true ? [...own, publisher] : own
    const place = { id: operation.id, surface: this.surface }
    if (observers.length > 0)
      this.observer = new CallObserver(observers, place, request.params, this.purchase)
    this.#openCalls = openCalls
  }

  get phase(): TimeoutPhase {
    return this.#phase
  }

  set phase(phase: TimeoutPhase) {
    this.#phase = phase
    this.settings.onPhase?.()
  }

  /** Runs a function when the call ends. */
  onClose(cleanUp: () => void): void {
    ;(this.#cleanUp ??= []).push(cleanUp)
  }

  /** Releases everything that the call holds. */
  close(): void {
    this.#leaveQueue()
    this.purchase.close()
    this.#cleanUp?.forEach((cleanUp) => cleanUp())
    this.#openCalls.delete(this)
    // Node may keep the request, and with it this call, for long; the response must not stay with them.
    this.#onAbort = undefined
  }

  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    if (this.queuedAt !== undefined) this.client.limiter.cancel(this, reason)
    this.#onAbort?.(reason)
  }

  /** Also aborts an expired call: work that blocks the thread delays the timer. */
  throwIfAborted(): void {
    if (performance.now() > this.sendBy) this.expire?.()
    if (this.#aborted !== undefined) throw this.#aborted.reason
  }

  /** Sets the abort handler; calls it at once if the call is already aborted. */
  onAbort(then: (reason: unknown) => void): void {
    this.#onAbort = then
    if (this.#aborted !== undefined) then(this.#aborted.reason)
  }

  /** Settles with the work, or rejects as soon as the call is aborted. */
  race<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onAbort(reject)
      if (this.#aborted === undefined) work().then(resolve, reject)
    })
  }

  /** Waits at least `ms` milliseconds; rejects when the call is aborted. */
  sleep(ms: number): Promise<void> {
    return this.race(() => new Promise((resolve) => this.onClose(after(ms, resolve))))
  }

  /** Whether an attempt has been made. */
  get resumed(): boolean {
    return this.attempts.length > 0
  }

  get maxQueueWait(): number {
    return Math.max(0, this.sendBy - performance.now())
  }

  /** Whether a request sent in `ms` milliseconds is still in time. */
  canSendWithin(ms: number): boolean {
    return ms < this.maxQueueWait
  }

  /** @throws {QueueFullError} if too many calls wait already. */
  enterQueue(): void {
    this.#openCalls.queue(this)
    this.queuedAt = Math.floor(performance.now())
    this.phase = 'queue'
  }

  /** Leaves the queue with a lease, or releases it if the call was aborted after the grant. */
  take(lease: Lease): Lease {
    this.#leaveQueue()
    try {
      this.throwIfAborted()
      return lease
    } catch (error) {
      lease.release()
      throw error
    }
  }

  /** Begins an attempt in the timeline. */
  begin(lease: Lease): Attempt {
    const { queued, paced } = lease
    const entry: Attempt = { queued, paced, sent: null, duration: 0, outcome: 'ok', charged: 'no', waited: 0 }
    this.attempts = [...this.attempts, entry]
    this.settled = undefined
    this.lease = lease
    this.#openCalls.inFlight++
    return entry
  }

  /** Closes the surface for `ms` milliseconds, after a 429. The next attempt waits as long. */
  closeSurface(ms: number): void {
    this.patience = Math.max(this.settings.retry.maxWaitMs, ms)
    this.client.limiter.hold(this.surface, ms, this)
  }

  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    const attempt = { operation: this.operation.id, attempt: this.attempts.length }
    for (const { onLog } of this.settings.observers) onLog?.(level, message, { ...attempt, ...fields })
  }

  /** Releases the slot of the attempt in `ms` milliseconds, unless it is released already. */
  release(ms = 0): void {
    const lease = this.lease
    if (lease === undefined) return
    this.lease = undefined
    const free = (): void => {
      this.#openCalls.inFlight--
      lease.release()
    }
    if (ms > 0) setTimeout(free, ms)
    else free()
  }

  get stake(): Stake {
    return stakeOf(this.operation)
  }

  /** Whether the request in flight is charged or applied; `unknown` until its response has been read. */
  get risk(): Charged {
    if (this.isIdle || this.stake === 'read' || this.attempts.at(-1)?.sent === null) return 'no'
    return this.settled?.risk ?? 'unknown'
  }

  /**
   * The fields that every error of this call has.
   *
   * @param latest Risk of the current attempt, which `attempts` does not show yet.
   */
  context(latest = this.risk): ErrorContext {
    const { attempts, failures } = this
    const all = [latest, ...attempts.map(({ charged }) => charged), ...failures.map(({ risk }) => risk)]
    const risk = all.includes('yes') ? 'yes' : all.includes('unknown') ? 'unknown' : 'no'
    return { ...contextOf(this.operation, this.request, risk), attempts, body: this.settled?.body }
  }

  timeoutError(message: string, retryAfter?: number): TimeoutError {
    return new TimeoutError(message, { ...this.context(), phase: this.phase, retryAfter })
  }

  /** The error that the caller gets. */
  errorOf(thrown: unknown): unknown {
    const error = isInstance(thrown, Failure) ? thrown.error : thrown
    // The reason of the caller's signal is passed on unchanged.
    if (error === this.#aborted?.reason) return error
    if (isInstance(error, SurfaceClosed)) return this.#unsent(error)
    return isInstance(error, SharedError) ? error.of(this.context()) : error
  }

  /** Whether the call has no request in flight. */
  get isIdle(): boolean {
    return this.phase === 'queue' || this.phase === 'wait'
  }

  #leaveQueue(): void {
    if (this.queuedAt === undefined) return
    this.queuedAt = undefined
    this.#openCalls.unqueue()
  }

  #unsent({ remaining, reason }: SurfaceClosed): SocialSearchError {
    const retryAfter = Math.max(1, Math.ceil(remaining / 1000))
    const message = `not sent: rate limit reached; retry after ${retryAfter} s`
    if (reason === 'pace') return this.timeoutError(message, retryAfter)
    return new RateLimitError({ ...this.context(), status: 429, code: 'rate_limited', message, retryAfter })
  }
}
