import { type Attempt, ConnectionError } from '../../errors.ts'
import type { Lease } from '../../limits/limiter.ts'
import { FetchMisuse } from '../http/network-error.ts'
import {
  type BodyText,
  type Init,
  asResponse,
  callFetch,
  explainNetworkError,
  initOf,
  readText,
  send,
} from '../http/send.ts'
import type { Call } from './call.ts'

/** A response, read to its end. */
export interface Received extends BodyText {
  readonly response: Response
  /** The status that fetch returned; null if a hook answered and nothing was sent. */
  readonly fetchedStatus: number | null
}

/** A hook failed after fetch had returned a response. */
export class HookFailed extends Error {
  readonly received: Received

  constructor(error: unknown, received: Received) {
    super(error instanceof Error ? error.message : String(error))
    this.received = received
  }
}

/**
 * Sends the request of an attempt once, and reads the response. It reads the response before hooks see it, so that a hook
 * cannot lose one that is paid for.
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
  const fetchOnce = async (target: string | Request, init: Init): Promise<Response> => {
    const response = await fetchResponse(call, entry, lease, target, init)
    if (hooks === undefined) return response
    const { status } = response
    const { text, complete } = await readBody(call, response, signal)
    // Statuses such as 204 and 304 have no body, and others no constructor.
    const copy = text === '' || status < 200 ? response : new Response(text, response)
    read = { response: copy, fetchedStatus: status, text, complete }
    return copy
  }
  try {
    const sending = send(client.baseUrl + request.path, init, hooks, context, fetchOnce)
    const response = asResponse(await sending, 'a hook')
    if (read?.response === response) return read
    entry.status = response.status
    const fetchedStatus = hooks === undefined ? response.status : (read?.fetchedStatus ?? null)
    return { response, fetchedStatus, ...(await readBody(call, response, signal)) }
  } catch (error) {
    throw read === undefined || signal.aborted ? error : new HookFailed(error, read)
  }
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

async function readBody(call: Call, response: Response, signal: AbortSignal): Promise<BodyText> {
  try {
    return await readText(response, signal)
  } catch (error) {
    throw connectionError(call, error, true)
  }
}

function connectionError(call: Call, error: unknown, hasAnswered: boolean): ConnectionError {
  const { message, ...failure } = explainNetworkError(error, call.client.redactor, hasAnswered)
  const charged = failure.phase === 'exchange' ? call.chargedSoFar : 'no'
  return new ConnectionError(message, { ...call.context(charged), ...failure })
}
