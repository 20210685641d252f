import type { Operation } from '../../contract/operation.ts'
import {
  type Attempt,
  type Charged,
  type ErrorContext,
  RateLimitError,
  SharedError,
  type TimeoutPhase,
} from '../../errors.ts'
import type { Purchase } from '../credits/ledger.ts'
import type { Abortable } from '../lib/abort.ts'
import type { LogFields, LogLevel } from '../lib/logger.ts'
import { after } from '../lib/time.ts'
import type { Lease, Share, Waiter } from '../limits/limiter.ts'
import { SurfaceClosed } from '../limits/surface-closed-error.ts'
import type { Settings } from '../options/settings.ts'
import { type Failure, nextWait, stakeOf } from '../retry/policy.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { type ComposedRequest, nextOf } from './compose-request.ts'
import type { OpenCalls } from './open-calls.ts'
import { WaitObserver } from './wait-observer.ts'

/** What a call is made of. */
export interface CallParts {
  /** At the user's own price. */
  readonly operation: Operation
  readonly request: ComposedRequest
  readonly settings: Settings
  readonly purchase: Purchase
  readonly openCalls: OpenCalls
}

/** Callbacks for the end of a wait in the queue. */
export interface LeaseTaker {
  granted(lease: Lease): void
  refused(reason: unknown): void
}

/** One call under way: how far it has come, what its errors tell, and how it is aborted. */
export class Call implements Waiter, Abortable {
  readonly operation: Operation
  readonly request: ComposedRequest
  readonly settings: Settings
  readonly purchase: Purchase
  readonly surface: string | null
  readonly share: Share
  readonly priority: number
  /** Whether an attempt has been made. */
  resumed = false
  /** Whether a success costs credits. */
  readonly metered: boolean
  readonly attempts: Attempt[] = []
  readonly failures: Failure[] = []
  /** Milliseconds from the latest failure to the next attempt, or null for none. */
  wait: number | null = null
  /** Whether the token has been refreshed for this call. */
  isRenewed = false
  phase: TimeoutPhase = 'queue'
  /** The token of the next attempt, or of the latest. */
  token: string | null = null
  /** Longest closure of the surface that the call waits out, in milliseconds. */
  patience: number
  queuedAt = 0
  entry: object | undefined
  /** Tells why the call waits, if anybody wants to know. */
  readonly observer: WaitObserver | undefined
  /** Monotonic time after which there is no further send. */
  sendBy = Infinity
  readonly #openCalls: OpenCalls
  #aborted: { readonly reason: unknown } | undefined
  /** Undefined outside of the queue. */
  #taker: LeaseTaker | undefined
  #onAbort: ((reason: unknown) => void) | undefined
  #cleanUp: (() => void)[] | undefined

  constructor({ operation, request, settings, purchase, openCalls }: CallParts) {
    this.operation = operation
    this.request = request
    this.settings = settings
    this.purchase = purchase
    this.patience = settings.retry.maxWaitMs
    this.share = settings.share
    this.priority = settings.priority
    this.metered = operation.price.kind !== 'free'
    const surface = settings.surfaces[operation.id]
    this.surface = surface === undefined ? operation.surface : surface
    const { log, onWait } = settings
    if ((log ?? onWait) !== undefined) this.observer = new WaitObserver(settings, operation.id, this.surface)
    this.#openCalls = openCalls
  }

  /** Notes a failed attempt, and decides whether and when another follows. */
  fails(failure: Failure): void {
    this.failures.push(failure)
    this.wait = nextWait(this.failures, stakeOf(this.operation), this.settings.retry, Math.random)
  }

  /** Has something done when the call ends. */
  onClose(cleanUp: () => void): void {
    ;(this.#cleanUp ??= []).push(cleanUp)
  }

  /** Ends: nothing of the call is left behind. */
  close(): void {
    this.purchase.close()
    this.#cleanUp?.forEach((cleanUp) => cleanUp())
    this.#openCalls.delete(this)
    // Node may keep a request for long, and with it the call, but must not keep the answer.
    this.#onAbort = undefined
  }

  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    if (this.#taker !== undefined) {
      this.settings.limiter.leave(this)
      this.refuse(reason)
    } else this.#onAbort?.(reason)
  }

  /** Sets what is to be done if the call is aborted, or does it at once if it has been. */
  onAbort(then: (reason: unknown) => void): void {
    this.#onAbort = then
    if (this.#aborted !== undefined) then(this.#aborted.reason)
  }

  /** Settles with the work, or rejects with the reason as soon as the call is aborted. */
  race<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onAbort(reject)
      if (this.#aborted === undefined) work().then(resolve, reject)
    })
  }

  /** Waits at least so many milliseconds. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = after(ms, resolve)
      this.onAbort((reason) => {
        cancel()
        reject(reason)
      })
    })
  }

  /** Whether a request may still go after so many milliseconds. */
  canSendWithin(ms: number): boolean {
    return performance.now() + ms < this.sendBy
  }

  /** Joins the queue of the surface. */
  enterQueue(taker: LeaseTaker): void {
    if (this.#aborted !== undefined) {
      taker.refused(this.#aborted.reason)
      return
    }
    try {
      this.#openCalls.queue(this)
    } catch (error) {
      taker.refused(error)
      return
    }
    this.#taker = taker
    this.phase = 'queue'
    this.queuedAt = performance.now()
    this.patience = Math.min(this.patience, this.sendBy - this.queuedAt)
    this.settings.limiter.enter(this)
  }

  grant(lease: Lease): void {
    this.#leaveQueue()?.granted(lease)
  }

  refuse(reason: unknown): void {
    const error = reason instanceof SurfaceClosed ? this.#closedSurface(reason.remaining) : reason
    this.#leaveQueue()?.refused(error)
  }

  /** Adds an attempt to the timeline. */
  begin({ queued, paced }: Lease): Attempt {
    const before = { queued, paced, sent: null, duration: 0 }
    const attempt: Attempt = { ...before, outcome: 'ok', charged: 'no', waited: 0 }
    this.attempts.push(attempt)
    this.resumed = true
    this.#openCalls.inFlight++
    return attempt
  }

  /** Writes a log line about the latest attempt. */
  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    const attempt = { operation: this.operation.id, attempt: this.attempts.length }
    this.settings.log?.(level, message, { ...attempt, ...fields })
  }

  /** Gives the slot of an attempt back. */
  release(lease: Lease): void {
    this.#openCalls.inFlight--
    lease.release()
  }

  /** Whether the latest attempt may be charged, as far as it has come. */
  get chargedSoFar(): Charged {
    const isOut = !this.isIdle && this.attempts.at(-1)?.sent !== null
    return isOut && this.metered ? 'unknown' : 'no'
  }

  /**
   * The fields that every error of this call has.
   *
   * @param latest Charge of the current attempt, which `attempts` does not show yet.
   */
  context(latest: Charged = 'no'): ErrorContext {
    const all = [latest, ...this.attempts.map(({ charged }) => charged)]
    const charged = all.includes('yes') ? 'yes' : all.includes('unknown') ? 'unknown' : 'no'
    return {
      operation: this.operation.id,
      charged,
      attempts: this.attempts,
      next: nextOf(this.operation, this.request),
    }
  }

  /** The error that the caller gets. */
  errorOf(failure: unknown): unknown {
    const error = failure instanceof AttemptFailure ? failure.error : failure
    // The caller's own reason is handed back as it is.
    const isReason = this.#aborted !== undefined && error === this.#aborted.reason
    return error instanceof SharedError && !isReason ? error.of(this.context()) : error
  }

  /** Whether no request of the call is under way. */
  get isIdle(): boolean {
    return this.phase === 'queue' || this.phase === 'wait'
  }

  #leaveQueue(): LeaseTaker | undefined {
    const taker = this.#taker
    this.#taker = undefined
    this.entry = undefined
    this.#openCalls.unqueue(this)
    return taker
  }

  #closedSurface(remainingMs: number): RateLimitError {
    const retryAfter = Math.ceil(remainingMs / 1000)
    const message = `not sent: an earlier 429 closed its search surface for another ${retryAfter} s`
    return new RateLimitError({ ...this.context(), status: 429, code: 'rate_limited', message, retryAfter })
  }
}
