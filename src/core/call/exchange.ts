import { ConfigurationError, type ConnectionError } from '../../errors/index.ts'
import { isInstance } from '../../lib/thrown.ts'
import type { Hooks } from '../http/hooks.ts'
import { type ExplainedFailure, explainNetworkError } from '../http/network-error.ts'
import {
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
import type { Call } from './call.ts'
import { type SlotHolder, runForHolder } from './nested-calls.ts'

/** One attempt, as its exchange sees it: what to send, and whom to tell how far the request is. */
export interface ExchangedAttempt extends SlotHolder {
  readonly call: Call
  readonly token: string | null
  /** From 1. */
  readonly number: number
  readonly signal: AbortSignal
  /** Called right before the request is sent. */
  readonly onSent: () => void
  /** Called when the headers have arrived. */
  readonly onHeaders: (response: Response) => void
  /** Called when the response has been read, before hooks see it. */
  readonly onReceived: (received: Received) => void
  /** Called when the connection has failed, before hooks see the error. It makes that error. */
  readonly onFailed: (failure: ExplainedFailure) => ConnectionError
}

/**
 * Sends the request of an attempt once. Resolves with the response of a hook, if one has answered; otherwise with undefined,
 * after `onReceived` got the response.
 */
export async function exchange(attempt: ExchangedAttempt): Promise<Received | undefined> {
  const { call, signal } = attempt
  const { client, settings, operation, request } = call
  const { hooks } = settings
  const headers = new Headers(settings.headers)
  const body = operation.method === 'GET' ? undefined : request.params
  headers.set('accept', client.dialect.accept)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const init = initOf(operation.method, headers, body, signal)
  const context = { operation: operation.id, attempt: attempt.number }
  let isSent = false
  /** What ky gets: hooks may replace it. */
  let passedOn: Response | undefined

  const fetchOnce = async (target: string | Request, init: Init): Promise<Response> => {
    if (isSent) throw new FetchMisuse('a hook sent the request again')
    if (attempt.token !== null) init.headers.set('authorization', `Bearer ${attempt.token}`)
    signal.throwIfAborted()
    isSent = true
    attempt.onSent()
    let response: Response | undefined
    let received: Received
    try {
      const sending = () => callFetch(client.fetch, target, init)
      // A fetch of the user may try to call the client.
      response = await (client.fetch === undefined ? sending() : runForHolder(attempt, sending))
      // The attempt is over: a fetch that ignores its signal has answered late.
      if (signal.aborted) response.body?.cancel().catch(() => {})
      signal.throwIfAborted()
      attempt.onHeaders(response)
      received = { response, ...(await readText(response, signal)) }
      // An abort ends the body early, as if it were complete.
      signal.throwIfAborted()
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (isInstance(error, FetchMisuse)) throw error
      // A fetch of the user has called this client.
      if (isInstance(error, ConfigurationError)) throw new FetchMisuse(error.message)
      throw attempt.onFailed(explainNetworkError(error, client, response !== undefined))
    }
    attempt.onReceived(received)
    return (passedOn = hooks === undefined ? response : copyForHooks(response, received.text))
  }
  const url = client.baseUrl + request.path
  const answered = await send(url, init, hooks && guarded(attempt, hooks), context, fetchOnce)
  if (passedOn !== undefined && answered === passedOn) return undefined
  const response = asResponse(answered, 'a hook')
  return { response, ...(await readText(response, signal)) }
}

/** The hooks. A `beforeRequest` hook that calls the client fails, since the attempt has a slot. */
function guarded(holder: SlotHolder, { beforeRequest = [], ...hooks }: Hooks): Hooks {
  return {
    ...hooks,
    beforeRequest: beforeRequest.map((hook) => (state) => runForHolder(holder, () => hook(state))),
  }
}

/** A copy whose body hooks can read. */
function copyForHooks(response: Response, text: string): Response {
  const { body, status, headers } = response
  return body === null
    ? response
    : makeResponse(text, { status, statusText: validStatusText(response), headers })
}
