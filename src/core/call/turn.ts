// What comes before an attempt: a call reserves its budgets, waits in the queue of the limiter for a permit, and prepares its headers and token
// in the slot. After the attempt, it gives the permit back, which frees the slot, and waits until the next attempt is due.

import { ConfigurationError, TimeoutError } from '../../errors/index.ts'
import { failedHeaders, noAnswerOf } from '../../errors/words.ts'
import { within } from '../../lib/abort.ts'
import { isTiedToRequests } from '../../lib/runtime.ts'
import { isA, messageOf } from '../../lib/thrown.ts'
import { sleep } from '../../lib/time.ts'
import type { CallLimiter, Permit, RequestOutcome, QueueRequest } from '../../limits/interface.ts'
import type { Bill } from './bill.ts'
import type { PlainHeaders } from '../http/headers.ts'
import { userCodeMs } from '../options/options.ts'
import type { Evidence } from './send.ts'
import { type Call, type Failed, phaseBefore } from './call.ts'
import type { OpenCalls } from './open-calls.ts'

/** For so long, what a request is sent with is fresh, in milliseconds: a token or a signature may expire. */
const freshMs = 1000

/** For so long, a call prepares in its first slot, in milliseconds. If it takes longer, others get the slot meanwhile. */
const briefMs = 50

/** Milliseconds for which an aborted request keeps its slot: the service notices the abort later. */
const abortNoticeMs = 50

/** What a call waits for before each attempt: the time of a retry, its budgets, its token and its permit. */
export class Turn {
  readonly #call: Call
  readonly #openCalls: OpenCalls
  readonly #bill: Bill
  /** The token of the next attempt, or of the latest. */
  #token: string | null
  /** The user's headers for it. */
  #headers: PlainHeaders
  /** When both were got, if code of the user makes them. */
  #preparedAt = -Infinity
  /** Until its attempt has ended. */
  #permit: Permit | undefined

  constructor(call: Call, openCalls: OpenCalls, bill: Bill) {
    this.#call = call
    this.#openCalls = openCalls
    this.#bill = bill
    this.#token = call.client.credential.fixed ?? null
    const { headers } = call.settings
    this.#headers = typeof headers === 'function' ? {} : headers
  }

  /**
   * Waits in the queue for a permit, to {@link hold} it. It is not async: calls made together keep their order, and thousands
   * may wait.
   */
  queue(): Promise<Permit> {
    const { client, settings } = this.#call
    const isReady = !this.#hasToPrepare && settings.budget.length === 0
    return isReady ? client.limiter.acquire(this.#enterQueue()) : this.#reserveAndQueue()
  }

  get #hasToPrepare(): boolean {
    const { client, settings } = this.#call
    return client.credential.fixed === undefined || typeof settings.headers === 'function'
  }

  /** The call has left the queue: its next attempt has this permit. */
  hold(permit: Permit): Permit {
    this.#openCalls.take(this.#call)
    this.#permit = permit
    return permit
  }

  /** The permit that the call has, or the next one. The call may have been aborted after the grant. */
  async take() {
    const permit = this.#permit ?? this.hold(await this.queue())
    this.#call.cancellation.throwIfAborted()
    return { permit, token: this.#token, headers: this.#headers }
  }

  /** Frees the slot of an attempt; after a 429 it closes the surface, so that the next request does not run into it. */
  endAfter(evidence: Evidence, outcome: RequestOutcome): void {
    const { kind, sent } = evidence
    // It has closed the connection, which the service notices a moment later.
    const isCut = kind === 'answered' ? !evidence.complete : kind === 'late' || kind === 'aborted'
    this.end(outcome, isCut && sent !== null ? abortNoticeMs : 0)
  }

  /** Ends the permit, if the call has one. */
  end(outcome: RequestOutcome, delayMs = 0): void {
    const permit = this.#permit
    if (permit === undefined) return
    this.#permit = undefined
    const end = (): void => this.#openCalls.end(permit, outcome)
    // In Cloudflare's workers, the timer would end with the incoming request.
    if (delayMs > 0 && !isTiedToRequests()) setTimeout(end, delayMs)
    else end()
  }

  /**
   * Waits until the attempt after a failure is due. A 429 has closed the surface, so there the call waits in its queue, ahead of
   * new calls. A call that does not retry leaves a new token, or the error of its refresh, to the next call.
   */
  async waitAfter({ kind, wait, refreshes }: Failed): Promise<void> {
    const call = this.#call
    const { cancellation, observer } = call
    const refreshing = refreshes ? this.#refresh() : undefined
    if (wait === null) return
    if (refreshing) await this.#inTime('no fresh token', () => refreshing)
    if (kind === 'rate-limited' || refreshes) return
    observer?.report('retry', wait)
    this.#openCalls.warn(call, { reason: 'retry', ms: wait })
    await sleep(wait, cancellation.signal)
  }

  /** Reserves budgets before the call queues, and prepares once it has a slot. */
  async #reserveAndQueue(): Promise<Permit> {
    const { client, cancellation } = this.#call
    if (client.credential.isMissing) await this.#updateToken()
    await this.#inTime('no answer of a budget', () => this.#bill.reserveInBudgets())
    cancellation.throwIfAborted()
    return acquirePrepared(client.limiter, this.#enterQueue(), () => this.#prepare())
  }

  /** Renews what the next attempt is sent with: its headers, its token, and what budgets have reserved for it. */
  async #prepare(): Promise<void> {
    if (this.#hasToPrepare && performance.now() - this.#preparedAt > freshMs) {
      await this.#makeHeaders()
      if (this.#call.client.credential.fixed === undefined) await this.#updateToken()
      this.#preparedAt = performance.now()
    }
    await this.#inTime('no answer of a budget', () => this.#bill.renewInBudgets())
  }

  async #makeHeaders(): Promise<void> {
    const { settings, operation, record } = this.#call
    const { headers } = settings
    if (typeof headers !== 'function') return
    const attempt = { operation: operation.id, attempt: record.attempts.length + 1 }
    await this.#inTime('no headers', async () => {
      try {
        this.#headers = await headers(attempt)
      } catch (error) {
        const text = record.redactor.text(messageOf(error))
        throw new ConfigurationError(isA(error, ConfigurationError) ? text : failedHeaders(text))
      }
    })
  }

  #updateToken(): Promise<void> {
    return this.#inTime('no token', async () => {
      this.#token = await this.#call.client.credential.token()
    })
  }

  /** Gives code of the user a minute, since it may never end. @param lack What the error says is missing. */
  #inTime(lack: string, work: () => Promise<void>): Promise<void> {
    const call = this.#call
    const late = (): never => {
      throw new TimeoutError(noAnswerOf(lack, userCodeMs), { phase: phaseBefore(call), waited: userCodeMs })
    }
    return within(userCodeMs, work, late, call.cancellation.signal)
  }

  /** Refreshes a refused token, once for all calls. */
  #refresh(): Promise<void> {
    const refreshing = this.#call.client.credential.refresh(this.#token ?? '')
    // A call that does not retry leaves the error to the next one.
    refreshing.catch(() => {})
    return refreshing
  }

  /** Reserves the cost of the next attempt, and counts the call as queued. */
  #enterQueue(): QueueRequest {
    const { cancellation, operation, settings, record } = this.#call
    this.#bill.reserve()
    const queueRequest = {
      surface: operation.surface,
      priority: settings.priority,
      isRetry: record.attempts.length > 0,
      // It waits for the end of its own 429, also beyond `maxWait`: without a `Retry-After`, that is the wait of its retry.
      maxClosedWaitMs: Math.max(settings.retry.maxWaitMs, record.failures.at(-1)?.refusedForMs ?? 0),
      sendBy: cancellation.sendBy,
      queuedAt: performance.now(),
      signal: cancellation.signal,
    }
    this.#preparedAt = -Infinity
    this.#openCalls.queue(this.#call, queueRequest)
    return queueRequest
  }
}

/** Acquires a permit for what has to be prepared in its slot. If that takes long, or a 429 closes the surface meanwhile, others get the slot. */
async function acquirePrepared(
  limiter: CallLimiter,
  first: QueueRequest,
  prepare: () => Promise<void>,
): Promise<Permit> {
  const isOpen = (): boolean => limiter.waitOf(first.surface)?.reason !== 'rate_limited'
  let request = first
  let paced = 0
  for (;;) {
    const permit = await limiter.acquire(request)
    paced += permit.paced
    // What was prepared without a slot may be too old when there is one again. Then the call keeps that one, or it would never be sent.
    const isKept = await keepsSlot(permit, prepare, isOpen, request === first ? briefMs : Infinity)
    // One of the user's limiter may have its methods in a class.
    if (isKept)
      return {
        queued: permit.queued + permit.paced - paced,
        paced,
        sent: () => permit.sent(),
        answered: () => permit.answered(),
        end: (outcome) => permit.end(outcome),
      }
    // Ahead of the calls that went while it prepared.
    request = { ...first, isRetry: true }
  }
}

/** Prepares in a slot, which it gives back after so many milliseconds, or if the surface is not open then. @returns Whether it has kept it. */
async function keepsSlot(
  permit: Permit,
  prepare: () => Promise<void>,
  isOpen: () => boolean,
  ms: number,
): Promise<boolean> {
  let isKept = true
  const giveBack = (): void => {
    isKept = false
    permit.end({ unsent: true })
  }
  const timer = ms === Infinity ? undefined : setTimeout(giveBack, ms)
  try {
    await prepare()
    if (!isOpen()) giveBack()
  } catch (error) {
    giveBack()
    throw error
  } finally {
    clearTimeout(timer)
  }
  return isKept
}
