import { type Attempt, SocialSearchError, TimeoutError } from '../../errors/index.ts'
import { within } from '../../lib/abort.ts'
import { type Lease, abortNoticeMs } from '../../limits/interface.ts'
import type { CallCost } from '../credits/call-cost.ts'
import type { CallCredits } from '../credits/ledger.ts'
import { explainNetworkError } from '../http/network-error.ts'
import { FetchMisuse, type Init, callFetch, initOf, readText, send } from '../http/send.ts'
import { Failure } from '../retry/failure.ts'
import { effectOf } from '../retry/policy.ts'
import { type CallResult, type Situation, errorContext, logAt } from './call.ts'
import { codeOf } from './call-observer.ts'
import { checkAnswer } from './check-answer.ts'
import { failureOfAbort, failureOfConnection, failureOfMisuse } from './failures.ts'
import type { OpenCalls } from './open-calls.ts'
import { type AttemptOutcome, outcomeOf } from './outcome.ts'

/** One attempt: it sends the request, settles the outcome, then checks and transforms a success. */
export class OpenAttempt {
  #at: Situation
  readonly #entry: Attempt
  readonly #lease: Lease
  readonly #openCalls: OpenCalls
  readonly #cost: CallCost
  readonly #token: string | null
  /** Monotonic time at which it was sent; before that, at which it began. */
  #start = performance.now()
  /** For how long the slot stays taken after the attempt, in milliseconds. */
  #keepSlotMs = 0

  constructor(before: Situation, lease: Lease, openCalls: OpenCalls, cost: CallCost, token: string | null) {
    const { queued, paced } = lease
    this.#entry = { queued, paced, sent: null, duration: 0, outcome: 'ok', charged: 'no', waited: 0 }
    this.#at = { ...before, attempts: [...before.attempts, this.#entry] }
    this.#lease = lease
    this.#openCalls = openCalls
    this.#cost = cost
    this.#token = token
  }

  /** @throws {Failure} */
  async make(): Promise<CallResult> {
    const outcome = await this.#sendInTime()
    // Before any code of the user sees it.
    const credits = this.#settle(outcome)
    const isFailure = outcome instanceof Failure
    const result = isFailure ? outcome : await checkAnswer(this.#at, outcome, credits)
    this.#note(result)
    if (result instanceof Failure) throw result
    return result
  }

  /** Sends the request and reads its response, unless the timeout or the caller ends that. */
  async #sendInTime(): Promise<AttemptOutcome> {
    const { timeoutMs, cancellation } = this.#at.call
    const late = (): never => {
      throw this.#lateError(timeoutMs)
    }
    try {
      // One timer covers headers and body: each can stall.
      return await within(timeoutMs, (signal) => this.#send(signal), late, cancellation.signal)
    } catch (reason) {
      // The service notices a closed connection a moment later.
      if (this.#entry.sent !== null) this.#keepSlotMs = abortNoticeMs
      return failureOfAbort(this.#at, reason)
    }
  }

  #lateError(timeoutMs: number): TimeoutError {
    const { phase } = this.#at
    const message =
      this.#entry.sent === null
        ? `a hook took longer than ${timeoutMs / 1000} s, nothing was sent`
        : `no complete response within ${timeoutMs / 1000} s (waiting for ${phase})`
    return new TimeoutError(message, { ...errorContext(this.#at), phase })
  }

  /** Sends the request through ky, whose hooks may change it, and reads the response. */
  async #send(signal: AbortSignal): Promise<AttemptOutcome> {
    const { client, settings, operation, request } = this.#at.call
    const { hooks } = settings
    const headers = new Headers(settings.headers)
    const body = operation.method === 'GET' ? undefined : request.params
    headers.set('accept', client.bodyFormat.accept)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const init = initOf(operation.method, headers, body, signal)
    const context = { operation: operation.id, attempt: this.#at.attempts.length }
    const url = client.baseUrl + request.path
    try {
      const response = await send(url, init, this.#token, hooks, context, (target, init) => {
        this.#beforeSend(init)
        return callFetch(client.fetch, target, init)
      })
      // The attempt is over: a fetch that ignores its signal has answered late.
      if (signal.aborted) response.body?.cancel().catch(() => {})
      signal.throwIfAborted()
      this.#noteHeaders(response)
      const received = { response, ...(await readText(response, signal)) }
      // An abort ends the body early, as if it were complete.
      signal.throwIfAborted()
      if (!received.complete) this.#keepSlotMs = abortNoticeMs
      return outcomeOf(this.#at, received)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof FetchMisuse || this.#entry.sent === null) return failureOfMisuse(this.#at, error)
      const { redactor, phase } = this.#at
      const server = { baseUrl: client.baseUrl, redactor }
      return failureOfConnection(this.#at, explainNetworkError(error, server, phase === 'body'))
    }
  }

  #beforeSend({ signal }: Init): void {
    if (this.#entry.sent !== null) throw new FetchMisuse('a hook sent the request again')
    // A hook may have taken longer than the call has time, or have blocked the timers that end it.
    this.#at.call.cancellation.throwIfAborted()
    signal.throwIfAborted()
    this.#entry.sent = new Date().toISOString()
    this.#start = performance.now()
    // From now on, it may be charged.
    const tookEffect = effectOf(this.#at.call.operation) === 'read' ? 'no' : 'unknown'
    this.#at = { ...this.#at, phase: 'headers', tookEffect }
    this.#at.call.cancellation.markInFlight(true)
    this.#lease.sent()
    logAt(this.#at, 'debug', 'sending')
  }

  #noteHeaders({ status }: Response): void {
    this.#entry.status = status
    this.#at = { ...this.#at, phase: 'body' }
    this.#lease.answered()
  }

  /** Accounts for an outcome, tells the limiter of a 429, so that the next request does not run into it, and releases the slot. */
  #settle(outcome: AttemptOutcome): CallCredits {
    const { call } = this.#at
    const { tookEffect, credits } = outcome
    const isFailure = outcome instanceof Failure
    this.#entry.duration = performance.now() - this.#start
    if (call.operation.price.kind !== 'free') this.#entry.charged = tookEffect
    const settled = this.#cost.settle(tookEffect, credits)
    this.#at = isFailure ? this.#at : { ...this.#at, tookEffect, success: outcome }
    const closedMs = isFailure ? outcome.closedMs : null
    if (closedMs !== null) call.client.limiter.closeSurface(call.operation.surface, closedMs)
    if (this.#keepSlotMs > 0) setTimeout(() => this.#openCalls.release(this.#lease), this.#keepSlotMs)
    else this.#openCalls.release(this.#lease, closedMs !== null)
    return settled
  }

  /** Completes the timeline, and tells the log and the observers. */
  #note(result: CallResult | Failure): void {
    const entry = this.#entry
    const { cancellation, observer } = this.#at.call
    const isFailure = result instanceof Failure
    const known = isFailure && result.error instanceof SocialSearchError ? result.error : undefined
    const requestId = isFailure ? known?.requestId : result.requestId
    if (requestId !== undefined) entry.requestId = requestId
    if (isFailure) {
      const { error, kind, tookEffect, wait } = result
      cancellation.markInFlight(false)
      entry.outcome = codeOf(error)
      // A call waits for the end of a 429 in its queue.
      if (kind !== 'rate-limited') entry.waited = wait ?? 0
      const { outcome, charged } = entry
      // Without a retry, the caller gets the error.
      const level = tookEffect === 'no' || wait === null ? 'debug' : 'warn'
      logAt(this.#at, level, 'attempt failed', { outcome, charged, requestId })
    } else {
      const { status } = result.response
      logAt(this.#at, 'debug', 'answered', { status, durationMs: Math.round(entry.duration), requestId })
    }
    observer?.attempt(entry, this.#cost, isFailure ? result.tookEffect : this.#at.tookEffect)
  }
}
