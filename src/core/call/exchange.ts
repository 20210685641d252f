import { type Attempt, type Charged, ConnectionError } from '../../errors/index.ts'
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
import { Failure } from '../retry/failure.ts'
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
    const sending = send(client.baseUrl + request.path, init, hooks, context, fetchOnce)
    const answered = await sending
    if (read !== undefined && answered === copy) return read
    const response = asResponse(answered, 'a hook')
    entry.status = response.status
    const fetchedStatus = hooks === undefined ? response.status : (read?.fetchedStatus ?? null)
    return { response, fetchedStatus, ...(await readBody(call, response, signal)) }
  } catch (error) {
    if (signal.aborted) throw error
    if (read !== undefined) throw new HookFailed(error, read)
    if (failed === undefined || error === failed || error instanceof FetchMisuse) throw error
    // A hook has replaced the error, which says whether the request was sent.
    throw new Failure(error, riskOf(call, failed))
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
export function riskOf(call: Call, { phase }: Pick<ConnectionError, 'phase'>): Charged {
  return phase === 'exchange' ? call.risk : 'no'
}
