import pRetry from 'p-retry'
import {
  type ErrorContext,
  RateLimitError,
  SharedError,
  type SocialSearchError,
  TimeoutError,
  type TimeoutPhase,
} from '../../errors/index.ts'
import type { LogFields, LogLevel } from '../../lib/logger.ts'
import { isInstance } from '../../lib/thrown.ts'
import { noticeWait } from '../../lib/wait-notice.ts'
import { type CallTicket, type Lease, type Share, SurfaceClosed } from '../../limits/interface.ts'
import { type CallCredits, Purchase } from '../credits/ledger.ts'
import { Failure, holdOf } from '../retry/failure.ts'
import { OpenAttempt } from './attempt.ts'
import { type Answer, type Call, type Progress, defaultTimeoutMs, errorContext, noProgress } from './call.ts'
import { CallObserver } from './call-observer.ts'
import { Cancellable, type Sharers } from './cancellation.ts'
import { channel, publisher } from './diagnostics.ts'
import type { OpenCalls } from './open-calls.ts'

/** After this time in the queue, in milliseconds, a call asks for its token again: it may have been refreshed. */
const staleMs = 1000

/** What a call shows of a request that it shares with others. */
export interface SharedProgress {
  readonly progress: Progress
  /** Undefined until it is known which call pays. */
  readonly credits?: CallCredits | undefined
}

/**
 * Runs a call: it queues, makes attempts until one succeeds or the retry policy stops, and closes. Its progress is here, what
 * cancels it in `Cancellable`, its credits in `Purchase`. Limiters get the run itself as the ticket of the call.
 */
export class Run extends Cancellable implements CallTicket {
  readonly call: Call
  readonly surface: string | null
  readonly observer: CallObserver | undefined
  readonly openCalls: OpenCalls
  readonly purchase: Purchase
  #progress = noProgress
  /** The latest attempt. */
  #attempt: OpenAttempt | undefined
  #shared: SharedProgress | undefined
  /** The token of the next attempt, or of the latest. */
  #token: string | null = null
  #queuedAt: number | undefined

  /** @param sharers The calls that share the request; the first of them has the observer. */
  constructor(call: Call, openCalls: OpenCalls, sharers?: Sharers) {
    super(sharers)
    const { settings, operation, request } = call
    this.call = call
    this.openCalls = openCalls
    this.purchase = new Purchase(call)
    this.surface = operation.surface
    const { observers: own } = settings
    const observers = channel?.hasSubscribers === true ? [...own, publisher] : own
    if (sharers) this.observer = sharers.observer
    else if (observers.length > 0)
      this.observer = new CallObserver(observers, { id: operation.id, surface: this.surface }, request.params)
    openCalls.add(this)
  }

  /** Makes the call. */
  async start(): Promise<Answer> {
    try {
      // Before pRetry, whose promises and options would double the memory of a call that waits.
      let lease = this.#take(await this.#queue())
      return await pRetry(() => this.#makeAttempt(lease), {
        retries: Infinity,
        minTimeout: 0,
        // Resolves when the next attempt may be sent.
        shouldRetry: async ({ error }) => {
          if (!(error instanceof Failure && (await this.#waitForRetry(error)))) return false
          lease = this.#take(await this.#queue())
          return true
        },
      })
    } catch (error) {
      throw this.errorOf(error)
    } finally {
      this.close()
    }
  }

  /** Releases everything that the call holds. */
  close(): void {
    this.#leaveQueue()
    this.purchase.close()
    this.stopCancelling()
    this.openCalls.delete(this)
  }

  get progress(): Progress {
    return this.#shared?.progress ?? this.#progress
  }

  get phase(): TimeoutPhase {
    return this.progress.phase
  }

  /** What the call has cost so far. */
  get credits(): CallCredits {
    const { spent, uncertain } = this.#shared?.credits ?? this.purchase
    return { spent, uncertain }
  }

  /** Shows the progress of a request that this call shares in place of its own. */
  showProgressOf(shared: SharedProgress): void {
    this.#shared = shared
  }

  get share(): Share {
    return this.call.client.share
  }

  get priority(): number {
    return this.call.settings.priority
  }

  get isRetry(): boolean {
    return this.progress.attempts.length > 0
  }

  /** A call waits for the end of its own 429, also beyond `maxWait`: without a `Retry-After`, that is the wait of its retry. */
  get maxHoldWait(): number {
    const latest = this.progress.failures.at(-1)
    return Math.max(this.call.settings.retry.maxWaitMs, (latest && holdOf(latest)) ?? 0)
  }

  /** Monotonic time at which it joined the queue; undefined if it is not queued. */
  get queuedAt(): number | undefined {
    return this.#queuedAt
  }

  get timeoutMs(): number {
    const { settings, operation } = this.call
    return this.sharers?.timeoutMs ?? settings.timeoutMs ?? operation.timeoutMs ?? defaultTimeoutMs
  }

  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { operation, settings } = this.call
    const attempt = { operation: operation.id, attempt: this.progress.attempts.length }
    for (const { onLog } of settings.observers) onLog?.(level, message, { ...attempt, ...fields })
  }

  /** The fields that every error of this call has. */
  context(): ErrorContext {
    return errorContext(this)
  }

  timeoutError(message: string, retryAfter?: number): TimeoutError {
    return new TimeoutError(message, { ...this.context(), phase: this.phase, retryAfter })
  }

  lateError(): TimeoutError {
    const { settled, phase } = this.progress
    const within = `within ${this.timeoutMs} ms`
    if (settled) return this.timeoutError(`a hook did not finish ${within}`)
    return this.timeoutError(
      phase === 'queue' ? `no token ${within}` : `no complete response ${within} (waiting for ${phase})`,
    )
  }

  /** The error that the caller gets. */
  errorOf(thrown: unknown): unknown {
    const error = isInstance(thrown, Failure) ? thrown.error : thrown
    // The reason of the caller's signal is passed on unchanged.
    if (this.isReason(error)) return error
    if (isInstance(error, SurfaceClosed)) return this.#unsentError(error)
    return isInstance(error, SharedError) ? error.of(this.context()) : error
  }

  /** Notes how far the call is. */
  advance(changes: Partial<Progress>): void {
    this.#progress = { ...this.#progress, ...changes }
    if (changes.phase !== undefined) this.sharers?.onPhase()
  }

  protected cancelWait(reason: unknown): void {
    if (this.#queuedAt !== undefined) this.call.client.limiter.cancel(this, reason)
  }

  /** Waits in the queue for a lease. It is not async: calls made together keep their order if nothing is awaited before. */
  #queue(): Promise<Lease> {
    const { client, settings } = this.call
    this.throwIfAborted()
    if (client.credential.fixed === undefined || settings.budgets.length > 0) return this.#prepareAndQueue()
    this.purchase.reserve()
    this.#token = client.credential.fixed
    return this.#acquire()
  }

  /** Reserves credits and gets the token before the call queues, so that a slow budget or provider holds no slot. */
  async #prepareAndQueue(): Promise<Lease> {
    await this.race(() => this.purchase.reserveInBudgets())
    await this.race(() => this.#updateToken())
    // It may have been aborted just after its token came.
    this.throwIfAborted()
    const { credential, limiter } = this.call.client
    let lease = await this.#acquire()
    while (credential.fixed === undefined && lease.queued + lease.paced > staleMs) {
      try {
        // The call has a slot, so the provider gets the time of one attempt.
        await this.withTimeout(() => this.#updateToken())
      } catch (error) {
        lease.release()
        throw error
      }
      if (limiter.waitOf?.(this.surface, this.share)?.reason !== 'rate_limited') break
      // A 429 has closed the surface meanwhile.
      lease.release()
      lease = await limiter.acquire(this)
    }
    return lease
  }

  async #updateToken(): Promise<void> {
    this.#token = await this.call.client.credential.token(() => this.context())
  }

  #acquire(): Promise<Lease> {
    this.openCalls.queue(this)
    // Whole numbers take less memory.
    this.#queuedAt = Math.floor(performance.now())
    this.advance({ phase: 'queue' })
    return this.call.client.limiter.acquire(this)
  }

  #leaveQueue(): void {
    if (this.#queuedAt === undefined) return
    this.#queuedAt = undefined
    this.openCalls.unqueue()
  }

  /** Leaves the queue with a lease, or releases it if the call was aborted after the grant. */
  #take(lease: Lease): Lease {
    this.#leaveQueue()
    try {
      this.throwIfAborted()
      return lease
    } catch (error) {
      lease.release()
      throw error
    }
  }

  #makeAttempt(lease: Lease): Promise<Answer> {
    this.#attempt = new OpenAttempt(this, lease, this.#token)
    return this.#attempt.make()
  }

  /** Waits until the next attempt is due; resolves with false if the call does not retry. */
  async #waitForRetry({ kind, wait }: Failure): Promise<boolean> {
    if (kind === 'unauthorized') return this.#refreshToken()
    if (wait === null || wait >= this.maxQueueWait) return false
    this.log('info', 'retrying', { waitMs: Math.round(wait) })
    // The 429 closed the surface: the call waits in its queue, ahead of new calls.
    if (kind === 'rate-limited') return true
    if (this.observer) this.observer.report('retry', wait)
    else noticeWait(this.call, { reason: 'retry', ms: wait })
    await this.sleep(wait)
    this.#attempt?.noteWait(wait)
    return true
  }

  /** Refreshes a refused token, once a call; resolves with whether the call retries. */
  async #refreshToken(): Promise<boolean> {
    const { client, settings } = this.call
    const { attempts, failures } = this.progress
    const isFirst = failures.filter(({ kind }) => kind === 'unauthorized').length === 1
    if (!isFirst || !client.credential.refreshable || this.maxQueueWait === 0) return false
    const refreshing = client.credential.refresh(this.#token ?? '')
    // Without attempts left, this call fails, and the next call uses the new token or gets the error of the refresh.
    refreshing.catch(() => {})
    if (attempts.length >= settings.retry.maxAttempts) return false
    await this.race(() => refreshing)
    return true
  }

  #unsentError({ remaining, reason }: SurfaceClosed): SocialSearchError {
    const retryAfter = Math.max(1, Math.ceil(remaining / 1000))
    const message = `not sent: rate limit reached; retry after ${retryAfter} s`
    if (reason === 'pace') return this.timeoutError(message, retryAfter)
    return new RateLimitError({ ...this.context(), status: 429, code: 'rate_limited', message, retryAfter })
  }
}
