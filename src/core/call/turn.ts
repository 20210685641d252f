import { within } from '../../lib/abort.ts'
import type { Lease, QueueRequest } from '../../limits/interface.ts'
import type { CallCost } from '../credits/call-cost.ts'
import type { Call } from './call.ts'
import type { OpenCalls } from './open-calls.ts'
import { errorContext } from './record.ts'
import { timeoutOf } from './unsent-error.ts'

/** After this time in the queue, in milliseconds, a call asks for its token again: it may have been refreshed. */
const staleMs = 1000

/** What a call waits for before each attempt: its budgets, its token and its lease. */
export class Turn {
  readonly #call: Call
  readonly #openCalls: OpenCalls
  readonly #cost: CallCost
  /** The token of the next attempt, or of the latest. */
  token: string | null

  constructor(call: Call, openCalls: OpenCalls, cost: CallCost) {
    this.#call = call
    this.#openCalls = openCalls
    this.#cost = cost
    this.token = call.client.credential.fixed ?? null
  }

  /** Waits in the queue for a lease. It is not async: calls made together keep their order if nothing is awaited before. */
  queue(): Promise<Lease> {
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
        lease.end()
        throw error
      }
      if (limiter.waitOf(operation.surface)?.reason !== 'rate_limited') break
      // A 429 has closed the surface meanwhile.
      lease.end()
      lease = await limiter.acquire(queueRequest)
    }
    try {
      await cancellation.race(() => this.#cost.renewInBudgets())
    } catch (error) {
      lease.end()
      throw error
    }
    return lease
  }

  async #updateToken(): Promise<void> {
    this.token = await this.#call.client.credential.token(() => errorContext(this.#call))
  }

  /** The call has a slot, so the provider gets the time of one attempt. */
  #updateTokenInSlot(): Promise<void> {
    const { timeoutMs, cancellation } = this.#call
    const late = (): never => {
      throw timeoutOf(this.#call, `no token within ${timeoutMs} ms`)
    }
    return within(timeoutMs, () => this.#updateToken(), late, cancellation.signal)
  }

  /** Reserves the cost of the next attempt, and counts the call as queued. */
  #enterQueue(): QueueRequest {
    const { cancellation, operation, settings, record } = this.#call
    this.#cost.reserve()
    record.phase = 'queue'
    const queueRequest = {
      surface: operation.surface,
      priority: settings.priority,
      isRetry: record.attempts.length > 0,
      // It waits for the end of its own 429, also beyond `maxWait`: without a `Retry-After`, that is the wait of its retry.
      maxClosedWaitMs: Math.max(settings.retry.maxWaitMs, record.failures.at(-1)?.closedMs ?? 0),
      sendBy: cancellation.sendBy,
      queuedAt: performance.now(),
      signal: cancellation.signal,
    }
    this.#openCalls.queue(this.#call, queueRequest)
    return queueRequest
  }

  /** Leaves the queue with a lease, or ends it if the call was aborted after the grant. */
  leave(lease: Lease): Lease {
    this.#openCalls.take(this.#call)
    try {
      this.#call.cancellation.throwIfAborted()
      return lease
    } catch (error) {
      this.#openCalls.end(lease)
      throw error
    }
  }

  /** Refreshes a refused token, once for all calls. */
  refresh(): Promise<void> {
    const refreshing = this.#call.client.credential.refresh(this.token ?? '')
    // A call that does not retry leaves the error to the next one.
    refreshing.catch(() => {})
    return refreshing
  }
}
