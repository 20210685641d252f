import pRetry from 'p-retry'
import { RateLimitError, SharedError, type SocialSearchError, TimeoutError } from '../../errors/index.ts'
import { within } from '../../lib/abort.ts'
import { sleep } from '../../lib/time.ts'
import { type Lease, type QueueRequest, SurfaceClosed } from '../../limits/interface.ts'
import { CallCost } from '../credits/call-cost.ts'
import { Failure } from '../retry/failure.ts'
import { OpenAttempt } from './attempt.ts'
import { type CallResult, type Call, type Send, type Situation, errorContext, logAt, unsent } from './call.ts'
import { Ended } from './cancellation.ts'
import type { OpenCalls } from './open-calls.ts'
import { errorOfEnd } from './failures.ts'

/** After this time in the queue, in milliseconds, a call asks for its token again: it may have been refreshed. */
const staleMs = 1000

export function sendCalls(openCalls: OpenCalls): Send {
  return (call) => new CallRun(call, openCalls).send()
}

/** Sends the requests of a call: it queues, and makes attempts until one succeeds or the retry policy stops. */
class CallRun {
  readonly #call: Call
  readonly #openCalls: OpenCalls
  readonly #cost: CallCost
  /** The token of the next attempt, or of the latest. */
  #token: string | null
  /** Made with the first attempt: thousands of calls may be queued. */
  #latest: Situation | undefined

  constructor(call: Call, openCalls: OpenCalls) {
    this.#call = call
    this.#openCalls = openCalls
    const { operation, request, settings, client } = call
    this.#cost = new CallCost(operation, request.maxItems, settings, client.ledger)
    this.#token = client.credential.fixed ?? null
  }

  async send(): Promise<CallResult> {
    try {
      // Before pRetry, whose promises and options would double the memory of a call that waits.
      let lease = this.#leaveQueue(await this.#queue())
      return await pRetry(() => this.#makeAttempt(lease), {
        retries: Infinity,
        minTimeout: 0,
        // Resolves when the next attempt may be sent.
        shouldRetry: async ({ error }) => {
          if (!(error instanceof Failure && (await this.#waitForRetry(error)))) return false
          lease = this.#leaveQueue(await this.#queue())
          return true
        },
      })
    } catch (error) {
      throw this.#errorOf(error)
    } finally {
      this.#cost.close()
      this.#openCalls.delete(this.#call)
    }
  }

  /** How far the call is, between its attempts. */
  #situation(): Situation {
    return this.#latest ?? unsent(this.#call)
  }

  #makeAttempt(lease: Lease): Promise<CallResult> {
    const before = this.#situation()
    // The client knows its key, but not each token of a provider.
    const mayBeNew = this.#call.client.credential.fixed === undefined
    this.#latest = mayBeNew ? { ...before, redactor: before.redactor.with(this.#token ?? '') } : before
    return new OpenAttempt(this.#latest, lease, this.#openCalls, this.#cost, this.#token).make()
  }

  /** Waits in the queue for a lease. It is not async: calls made together keep their order if nothing is awaited before. */
  #queue(): Promise<Lease> {
    const { client, settings } = this.#call
    if (client.credential.fixed === undefined || settings.budgets.length > 0) return this.#prepareAndQueue()
    return client.limiter.acquire(this.#enterQueue())
  }

  /** Asks the budgets and gets the token before the call queues, so that a slow budget or provider holds no slot. */
  async #prepareAndQueue(): Promise<Lease> {
    const { client, cancellation, operation } = this.#call
    const { credential, limiter } = client
    await cancellation.race(() => this.#cost.reserveInBudgets())
    await cancellation.race(() => this.#updateToken())
    // It may have been aborted just after its token came.
    cancellation.throwIfAborted()
    const queueRequest = this.#enterQueue()
    let lease = await limiter.acquire(queueRequest)
    while (credential.fixed === undefined && lease.queued + lease.paced > staleMs) {
      try {
        await this.#updateTokenInSlot()
      } catch (error) {
        lease.release()
        throw error
      }
      if (limiter.waitOf(operation.surface)?.reason !== 'rate_limited') break
      // A 429 has closed the surface meanwhile.
      lease.release()
      lease = await limiter.acquire(queueRequest)
    }
    return lease
  }

  async #updateToken(): Promise<void> {
    this.#token = await this.#call.client.credential.token(() => errorContext(this.#situation()))
  }

  /** The call has a slot, so the provider gets the time of one attempt. */
  #updateTokenInSlot(): Promise<void> {
    const { timeoutMs, cancellation } = this.#call
    const late = (): never => {
      throw this.#timeoutError(`no token within ${timeoutMs} ms`)
    }
    return within(timeoutMs, () => this.#updateToken(), late, cancellation.signal)
  }

  /** Reserves the cost of the next attempt, and counts the call as queued. */
  #enterQueue(): QueueRequest {
    const { cancellation, operation, settings } = this.#call
    this.#cost.reserve()
    const queueRequest: QueueRequest = {
      surface: operation.surface,
      priority: settings.priority,
      isRetry: this.#latest !== undefined,
      // It waits for the end of its own 429, also beyond `maxWait`: without a `Retry-After`, that is the wait of its retry.
      maxClosedWaitMs: Math.max(settings.retry.maxWaitMs, this.#latest?.failures.at(-1)?.closedMs ?? 0),
      // Fields without a number take less memory than Infinity.
      sendBy: cancellation.sendBy === Infinity ? undefined : cancellation.sendBy,
      // Whole numbers take less memory.
      queuedAt: Math.floor(performance.now()),
      signal: cancellation.signal,
    }
    if (this.#latest) this.#latest = { ...this.#latest, phase: 'queue' }
    this.#openCalls.queue(this.#call, queueRequest)
    return queueRequest
  }

  /** Leaves the queue with a lease, or releases it if the call was aborted after the grant. */
  #leaveQueue(lease: Lease): Lease {
    this.#openCalls.take(this.#call)
    try {
      this.#call.cancellation.throwIfAborted()
      return lease
    } catch (error) {
      this.#openCalls.release(lease)
      throw error
    }
  }

  /** Waits until the next attempt is due; resolves with false if the call does not retry. */
  async #waitForRetry(failure: Failure): Promise<boolean> {
    const { kind, wait, attempts } = failure
    const before = this.#situation()
    const at: Situation = { ...before, phase: 'wait', attempts, failures: [...before.failures, failure] }
    this.#latest = at
    if (kind === 'unauthorized') await this.#refreshToken(wait !== null)
    if (wait === null) return false
    const { cancellation, observer } = this.#call
    logAt(at, 'info', 'retrying', { waitMs: Math.round(wait) })
    // The 429 closed the surface: the call waits in its queue, ahead of new calls.
    if (kind === 'rate-limited' || kind === 'unauthorized') return true
    observer?.report('retry', wait)
    this.#openCalls.warnOfWait(this.#call, { reason: 'retry', ms: wait })
    await sleep(wait, cancellation.signal)
    return true
  }

  /** Refreshes a refused token. A call that does not retry leaves the new token, or the error of the refresh, to the next call. */
  async #refreshToken(isRetried: boolean): Promise<void> {
    const { client, cancellation } = this.#call
    const refreshing = client.credential.refresh(this.#token ?? '')
    refreshing.catch(() => {})
    if (isRetried) await cancellation.race(() => refreshing)
  }

  #errorOf(error: unknown): unknown {
    if (error instanceof Failure) return error.error
    if (error instanceof Ended) return errorOfEnd(this.#situation(), error)
    // The reason of the caller's signal is passed on unchanged.
    const { signal } = this.#call.cancellation
    if (signal.aborted && error === signal.reason) return error
    if (error instanceof SurfaceClosed) return this.#unsentError(error)
    return error instanceof SharedError ? error.of(errorContext(this.#situation())) : error
  }

  #unsentError({ remaining, reason }: SurfaceClosed): SocialSearchError {
    const retryAfter = Math.max(1, Math.ceil(remaining / 1000))
    const message = `not sent: rate limit reached; retry in ${retryAfter} s`
    if (reason === 'pace') return this.#timeoutError(message, retryAfter)
    return new RateLimitError({
      ...errorContext(this.#situation()),
      status: 429,
      code: 'rate_limited',
      message,
      retryAfter,
    })
  }

  #timeoutError(message: string, retryAfter?: number): TimeoutError {
    const at = this.#situation()
    return new TimeoutError(message, { ...errorContext(at), phase: at.phase, retryAfter })
  }
}
