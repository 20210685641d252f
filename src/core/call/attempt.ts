import { type Attempt, SocialSearchError, TimeoutError } from '../../errors/index.ts'
import { type Lease, abortNoticeMs } from '../../limits/interface.ts'
import { explainNetworkError } from '../http/network-error.ts'
import { userAgent } from '../http/user-agent.ts'
import { FetchMisuse, type Init, callFetch, initOf, readText, send } from '../http/send.ts'
import { Failure } from '../retry/failure.ts'
import { effectOf } from '../retry/policy.ts'
import { type CallResult, type Situation, errorContext, logAt, timeoutOf } from './call.ts'
import type { CallCost } from './call-cost.ts'
import { codeOf } from './call-observer.ts'
import { checkAnswer } from './check-answer.ts'
import { failureOfAbort, failureOfConnection, failureOfMisuse, failureOfUnexpected } from './failures.ts'
import { type AttemptOutcome, outcomeOf } from './outcome.ts'

/** One attempt: it sends the request, settles the outcome, then checks and transforms a success. */
export class OpenAttempt {
  #at: Situation
  readonly #entry: Attempt
  readonly #cost: CallCost
  readonly #token: string | null
  readonly #lease: Lease
  /** Monotonic time at which it was sent; before that, at which it began. */
  #start = performance.now()
  /** For how long the slot stays taken after the attempt, in milliseconds. */
  #keepSlotMs = 0

  constructor(at: Situation, entry: Attempt, cost: CallCost, lease: Lease, token: string | null) {
    this.#at = at
    this.#entry = entry
    this.#cost = cost
    this.#lease = lease
    this.#token = token
  }

  async make(): Promise<CallResult> {
    const result = await this.#result()
    const isFailure = result instanceof Failure
    if (isFailure) this.#noteFailure(result)
    else {
      const { status } = result.response
      const durationMs = Math.round(this.#entry.duration)
      logAt(this.#at, 'debug', 'answered', { status, durationMs, requestId: result.requestId })
    }
    const { tookEffect } = isFailure ? result : this.#at
    this.#at.call.observer?.attempt(this.#entry, this.#cost, tookEffect)
    if (isFailure) throw result
    return result
  }

  async #result(): Promise<CallResult | Failure> {
    try {
      const outcome = await this.#sendInTime()
      return outcome instanceof Failure ? outcome : await checkAnswer(this.#at, outcome, this.#cost.credits)
    } catch (error) {
      return failureOfUnexpected(this.#at, error)
    }
  }

  /** Sends the request and settles its outcome, also if a timeout or the caller ends the attempt. */
  async #sendInTime(): Promise<AttemptOutcome> {
    let outcome: AttemptOutcome
    try {
      const timeoutMs = timeoutOf(this.#at.call)
      outcome = await this.#at.call.cancellation.inTime(
        timeoutMs,
        () => this.#lateError(timeoutMs),
        (signal) => this.#send(signal),
      )
    } catch (reason) {
      outcome = failureOfAbort(this.#at, reason)
      // The service notices a closed connection a moment later.
      if (this.#entry.sent !== null) this.#keepSlotMs = abortNoticeMs
    }
    this.#settle(outcome)
    return outcome
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
    const agent = headers.has('user-agent') ? null : userAgent()
    if (agent !== null) headers.set('user-agent', agent)
    headers.set('accept', client.bodyFormat.accept)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const init = initOf(operation.method, headers, body, signal)
    const context = { operation: operation.id, attempt: this.#at.attempts.length }
    const url = client.baseUrl + request.path
    let response: Response | undefined
    try {
      response = await send(url, init, hooks, context, (target, init) => {
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
      const isSent = this.#entry.sent !== null
      const isMisuse = error instanceof FetchMisuse
      const server = { baseUrl: client.baseUrl, redactor: this.#at.redactor }
      if (isMisuse || !isSent) return failureOfMisuse(this.#at, error, isMisuse)
      return failureOfConnection(this.#at, explainNetworkError(error, server, response !== undefined))
    }
  }

  #beforeSend({ headers, signal }: Init): void {
    if (this.#entry.sent !== null) throw new FetchMisuse('a hook sent the request again')
    if (this.#token !== null) headers.set('authorization', `Bearer ${this.#token}`)
    // A hook may have taken longer than the call has time, or have blocked the timers that end it.
    this.#at.call.cancellation.throwIfAborted()
    signal.throwIfAborted()
    this.#entry.sent = new Date().toISOString()
    this.#start = performance.now()
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

  /**
   * Settles an outcome before any code of the user sees it: accounts for it, tells the limiter of a 429, so that the next
   * request does not run into it, and releases the slot.
   */
  #settle(outcome: AttemptOutcome): void {
    const { call } = this.#at
    const { tookEffect, cost, requestId } = outcome
    this.#entry.duration = performance.now() - this.#start
    if (call.operation.price.kind !== 'free') this.#entry.charged = tookEffect
    if (requestId !== undefined) this.#entry.requestId = requestId
    this.#cost.settle(cost)
    this.#at = { ...this.#at, tookEffect, accountedOutcome: outcome }
    const closedMs = outcome instanceof Failure ? outcome.closedMs : null
    if (closedMs !== null) call.client.limiter.closeSurface(call.operation.surface, closedMs)
    const free = (): void => this.#lease.release(closedMs !== null)
    if (this.#keepSlotMs > 0) setTimeout(free, this.#keepSlotMs)
    else free()
  }

  /** Adds a failed attempt to the progress of the call and its log. */
  #noteFailure(failure: Failure): void {
    const { error, tookEffect } = failure
    const entry = this.#entry
    this.#at.call.cancellation.markInFlight(false)
    entry.outcome = codeOf(error)
    if (error instanceof SocialSearchError && error.requestId !== undefined) entry.requestId = error.requestId
    const { outcome, requestId, charged } = entry
    // Without a retry, the caller gets the error.
    const level = tookEffect === 'no' || failure.wait === null ? 'debug' : 'warn'
    logAt(this.#at, level, 'attempt failed', { outcome, charged, requestId })
  }
}
