import pRetry, { type RetryContext } from 'p-retry'
import type { TimeoutPhase } from '../../errors/index.ts'
import { isA } from '../../lib/thrown.ts'
import { logEndOfLife } from '../http/answer.ts'
import { Bill } from './bill.ts'
import { type Call, type Answer, type Failed, type Send, errorContext, phaseBefore } from './call.ts'
import { errorOfEnd } from './cancellation.ts'
import { checkAnswer } from './check.ts'
import type { OpenCalls } from './open-calls.ts'
import { readAnswer } from './read-answer.ts'
import { sendRequest } from './send.ts'
import { Turn } from './turn.ts'

/** Sends the requests of calls: of each until one succeeds, or until it does not retry. */
export function sendCalls(openCalls: OpenCalls): Send {
  return async (call) => {
    const bill = new Bill(call)
    const turn = new Turn(call, openCalls, bill)
    try {
      // Thousands of calls may wait here, without the memory of a retry.
      turn.hold(await turn.queue())
      return await pRetry(() => attempt(call, turn, bill), {
        retries: Infinity,
        minTimeout: 0,
        onFailedAttempt: async ({ error }) => {
          if (isA(error, Failure) && error.failed) await turn.waitAfter(error.failed)
        },
        shouldRetry: isRetried,
      })
    } catch (error) {
      throw isA(error, Failure) ? error.toError() : unsentError(call, phaseBefore(call), error)
    } finally {
      turn.end({ unsent: bill.end() })
      openCalls.delete(call)
    }
  }
}

/** One attempt: waits, sends, reads what came of it, accounts for it, and checks a success. @throws {Failure} */
async function attempt(call: Call, turn: Turn, bill: Bill): Promise<Answer> {
  const { client, operation, record } = call
  const { logger } = call.settings
  try {
    const { permit, token, headers } = await turn.take()
    bill.begin(token)
    const evidence = await sendRequest(call, permit, token, headers, record.attempts.length + 1)
    const outcome = readAnswer(call, evidence)
    // Before any code of the user sees it.
    const credits = bill.settle(outcome)
    turn.endAfter(evidence, outcome.ok ? {} : outcome)
    const answer = outcome.ok ? await checkAnswer(call, outcome, evidence.sent) : outcome
    bill.addAttempt(evidence, answer, outcome.tookEffect, credits)
    if (evidence.kind === 'answered' && logger)
      logEndOfLife(client.ending, operation.id, evidence.response, logger, record.redactor)
    if (!('toError' in answer)) return answer
    call.cancellation.markInFlight(false)
    throw new Failure(() => answer.toError({ ...errorContext(call), body: answer.body }), answer)
  } catch (error) {
    throw isA(error, Failure) ? error : new Failure(() => unsentError(call, 'queue', error))
  }
}

/** The error of a call that something has ended before its next attempt. */
function unsentError(call: Call, phase: TimeoutPhase, reason: unknown): unknown {
  return errorOfEnd(reason, call.settings, errorContext(call), phase)
}

/** What ends an attempt without an answer, for p-retry, which accepts only errors. */
class Failure extends Error {
  readonly toError: () => unknown
  /** Undefined if something has ended the call before the attempt. */
  readonly failed: Failed | undefined

  constructor(toError: Failure['toError'], failed?: Failed) {
    super('the attempt failed')
    this.toError = toError
    this.failed = failed
  }
}

/** Whether another attempt follows. */
function isRetried({ error }: RetryContext): boolean {
  return isA(error, Failure) && error.failed !== undefined && error.failed.wait !== null
}
