import pRetry, { type RetryContext } from 'p-retry'
import { isA } from '../../lib/thrown.ts'
import { CallCost, Settlement } from './account.ts'
import { type Evidence, makeAttempt } from './send.ts'
import { type Call, type CallResult, type Failed, type Send, type Success, errorContext } from './call.ts'
import { type Checked, checkAnswer } from './check.ts'
import { decide, judge } from './read-answer.ts'
import type { OpenCalls } from './open-calls.ts'
import { Turn, unsentError } from './wait.ts'

/** Sends the requests of calls: of each until one succeeds, or until it does not retry. */
export function sendCalls(openCalls: OpenCalls): Send {
  return async (call) => {
    const cost = new CallCost(call.operation, call.request.params, call.settings, call.client.ledger)
    const turn = new Turn(call, openCalls, cost)
    const settlement = new Settlement(call, cost, turn)
    try {
      // Thousands of calls may wait here, without the memory of a retry.
      turn.hold(await turn.queue())
      return await pRetry(() => attempt(call, turn, settlement), {
        retries: Infinity,
        minTimeout: 0,
        onFailedAttempt: async ({ error }) => {
          if (isA(error, Failure) && error.verdict) await turn.waitAfter(error.verdict)
        },
        shouldRetry: isRetried,
      })
    } catch (error) {
      throw isA(error, Failure)
        ? error.toError()
        : unsentError(call, call.record.attempts.length === 0 ? 'queue' : 'wait', error)
    } finally {
      settlement.end()
      openCalls.delete(call)
    }
  }
}

/** One attempt: queues, sends, judges and settles it; then checks and transforms a success. @throws {Failure} */
async function attempt(call: Call, turn: Turn, settlement: Settlement): Promise<CallResult> {
  const { record } = call
  try {
    const ready = await turn.take()
    settlement.begin(ready.token)
    const evidence = await makeAttempt(call, ready, record.attempts.length + 1)
    const verdict = judge(call, evidence)
    // Before any code of the user sees it.
    const credits = settlement.settle(evidence, verdict)
    const outcome = verdict.ok ? await check(call, verdict, evidence) : verdict
    settlement.note(evidence, outcome, verdict.effect, credits)
    if ('toError' in outcome)
      throw new Failure(() => outcome.toError({ ...errorContext(call), body: outcome.body }), outcome)
    return { ...outcome, attempts: record.attempts, credits: record.credits }
  } catch (error) {
    throw isA(error, Failure) ? error : new Failure(() => unsentError(call, 'queue', error))
  }
}

async function check(call: Call, success: Success, { sent }: Evidence): Promise<Checked | Failed> {
  const checked = await checkAnswer(call, success, call.record.redactor)
  if (!('toError' in checked)) return checked
  return decide(call, checked, { sent, leftMs: call.cancellation.sendBy - performance.now() })
}

/** What ends an attempt without an answer, for p-retry, which accepts only errors. */
class Failure extends Error {
  readonly toError: () => unknown
  /** Undefined if something has ended the call before the attempt. */
  readonly verdict: Failed | undefined

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
