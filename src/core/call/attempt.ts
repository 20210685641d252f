import { check } from '../../api/schema/check.ts'
import { type Attempt, type ConnectionError, SocialSearchError, TimeoutError } from '../../errors/index.ts'
import type { LogFields, LogLevel } from '../../lib/logger.ts'
import { isInstance, messageOf } from '../../lib/thrown.ts'
import { type CallTicket, type Lease, abandonedMs } from '../../limits/interface.ts'
import type { CallCredits, Purchase } from '../credits/ledger.ts'
import { Failure, holdOf } from '../retry/failure.ts'
import { effectOf } from '../retry/policy.ts'
import type { Answer, Progress, Situation } from './call.ts'
import { type CallObserver, codeOf } from './call-observer.ts'
import { exchange } from './exchange.ts'
import type { OpenCalls } from './open-calls.ts'
import {
  type Outcome,
  type Success,
  makeFailure,
  failureOfAbort,
  failureOfUnexpected,
  failureOfConnection,
  failureOfInvalid,
  failureOfThrown,
  whyUnusable,
  outcomeOf,
  outcomeOfHook,
} from './outcome.ts'
import { type Validated, validateBody } from './validate-body.ts'

/** The run of a call whose answer is checked. */
interface AnsweredRun extends Situation {
  readonly credits: CallCredits
  race<T>(work: () => Promise<T>): Promise<T>
}

/** The run of an attempt. */
interface AttemptingRun extends AnsweredRun, CallTicket {
  readonly purchase: Purchase
  readonly observer: CallObserver | undefined
  readonly openCalls: OpenCalls
  readonly log: (level: LogLevel, message: string, fields?: LogFields) => void
  withTimeout<T>(attempt: (signal: AbortSignal) => Promise<T>): Promise<T>
  advance(changes: Partial<Progress>): void
}

/** One attempt: it sends the request, settles the outcome, then checks and transforms a success. */
export class OpenAttempt {
  readonly #run: AttemptingRun
  readonly #token: string | null
  /** What the caller gets to see of it. */
  readonly #entry: Attempt
  /** While it holds a slot. */
  #lease: Lease | undefined
  /** Monotonic time at which it was sent; before that, at which it began. */
  #start = performance.now()

  constructor(run: AttemptingRun, lease: Lease, token: string | null) {
    const { queued, paced } = lease
    this.#run = run
    this.#token = token
    this.#lease = lease
    this.#entry = { queued, paced, sent: null, duration: 0, outcome: 'ok', charged: 'no', waited: 0 }
    run.advance({ phase: 'headers', attempts: [...run.progress.attempts, this.#entry], settled: undefined })
    run.openCalls.enterSlot()
  }

  /** Notes the wait after the attempt, in milliseconds. */
  noteWait(ms: number): void {
    this.#entry.waited = ms
  }

  /** @throws {Failure} */
  async make(): Promise<Answer> {
    const run = this.#run
    const entry = this.#entry
    let failure: Failure
    try {
      const outcome = await this.#sendInTime(this.#lease as Lease)
      const answer = outcome instanceof Failure ? outcome : await checkAnswer(run, outcome)
      if (!(answer instanceof Failure)) {
        const { status } = answer.response
        const durationMs = Math.round(entry.duration)
        run.log('debug', 'answered', { status, durationMs, requestId: answer.requestId })
        run.observer?.attempt(entry, run.credits)
        return answer
      }
      failure = answer
    } catch (error) {
      failure = failureOfUnexpected(run, error)
    }
    this.#noteFailure(failure)
    throw failure
  }

  /** Sends the request and settles its outcome, also if a timeout or the caller ends the attempt. */
  async #sendInTime(lease: Lease): Promise<Outcome> {
    let outcome: Outcome
    let keepSlotMs = 0
    try {
      outcome = await this.#run.withTimeout((signal) => this.#exchange(lease, signal))
    } catch (reason) {
      outcome = failureOfAbort(this.#run, reason)
      // The service notices a closed connection a moment later.
      if (this.#entry.sent !== null) keepSlotMs = abandonedMs
    }
    this.#settle(outcome, keepSlotMs)
    return outcome
  }

  /** Sends the request and reads the response, which is settled before hooks can fail, hang or replace it. */
  async #exchange(lease: Lease, signal: AbortSignal): Promise<Outcome> {
    const { call } = this.#run
    const entry = this.#entry
    const isFree = call.operation.price.kind === 'free'
    const hasSlot = () => this.#lease !== undefined
    const seen: { outcome?: Outcome; lost?: Failure } = {}
    try {
      const byHook = await exchange({
        call,
        signal,
        hasSlot,
        token: this.#token,
        number: this.#run.progress.attempts.length,
        onSent: () => {
          entry.sent = new Date().toISOString()
          this.#start = performance.now()
          this.#run.advance({ tookEffect: isFree && effectOf(call.operation) === 'read' ? 'no' : 'unknown' })
          lease.sent()
          this.#run.log('debug', 'sending')
        },
        onHeaders: ({ status, headers }) => {
          entry.status = status
          this.#run.advance({ phase: 'body' })
          const date = headers.get('date')
          lease.answered(date === null ? null : new Date(date))
        },
        onReceived: (received) => {
          seen.outcome = outcomeOf(this.#run, received)
          this.#settle(seen.outcome, received.complete ? 0 : abandonedMs)
        },
        onFailed: (explained) => {
          seen.lost = failureOfConnection(this.#run, explained)
          this.#settle(seen.lost)
          return seen.lost.error as ConnectionError
        },
      })
      if (byHook === undefined) return seen.outcome as Outcome
      entry.status ??= byHook.response.status
      return outcomeOfHook(this.#run, byHook)
    } catch (error) {
      const failure = failureOfThrown(this.#run, error, seen.lost)
      if (!signal.aborted && seen.outcome && seen.outcome !== failure) {
        const reason = call.client.redactor.text(messageOf(error))
        this.#run.log('error', 'a hook failed after the response', { reason })
      }
      return failure
    }
  }

  /**
   * Settles an outcome before any code of the user sees it: accounts for it, tells the limiter of a 429, so that the next
   * request does not run into it, and releases the slot. What a hook puts in place of a success is not settled again.
   */
  #settle(outcome: Outcome, keepSlotMs = 0): void {
    const { call, purchase, surface } = this.#run
    const { settled } = this.#run.progress
    if (outcome !== settled && (settled === undefined || settled instanceof Failure)) {
      const { tookEffect, cost, requestId, byHook } = outcome
      const holdMs = outcome instanceof Failure ? holdOf(outcome) : null
      // Hooks, which may follow, do not count.
      if (settled === undefined) this.#entry.duration = performance.now() - this.#start
      if (call.operation.price.kind !== 'free') this.#entry.charged = tookEffect
      if (requestId !== undefined && !byHook) this.#entry.requestId = requestId
      purchase.settle(cost)
      this.#run.advance({ tookEffect, settled: outcome })
      if (holdMs !== null) call.client.limiter.hold(surface, holdMs, this.#run)
    }
    this.#release(keepSlotMs)
  }

  /** Releases the slot in `ms` milliseconds, unless it is released already. */
  #release(ms: number): void {
    const lease = this.#lease
    if (lease === undefined) return
    this.#lease = undefined
    const free = (): void => {
      this.#run.openCalls.leaveSlot()
      lease.release()
    }
    if (ms > 0) setTimeout(free, ms)
    else free()
  }

  /** Adds a failed attempt to the progress of the call, its log and its events. */
  #noteFailure(failure: Failure): void {
    const { error, tookEffect } = failure
    const entry = this.#entry
    const failures = [...this.#run.progress.failures, failure]
    this.#run.advance({ phase: 'wait', tookEffect: 'no', failures })
    entry.outcome = codeOf(error)
    if (isInstance(error, SocialSearchError) && error.requestId !== undefined)
      entry.requestId = error.requestId
    const { outcome, requestId, charged } = entry
    const level = tookEffect === 'no' ? 'debug' : 'warn'
    this.#run.log(level, 'attempt failed', { outcome, charged, requestId })
    this.#run.observer?.attempt(entry, this.#run.credits)
  }
}

/** Checks and transforms a success, as the caller asks. */
export async function checkAnswer(run: AnsweredRun, success: Success): Promise<Answer | Failure> {
  const { call, progress, credits } = run
  const { operation, settings, client } = call
  const { validation, schema, paging } = settings
  const { response, text, value, requestId } = success
  // The common case, without a promise.
  const isPlain = validation === 'strict' && schema === undefined && paging === undefined
  const validated: Validated | Failure =
    value === undefined
      ? whyUnusable(run, success)
      : isPlain && check(operation.response, value).length === 0
        ? { ok: true, body: value, invalid: null }
        : await validateInTime(run, value)
  if (validated instanceof Failure) return validated
  if (!validated.ok) return failureOfInvalid(run, success, validated)
  const { body, invalid } = validated
  const { attempts } = progress
  return {
    response,
    redactor: client.redactor,
    text,
    parsed: value,
    requestId,
    body,
    invalid,
    attempts,
    credits,
  }
}

/** The caller's schema may be slow; it must not outlast the call. */
async function validateInTime(run: AnsweredRun, value: unknown): Promise<Validated | Failure> {
  const { call } = run
  try {
    return await run.race(() => validateBody(call.operation, value, call.settings))
  } catch (error) {
    if (!isInstance(error, TimeoutError)) return makeFailure(run, error)
    return { ok: false, message: 'the deadline passed while the response was checked', issues: [] }
  }
}
