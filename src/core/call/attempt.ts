import { type Attempt, SocialSearchError, TimeoutError } from '../../errors/index.ts'
import { type Lease, abandonedMs } from '../../limits/interface.ts'
import { isInstance } from '../../lib/thrown.ts'
import { Failure } from '../retry/failure.ts'
import type { Answer, Call } from './call.ts'
import { outcomeOf } from './call-observer.ts'
import { exchange } from './exchange.ts'
import { settleFailure } from './error-response.ts'
import { type Success, readAnswer, unreadable } from './success-response.ts'

/** Timeout of one attempt in milliseconds, unless the operation has its own. */
export const defaultTimeoutMs = 30_000

/** Timeout of one attempt of a call, in milliseconds. */
export function timeoutOf({ settings, operation }: Pick<Call, 'settings' | 'operation'>): number {
  return settings.timeoutMs ?? operation.timeoutMs ?? defaultTimeoutMs
}

/** The error of an attempt that has exceeded its timeout. */
export function lateError(call: Call): TimeoutError {
  if (call.settled) return call.timeoutError(`a hook did not finish within ${timeoutOf(call)} ms`)
  return call.timeoutError(`no complete response within ${timeoutOf(call)} ms (waiting for ${call.phase})`)
}

const attemptIsOver = new Error('the attempt is over')

/**
 * Makes one attempt: sends the request, then reads and validates the response.
 *
 * @throws {Failure} which the timeline and the ledger already have.
 */
export async function attempt(call: Call, lease: Lease): Promise<Answer> {
  const entry = call.begin(lease)
  try {
    const answer = await readAnswer(call, entry, await exchangeInTime(call, entry, lease))
    call.observer?.attempt(entry)
    return answer
  } catch (error) {
    throw record(call, entry, isInstance(error, Failure) ? error : unexpected(call, error))
  }
}

/** Exchanges request and response. One timer covers headers, body and hooks, since each can stall. */
async function exchangeInTime(call: Call, entry: Attempt, lease: Lease): Promise<Success> {
  const controller = new AbortController()
  const { signal } = controller
  const start = performance.now()
  call.phase = 'headers'
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise<Success>((resolve, reject) => {
      // A fetch may ignore its signal.
      const stop = (reason: unknown): void => {
        controller.abort(reason)
        reject(stopped(call, reason))
      }
      // Calls that share the request may allow it more time than those it began with.
      const expire = (): void => {
        const left = start + timeoutOf(call) - performance.now()
        if (left > 0) timer = setTimeout(expire, Math.ceil(left))
        else stop(lateError(call))
      }
      expire()
      call.onAbort(stop)
      exchange(call, entry, lease, signal).then(resolve, reject)
    })
  } finally {
    clearTimeout(timer)
    entry.duration = performance.now() - start
    // The service notices a closed connection a moment later.
    call.release(signal.aborted && entry.sent !== null ? abandonedMs : 0)
    // A hook must not send the request later: its cost would not be counted. Besides, Node frees a signal sooner if it
    // aborts.
    controller.abort(attemptIsOver)
  }
}

/** The failure of an attempt that its timeout or the caller has ended. */
function stopped(call: Call, reason: unknown): Failure {
  const mayRetry = isInstance(reason, TimeoutError) && call.settled === undefined
  return new Failure(reason, call.risk, mayRetry ? 'no-answer' : 'final')
}

function unexpected(call: Call, error: unknown): Failure {
  return call.settled ? unreadable(call) : new Failure(error, call.risk)
}

/** Records a failed attempt in the timeline, the credits and the limits, and returns the failure. */
function record(call: Call, entry: Attempt, failure: Failure): Failure {
  if (failure.wait === undefined) settleFailure(call, entry, failure)
  call.phase = 'wait'
  call.failures = [...call.failures, failure]
  const { error } = failure
  entry.outcome = outcomeOf(error)
  if (isInstance(error, SocialSearchError) && error.requestId !== undefined) entry.requestId = error.requestId
  const { outcome, requestId, charged } = entry
  call.log(failure.risk === 'no' ? 'debug' : 'warn', 'attempt failed', { outcome, charged, requestId })
  call.observer?.attempt(entry)
  return failure
}
