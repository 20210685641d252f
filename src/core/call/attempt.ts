import { type Attempt, SocialSearchError, TimeoutError } from '../../errors/index.ts'
import { type Lease, abandonedMs } from '../../limits/interface.ts'
import { Failure, isRateLimit } from '../retry/failure.ts'
import { nextWait } from '../retry/policy.ts'
import type { Answer, Call } from './call.ts'
import { type Received, exchange } from './exchange.ts'
import { failureOfResponse } from './error-response.ts'
import { readAnswer, unreadable } from './success-response.ts'

/** Timeout of one attempt in milliseconds, unless the operation has its own. */
export const defaultTimeoutMs = 30_000

/** Timeout of one attempt of a call, in milliseconds. */
export function timeoutOf({ settings, operation }: Pick<Call, 'settings' | 'operation'>): number {
  return settings.timeoutMs ?? operation.timeoutMs ?? defaultTimeoutMs
}

/** The error of an attempt that has exceeded its timeout. */
export function lateError(call: Call): TimeoutError {
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
  const received = await receive(call, entry, lease)
  try {
    const answer = await readAnswer(call, entry, received)
    call.observer?.attempt(entry)
    return answer
  } catch (error) {
    throw record(call, entry, error instanceof Failure ? error : unreadable(call, entry, received))
  }
}

/**
 * Receives a success while it holds the lease. One timer covers headers and body, since a body can stall too. Records a
 * failure before it releases the lease: a 429 must close the surface before the next request is sent.
 */
async function receive(call: Call, entry: Attempt, lease: Lease): Promise<Received> {
  const controller = new AbortController()
  const { signal } = controller
  const start = performance.now()
  call.phase = 'headers'
  let timer: ReturnType<typeof setTimeout> | undefined
  let isCutOff = false
  try {
    const received = await new Promise<Received>((resolve, reject) => {
      // A fetch may ignore its signal.
      const stop = (reason: unknown): void => {
        controller.abort(reason)
        reject(reason)
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
    isCutOff = !received.complete
    if (!received.response.ok) throw failureOfResponse(call, received)
    return received
  } catch (error) {
    throw record(call, entry, signal.aborted ? stopped(call, signal.reason) : error)
  } finally {
    clearTimeout(timer)
    entry.duration = performance.now() - start
    // The service notices a closed connection a moment later.
    if ((signal.aborted && entry.sent !== null) || isCutOff)
      setTimeout(() => call.release(lease), abandonedMs)
    else call.release(lease)
    // A hook must not send the request later: its cost would not be counted. Besides, Node frees a signal sooner if it
    // aborts.
    controller.abort(attemptIsOver)
  }
}

/** The failure of an attempt that its timeout or the caller has ended. */
function stopped(call: Call, reason: unknown): Failure {
  return new Failure(reason, call.risk, reason instanceof TimeoutError ? 'no-answer' : 'final')
}

/** Records a failed attempt in the timeline, the credits and the limits, and returns the failure. */
function record(call: Call, entry: Attempt, thrown: unknown): Failure {
  const failure = thrown instanceof Failure ? thrown : new Failure(thrown, call.risk)
  const { error, risk, reported } = failure
  call.phase = 'wait'
  if (call.stake === 'metered') entry.charged = risk
  entry.outcome = error instanceof SocialSearchError ? error.code : 'aborted'
  if (error instanceof SocialSearchError && error.requestId !== undefined) entry.requestId = error.requestId
  if (reported !== null && risk !== 'no') call.purchase.settle(reported.spent, reported.uncertain)
  else if (risk !== 'no') call.purchase.doubt()
  call.failures = [...call.failures, failure]
  call.wait = nextWait(call.failures, call.stake, call.settings.retry, Math.random)
  if (isRateLimit(failure)) call.closeSurface(failure.announced || (call.wait ?? 0))
  const { outcome, requestId, charged } = entry
  call.log(risk === 'no' ? 'debug' : 'warn', 'attempt failed', { outcome, charged, requestId })
  call.observer?.attempt(entry)
  return failure
}
