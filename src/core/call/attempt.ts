import {
  type Attempt,
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  SocialSearchError,
} from '../../errors.ts'
import { FetchMisuse } from '../http/network-error.ts'
import { type Exchange, readText, send } from '../http/send.ts'
import { type Lease, abandonedMs } from '../../limits/limiter.ts'
import { isRateLimit, nextWait, stakeOf } from '../retry/policy.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Answer, Call } from './call.ts'
import { type Received, readAnswer } from './read-answer.ts'
import { readFailure } from './read-failure.ts'

/** Timeout of one attempt in milliseconds, unless the operation has its own. */
export const defaultTimeoutMs = 30_000

const attemptIsOver = new Error('the attempt is over')

/**
 * Makes one attempt: sends the request, then reads and validates the response.
 *
 * @returns the answer, or a failure that the timeline and the ledger already have.
 */
export async function attempt(call: Call, lease: Lease): Promise<Answer | AttemptFailure> {
  const entry = call.addAttempt(lease)
  const received = await sendInTime(call, entry, lease)
  if (received instanceof AttemptFailure) return received
  const answer = await readAnswer(call, entry, received).catch(() => unreadable(call, entry, received))
  return answer instanceof AttemptFailure ? recordFailure(call, entry, answer) : answer
}

/** The failure of a success that cannot be read for an unexpected reason: it may have been charged. */
function unreadable(call: Call, entry: Attempt, { text }: Received): AttemptFailure {
  const charged = entry.charged === 'no' ? call.chargedSoFar : entry.charged
  const body = call.settings.redactor.text(text)
  const error = new InvalidResponseError('the answer cannot be read', {
    ...call.context(charged),
    body,
    issues: [],
  })
  return new AttemptFailure(error, charged, 'unreadable')
}

/**
 * Sends the request and reads the response body while it holds the lease. One timer covers both, since a body can stall
 * too. Records a failure before it releases the lease: a 429 must close the surface before the next request is sent.
 */
async function sendInTime(call: Call, entry: Attempt, lease: Lease): Promise<Received | AttemptFailure> {
  const { settings } = call
  const controller = new AbortController()
  const timeoutMs = settings.timeoutMs ?? call.operation.timeoutMs ?? defaultTimeoutMs
  const start = performance.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  call.phase = 'headers'
  try {
    return await new Promise<Received>((resolve, reject) => {
      const stop = (reason: unknown, kind: 'final' | 'no-answer' = 'final'): void => {
        reject(new AttemptFailure(reason, call.chargedSoFar, kind))
        controller.abort(reason)
      }
      timer = setTimeout(() => {
        const message = `no complete answer within ${timeoutMs} ms (waiting for ${call.phase})`
        stop(call.timeoutError(message), 'no-answer')
      }, timeoutMs)
      call.onAbort(stop)
      sendAndRead(call, entry, lease, controller.signal).then(resolve, reject)
    })
  } catch (error) {
    return recordFailure(call, entry, failureOf(call, error))
  } finally {
    clearTimeout(timer)
    entry.duration = performance.now() - start
    const { aborted } = controller.signal
    // The service notices a closed connection a moment later.
    if (aborted && entry.sent !== null) setTimeout(() => call.release(lease), abandonedMs)
    else call.release(lease)
    // A middleware must not send the request later: its cost would not be counted. Besides, Node frees a signal sooner
    // if it aborts.
    controller.abort(attemptIsOver)
  }
}

async function sendAndRead(call: Call, entry: Attempt, lease: Lease, signal: AbortSignal): Promise<Received> {
  const { operation, settings, request, token } = call
  const { fetch, middleware, redactor } = settings
  const context = { operation: operation.id, attempt: call.attempts.length }
  const body = operation.method === 'GET' ? undefined : request.params
  const headers = new Headers(settings.headers)
  headers.set('accept', settings.dialect.accept)
  if (body !== undefined) headers.set('content-type', 'application/json')
  /** Status of the response from `fetch`; a middleware may return a different response. */
  let fetchedStatus = 0
  const outgoing: Exchange = {
    method: operation.method,
    url: settings.baseUrl + request.path,
    headers,
    body,
    token,
    signal,
    fetch,
    middleware,
    redactor,
    context,
    onSend: () => {
      entry.sent = new Date().toISOString()
      lease.sent()
      settings.log?.('debug', 'sending', context)
    },
    onAnswer: ({ status, headers }) => {
      fetchedStatus = status
      const date = headers.get('date')
      lease.answered(date === null ? null : new Date(date))
    },
    connectionError: (message, failure) => {
      const charged = failure.phase === 'exchange' ? call.chargedSoFar : 'no'
      return new ConnectionError(message, { ...call.context(charged), ...failure })
    },
  }
  const response = await send(outgoing)
  if (signal.aborted) {
    // The attempt is over: a fetch or a middleware that ignores its signal has answered late.
    response.body?.cancel().catch(() => {})
    throw signal.reason
  }
  entry.status = response.status
  call.phase = 'body'
  const { text, complete } = await readText(response, outgoing)
  const isSuccess = fetchedStatus >= 200 && fetchedStatus < 300
  if (!response.ok) throw readFailure(call, entry, response, text, call.metered && isSuccess)
  const origin = entry.sent === null ? 'middleware' : isSuccess ? 'service' : 'uncertain'
  return { response, text, complete, origin }
}

/** Turns an error of sending or reading into a failure. */
function failureOf(call: Call, error: unknown): AttemptFailure {
  if (error instanceof AttemptFailure) return error
  const charged = call.chargedSoFar
  if (error instanceof ConnectionError) {
    const { phase } = error
    return new AttemptFailure(error, phase === 'exchange' ? charged : 'no', failureKinds[phase])
  }
  if (error instanceof FetchMisuse)
    return new AttemptFailure(new ConfigurationError(error.message, call.context()), charged)
  // A middleware threw.
  return new AttemptFailure(error, charged)
}

const failureKinds = { connect: 'unsent', tls: 'final', exchange: 'no-answer' } as const

/** Records a failed attempt in the timeline, the credits and the limits, and returns the failure. */
function recordFailure(call: Call, entry: Attempt, failure: AttemptFailure): AttemptFailure {
  const { settings, purchase } = call
  const { error, charged, reported } = failure
  call.phase = 'wait'
  entry.charged = charged
  entry.outcome = error instanceof SocialSearchError ? error.code : 'aborted'
  if (error instanceof SocialSearchError && error.requestId !== undefined) entry.requestId = error.requestId
  if (charged !== 'no') {
    if (reported === null) purchase.doubt()
    else purchase.settle(reported.spent, reported.uncertain)
  }
  call.failures = [...call.failures, failure]
  call.wait = nextWait(call.failures, stakeOf(call.operation), settings.retry, Math.random)
  if (isRateLimit(failure.kind)) {
    const ms = failure.announced || (call.wait ?? 0)
    call.patience = Math.max(settings.retry.maxWaitMs, ms)
    settings.limiter.hold(call.surface, ms)
  }
  const { outcome, requestId } = entry
  call.log(charged === 'no' ? 'debug' : 'warn', 'attempt failed', { outcome, charged, requestId })
  return failure
}
