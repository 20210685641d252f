import { type Attempt, type Charged, ConfigurationError, ConnectionError } from '../../errors/index.ts'
import { isInstance, messageOf } from '../../lib/thrown.ts'
import { type Lease, abandonedMs } from '../../limits/interface.ts'
import type { Hooks } from '../http/hooks.ts'
import { explainNetworkError } from '../http/network-error.ts'
import {
  type BodyText,
  FetchMisuse,
  type Init,
  type Received,
  asResponse,
  callFetch,
  initOf,
  makeResponse,
  readText,
  send,
  validStatusText,
} from '../http/send.ts'
import { Failure, type FailureKind } from '../retry/failure.ts'
import type { Call } from './call.ts'
import { failureOfResponse, settleFailure } from './error-response.ts'
import { runForHolder } from './nested-calls.ts'
import { type Success, isSuccess, parseSuccess, settleSuccess, unreadable } from './success-response.ts'

/**
 * Sends the request of an attempt once, and resolves with the success. It reads and settles the response before hooks see
 * it, so that a hook cannot lose one that is paid for.
 *
 * @throws {Failure} unless the signal has aborted.
 */
export async function exchange(
  call: Call,
  entry: Attempt,
  lease: Lease,
  signal: AbortSignal,
): Promise<Success> {
  const { client, settings, operation, request } = call
  const { hooks } = settings
  const headers = new Headers(settings.headers)
  const body = operation.method === 'GET' ? undefined : request.params
  headers.set('accept', client.dialect.accept)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const init = initOf(operation.method, headers, body, signal)
  const context = { operation: operation.id, attempt: call.attempts.length }

  let outcome: Success | Failure | undefined
  let copy: Response | undefined
  let failed: ConnectionError | undefined
  const fetchOnce = async (target: string | Request, init: Init): Promise<Response> => {
    try {
      const response = await fetchResponse(call, entry, lease, target, init)
      const received = { response, ...(await readBody(call, response, signal)) }
      // An abort ends the body early, as if it were complete.
      signal.throwIfAborted()
      outcome = settle(call, entry, received)
      return (copy = hooks === undefined ? response : copyForHooks(response, received.text))
    } catch (error) {
      if (isInstance(error, ConnectionError)) {
        failed = error
        call.settled = { risk: riskOf(call, error) }
      }
      // A hook may take long to handle the failure.
      if (!signal.aborted) call.release()
      throw error
    }
  }
  try {
    const answered = await send(
      client.baseUrl + request.path,
      init,
      hooks && guarded(call, hooks),
      context,
      fetchOnce,
    )
    if (outcome === undefined || answered !== copy)
      outcome = await readFromHook(call, entry, answered, signal)
  } catch (error) {
    if (signal.aborted) throw error
    throw outcome === undefined ? failureOf(call, entry, error, failed) : failureOfHook(call, error, outcome)
  }
  if (outcome instanceof Failure) throw outcome
  return outcome
}

/**
 * Settles a response of the service as soon as it has been read, before hooks or schemas can fail: accounts for it, tells
 * the limiter of a 429, so that the next request does not run into it, and releases the slot.
 */
function settle(call: Call, entry: Attempt, received: Received): Success | Failure {
  const outcome = isSuccess(received.response)
    ? settleSuccess(call, entry, received)
    : settleFailure(call, entry, failureOfResponse(call, received))
  // Calls that share the request get the body, too, if they end before its hooks.
  call.settings.onPhase?.()
  // The service notices a closed connection a moment later.
  call.release(received.complete ? 0 : abandonedMs)
  return outcome
}

/** The hooks, of which those before the request may not call the client. */
function guarded(call: Call, { beforeRequest = [], ...hooks }: Hooks): Hooks {
  return {
    ...hooks,
    beforeRequest: beforeRequest.map((hook) => (state) => runForHolder(call, () => hook(state))),
  }
}

/** Reads the response that a hook returned. What the service sent in its place, if anything, is settled. */
async function readFromHook(
  call: Call,
  entry: Attempt,
  answered: unknown,
  signal: AbortSignal,
): Promise<Success | Failure> {
  const response = asResponse(answered, 'a hook')
  entry.status ??= response.status
  const received = { response, ...(await readBody(call, response, signal)) }
  if (isSuccess(response)) return { ...parseSuccess(call, received), byHook: true }
  const failure = failureOfResponse(call, received)
  const { settled } = call
  if (settled === undefined) return failure
  // A hook must not make the call pay for another success.
  const mayRetry = !('body' in settled) && (settled.risk === 'no' || call.settings.retry.ambiguous)
  return new Failure(failure.error, settled.risk, mayRetry ? failure.kind : 'final', failure.announced)
}

/** A hook that fails after the response ends the retries. */
function failureOfHook(call: Call, thrown: unknown, outcome: Success | Failure): Failure {
  const reason = redactedMessage(call, thrown)
  if (!(outcome instanceof Failure)) return unreadable(call, `a hook failed after the response: ${reason}`)
  call.log('error', 'a hook failed after the response', { reason })
  return new Failure(outcome.error, outcome.risk)
}

/** The failure of an attempt without a response. `failed` is the error of its connection, which a hook may replace. */
function failureOf(
  call: Call,
  { sent }: Attempt,
  error: unknown,
  failed: ConnectionError | undefined,
): Failure {
  const { risk } = call
  if (isInstance(error, FetchMisuse))
    return new Failure(new ConfigurationError(error.message, call.context()), risk)
  if (failed !== undefined && error !== failed) return new Failure(error, risk)
  if (isInstance(error, ConnectionError)) return new Failure(error, risk, kindsByPhase[error.phase])
  if (sent !== null) return new Failure(error, risk)
  const message = `a hook failed before sending: ${redactedMessage(call, error)}`
  return new Failure(new ConfigurationError(message, call.context()), risk)
}

const kindsByPhase: Record<ConnectionError['phase'], FailureKind> = {
  connect: 'unsent',
  tls: 'final',
  exchange: 'no-answer',
}

function redactedMessage({ client }: Call, error: unknown): string {
  return client.redactor.text(messageOf(error))
}

/** Passes the request to fetch with the token, and notes when it was sent and answered. */
async function fetchResponse(
  call: Call,
  entry: Attempt,
  lease: Lease,
  target: string | Request,
  init: Init,
): Promise<Response> {
  const { client, token } = call
  const { signal, headers } = init
  if (entry.sent !== null) throw new FetchMisuse('a hook sent the request again')
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  signal.throwIfAborted()
  entry.sent = new Date().toISOString()
  lease.sent()
  call.log('debug', 'sending')
  let response: Response
  try {
    const { fetch } = client
    const sending = () => callFetch(fetch, target, init)
    // A fetch of the user may try to call the client.
    response = await (fetch === undefined ? sending() : runForHolder(call, sending))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw isInstance(error, FetchMisuse) ? error : connectionError(call, error, false)
  }
  if (signal.aborted) {
    // The attempt is over: a fetch that ignores its signal has answered late.
    response.body?.cancel().catch(() => {})
    throw signal.reason
  }
  entry.status = response.status
  call.phase = 'body'
  const date = response.headers.get('date')
  lease.answered(date === null ? null : new Date(date))
  return response
}

/** A copy whose body hooks can read. */
function copyForHooks(response: Response, text: string): Response {
  const { body, status, headers } = response
  return body === null
    ? response
    : makeResponse(text, { status, statusText: validStatusText(response), headers })
}

async function readBody(call: Call, response: Response, signal: AbortSignal): Promise<BodyText> {
  try {
    return await readText(response, signal)
  } catch (error) {
    throw connectionError(call, error, true)
  }
}

function connectionError(call: Call, error: unknown, hasAnswered: boolean): ConnectionError {
  const { message, ...failure } = explainNetworkError(error, call.client, hasAnswered)
  return new ConnectionError(message, { ...call.context(riskOf(call, failure)), ...failure })
}

/** The risk of an attempt whose connection failed. */
function riskOf(call: Call, { phase }: Pick<ConnectionError, 'phase'>): Charged {
  return phase === 'exchange' ? call.risk : 'no'
}
