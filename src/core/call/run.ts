import pRetry, { type RetryContext } from 'p-retry'
import type { Attempt, Charged } from '../../errors/index.ts'
import { isA } from '../../lib/thrown.ts'
import { sleep } from '../../lib/time.ts'
import { type Lease, abortNoticeMs } from '../../limits/interface.ts'
import { CallCost } from '../credits/call-cost.ts'
import type { CallCredits } from '../credits/ledger.ts'
import { type Evidence, makeAttempt } from './attempt.ts'
import { type Call, type CallResult, type Send, logAt } from './call.ts'
import { type Checked, checkAnswer } from './check-answer.ts'
import { decide, judge } from './judge.ts'
import type { OpenCalls } from './open-calls.ts'
import { errorContext, worstOf } from './record.ts'
import { Turn } from './turn.ts'
import { unsentError } from './unsent-error.ts'
import type { Failed, Success, Verdict } from './verdict.ts'

export function sendCalls(openCalls: OpenCalls): Send {
  return (call) => new CallRun(call, openCalls).send()
}

/** What ends an attempt without an answer, for p-retry, which accepts only errors. */
class Failure extends Error {
  /** Of an attempt that was made; undefined if something has ended the call before. */
  readonly verdict: Failed | undefined
  readonly toError: () => unknown

  constructor(toError: Failure['toError'], verdict?: Failed) {
    super('the attempt failed')
    this.toError = toError
    this.verdict = verdict
  }
}

/** Whether another attempt follows. */
function isRetried({ error }: RetryContext): boolean {
  return isA(error, Failure) && error.verdict !== undefined && error.verdict.wait !== null
}

/** Sends the requests of a call, until one succeeds or its verdict is not to retry. */
class CallRun {
  readonly #call: Call
  readonly #openCalls: OpenCalls
  readonly #cost: CallCost
  readonly #turn: Turn

  constructor(call: Call, openCalls: OpenCalls) {
    this.#call = call
    this.#openCalls = openCalls
    const { operation, request, settings, client } = call
    this.#cost = new CallCost(operation, request.params, settings, client.ledger)
    this.#turn = new Turn(call, openCalls, this.#cost)
  }

  async send(): Promise<CallResult> {
    try {
      return await pRetry(() => this.#attempt(), {
        retries: Infinity,
        minTimeout: 0,
        shouldRetry: isRetried,
        onFailedAttempt: ({ error }) => this.#waitUntilDue(error),
      })
    } catch (error) {
      throw isA(error, Failure) ? error.toError() : unsentError(this.#call, error)
    } finally {
      this.#cost.close()
      this.#openCalls.delete(this.#call)
    }
  }

  /** Queues, sends, and settles what happened; then checks and transforms a success. @throws {Failure} */
  async #attempt(): Promise<CallResult> {
    const call = this.#call
    const { record } = call
    try {
      const lease = this.#turn.leave(await this.#turn.queue())
      const { token } = this.#turn
      if (call.client.credential.fixed === undefined) record.redactor = record.redactor.with(token ?? '')
      const evidence = await makeAttempt(call, lease, token, record.attempts.length + 1)
      const verdict = judge(call, evidence, record)
      // Before any code of the user sees it.
      const credits = this.#settle(lease, evidence, verdict)
      const outcome = verdict.ok ? await this.#check(verdict, evidence) : verdict
      this.#note(lease, evidence, outcome, verdict.effect, credits)
      if ('toError' in outcome)
        throw new Failure(() => outcome.toError({ ...errorContext(call), body: outcome.body }), outcome)
      return { ...outcome, attempts: record.attempts, credits: record.credits }
    } catch (error) {
      throw isA(error, Failure) ? error : new Failure(() => unsentError(call, error))
    }
  }

  /** Checks and transforms a success, as the caller asks. */
  async #check(success: Success, { sent }: Evidence): Promise<Checked | Failed> {
    const { record, cancellation } = this.#call
    const checked = await checkAnswer(this.#call, success, record.redactor)
    if (!('toError' in checked)) return checked
    const leftMs = cancellation.sendBy - performance.now()
    return decide(this.#call, checked, { sent, leftMs }, record)
  }

  /** Accounts for an attempt, and frees its slot; after a 429 it closes the surface, so that the next request does not run into it. */
  #settle(lease: Lease, evidence: Evidence, verdict: Verdict): CallCredits {
    const { record } = this.#call
    const { effect } = verdict
    const credits = this.#cost.settle(effect, verdict.credits)
    const { spent, uncertain } = record.credits
    record.credits = { spent: spent + credits.spent, uncertain: uncertain + credits.uncertain }
    record.effect = worstOf([record.effect, effect])
    const isCut =
      evidence.kind === 'answered' ? !evidence.complete : ['late', 'aborted'].includes(evidence.kind)
    const end = (): void => this.#openCalls.end(lease, verdict.ok ? null : verdict.closedMs)
    // The service notices a closed connection a moment later.
    if (isCut && evidence.sent !== null) setTimeout(end, abortNoticeMs)
    else end()
    return credits
  }

  /** Completes the timeline, and tells the log and the observers. */
  #note(
    lease: Lease,
    evidence: Evidence,
    outcome: Checked | Failed,
    effect: Charged,
    credits: CallCredits,
  ): void {
    const { operation, cancellation, record, observer } = this.#call
    const { sent, duration, status } = evidence
    const { requestId } = outcome
    const failed = 'toError' in outcome ? outcome : undefined
    const charged = operation.price.kind === 'free' ? 'no' : effect
    const entry: Attempt = {
      ...{ queued: lease.queued, paced: lease.paced, sent, duration },
      outcome: failed?.code ?? 'ok',
      charged,
      // A call waits for the end of a 429 in its queue.
      waited: failed?.kind === 'rate-limited' ? 0 : (failed?.wait ?? 0),
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
    }
    record.attempts = [...record.attempts, entry]
    const number = record.attempts.length
    if (failed === undefined)
      logAt(this.#call, number, 'debug', 'answered', { status, durationMs: Math.round(duration), requestId })
    else {
      cancellation.markInFlight(false)
      record.failures = [...record.failures, failed]
      // Without a retry, the caller gets the error.
      const level = effect === 'no' || failed.wait === null ? 'debug' : 'warn'
      logAt(this.#call, number, level, 'attempt failed', { outcome: failed.code, charged, requestId })
    }
    observer?.attempt(entry, credits)
  }

  /** Waits until the next attempt is due. A call that does not retry leaves a new token, or the error of its refresh, to the next call. */
  async #waitUntilDue(error: Error): Promise<void> {
    if (!(isA(error, Failure) && error.verdict)) return
    const { cancellation, observer, record } = this.#call
    const { kind, wait, refreshes } = error.verdict
    record.phase = 'wait'
    const refreshing = refreshes ? this.#turn.refresh() : undefined
    if (wait === null) return
    if (refreshing) await cancellation.race(() => refreshing)
    logAt(this.#call, record.attempts.length, 'info', 'retrying', { waitMs: Math.round(wait) })
    // The 429 closed the surface: the call waits in its queue, ahead of new calls.
    if (kind === 'rate-limited' || refreshes) return
    observer?.report('retry', wait)
    this.#openCalls.warnOfWait(this.#call, { reason: 'retry', ms: wait })
    await sleep(wait, cancellation.signal)
  }
}
