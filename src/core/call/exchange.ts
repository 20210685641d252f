import { type Attempt, type Charged, ConfigurationError, ConnectionError } from '../../errors/index.ts'
import type { Lease } from '../../limits/interface.ts'
import { explainNetworkError } from '../http/network-error.ts'
import {
  type BodyText,
  FetchMisuse,
  type Init,
  asResponse,
  callFetch,
  initOf,
  readText,
  send,
  validStatusText,
} from '../http/send.ts'
import { Failure, type FailureKind, isRateLimit } from '../retry/failure.ts'
import type { Call } from './call.ts'
import { failureOfResponse } from './error-response.ts'
import { unreadable } from './success-response.ts'

/** A response, read to its end. */
export interface Received extends BodyText {
  readonly response: Response
  /** The status that fetch returned; null if a hook answered and nothing was sent. */
  readonly fetchedStatus: number | null
}

/**
 * Sends the request of an attempt once, and reads the response. It reads the response before hooks see it, so that a hook
 * cannot lose one that is paid for.
 *
 * @throws {Failure} unless the signal has aborted.
 */
export async function exchange(
  call: Call,
  entry: Attempt,
  lease: Lease,
  signal: AbortSignal,
): Promise<Received> {
  const { client, settings, operation, request } = call
  const { hooks } = settings
  const headers = new Headers(settings.headers)
  const body = operation.method === 'GET' ? undefined : request.params
  headers.set('accept', client.dialect.accept)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const init = initOf(operation.method, headers, body, signal)
  const context = { operation: operation.id, attempt: call.attempts.length }

  let read: Received | undefined
  let copy: Response | undefined
  let failed: ConnectionError | undefined
  const fetchOnce = async (target: string | Request, init: Init): Promise<Response> => {
    try {
      const response = await fetchResponse(call, entry, lease, target, init)
      if (hooks === undefined) return response
      read = { response, fetchedStatus: response.status, ...(await readBody(call, response, signal)) }
      return (copy = copyForHooks(response, read.text))
    } catch (error) {
      if (error instanceof ConnectionError) failed = error
      throw error
    }
  }
  try {
    const answered = await send(client.baseUrl + request.path, init, hooks, context, fetchOnce)
    if (read !== undefined && answered === copy) return read
    const response = asResponse(answered, 'a hook')
    entry.status = response.status
    const fetchedStatus = hooks === undefined ? response.status : (read?.fetchedStatus ?? null)
    return { response, fetchedStatus, ...(await readBody(call, response, signal)) }
  } catch (error) {
    if (signal.aborted) throw error
    if (read !== undefined) throw failureOfHook(call, entry, error, read)
    throw failureOf(call, entry, error, failed)
  }
}

/** A hook that fails ends the retries. A success that was paid for stays on the error. */
function failureOfHook(call: Call, entry: Attempt, thrown: unknown, received: Received): Failure {
  const reason = redactedMessage(call, thrown)
  if (received.response.ok)
    return unreadable(call, entry, received, `a hook failed after the response: ${reason}`)
  call.log('error', 'a hook failed after the response', { reason })
  const failure = failureOfResponse(call, received)
  const { error, risk, announced, reported } = failure
  // Other calls must wait all the same.
  if (isRateLimit(failure)) call.closeSurface(announced ?? 0)
  return new Failure(error, risk, 'final', announced, reported)
}

/** The failure of an attempt without a response. `failed` is the error of its connection, which a hook may replace. */
function failureOf(
  call: Call,
  { sent }: Attempt,
  error: unknown,
  failed: ConnectionError | undefined,
): Failure {
  const { risk } = call
  if (error instanceof FetchMisuse)
    return new Failure(new ConfigurationError(error.message, call.context()), risk)
  if (failed !== undefined && error !== failed) return new Failure(error, riskOf(call, failed))
  if (error instanceof ConnectionError)
    return new Failure(error, riskOf(call, error), kindsByPhase[error.phase])
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
  return client.redactor.text(error instanceof Error ? error.message : String(error))
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
  call.tell(() => lease.sent())
  call.log('debug', 'sending')
  let response: Response
  try {
    response = await callFetch(client.fetch, target, init)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof FetchMisuse ? error : connectionError(call, error, false)
  }
  if (signal.aborted) {
    // The attempt is over: a fetch that ignores its signal has answered late.
    response.body?.cancel().catch(() => {})
    throw signal.reason
  }
  entry.status = response.status
  call.phase = 'body'
  const date = response.headers.get('date')
  call.tell(() => lease.answered(date === null ? null : new Date(date)))
  return response
}

/** A copy whose body hooks can read. Its constructor refuses statuses and texts that fetch returns. */
function copyForHooks(response: Response, text: string): Response {
  const { status, headers } = response
  if (response.body === null) return response
  return new Response(text, { status: Math.min(status, 599), statusText: validStatusText(response), headers })
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
