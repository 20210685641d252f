import type { TimeoutPhase } from '../../errors/index.ts'
import { within } from '../../lib/abort.ts'
import { isA, messageOf } from '../../lib/thrown.ts'
import type { Permit } from '../../limits/interface.ts'
import { type PlainHeaders, requestHeaders } from '../http/headers.ts'
import { type RawResponse, callFetch, initOf, noticeEnds, readText, send } from '../http/fetch.ts'
import { FetchMisuse, NotSent } from '../http/network-error.ts'
import { FollowedRequest } from '../http/undici.ts'
import { type Call, logAt } from './call.ts'

/** What happened in one attempt. */
export type Evidence = Happened & {
  /** Milliseconds for which it waited for its permit: for a slot, and for the pace of its surface. */
  readonly queued: number
  readonly paced: number
  /** When it was sent, ISO 8601; null if it was not. */
  readonly sent: string | null
  /** Milliseconds from sending, or from its beginning if it was not sent. */
  readonly duration: number
  /** How far it came. */
  readonly phase: TimeoutPhase
  /** Of the response, once its headers are here. */
  readonly status: number | undefined
  /** When it ended, in milliseconds since 1970, and for how many more another attempt may still be sent. */
  readonly at: number
  readonly leftMs: number
}

type Happened =
  | ({ readonly kind: 'answered' } & RawResponse)
  /** Fetch or the body broke off, with an error of the runtime. */
  | { readonly kind: 'broken'; readonly error: unknown; readonly followed: FollowedRequest }
  /** The user's `fetch` broke its contract. */
  | { readonly kind: 'misused'; readonly error: unknown }
  /** It took longer than the timeout of an attempt. */
  | { readonly kind: 'late' }
  /** The caller, the deadline or `close()` has ended the call. */
  | { readonly kind: 'aborted'; readonly reason: unknown }

/**
 * Sends a request and reads its response. It only reports what happens, and never throws.
 *
 * @param added The user's headers.
 * @param number Of the attempt, from 1.
 */
export async function sendRequest(
  call: Call,
  permit: Permit,
  token: string | null,
  added: PlainHeaders,
  number: number,
): Promise<Evidence> {
  const { client, operation, request, cancellation } = call
  const { queued, paced } = permit
  let isSent = false
  let start = performance.now()
  let status: number | undefined
  let followed: FollowedRequest | undefined
  const report = (happened: Happened): Evidence => {
    const [now, at] = [performance.now(), Date.now()]
    // Frameworks that prerender refuse code that reads the clock before it asks for data, so the request goes first.
    const isConnecting = followed?.isUnsent === true
    const sent = isSent && !isConnecting ? new Date(at - Math.round(now - start)).toISOString() : null
    const isAnswered = status !== undefined
    const phase = !isSent ? 'queue' : isConnecting ? 'connect' : isAnswered ? 'body' : 'headers'
    const leftMs = cancellation.sendBy - now
    return { ...happened, queued, paced, sent, status, phase, duration: now - start, at, leftMs }
  }

  const beforeSend = (signal: AbortSignal): void => {
    signal.throwIfAborted()
    isSent = true
    start = performance.now()
    cancellation.markInFlight(true)
    permit.sent()
    logAt(call, number, 'debug', 'sending')
  }

  const exchange = async (signal: AbortSignal): Promise<Evidence> => {
    if (client.fetch === undefined) await noticeEnds()
    const headers = requestHeaders(added, client, request.body !== undefined)
    const init = initOf(operation.method, headers, request.body, signal)
    const url = client.baseUrl + request.path
    const following = (followed = new FollowedRequest(url, signal, () => permit.sent()))
    try {
      const response = await send(url, init, token, (signed) => {
        beforeSend(signal)
        return callFetch(client.fetch, url, signed, following)
      })
      // The attempt is over: a fetch that ignores its signal has answered late.
      if (signal.aborted) response.body?.cancel().catch(() => {})
      signal.throwIfAborted()
      status = response.status
      permit.answered()
      const { text, complete } = await readText(response, signal)
      // An abort ends the body early, as if it were complete.
      signal.throwIfAborted()
      return report({ kind: 'answered', response, text, complete })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      // Before fetch is called, only the runtime can be at fault.
      const lacks = isSent ? error : new NotSent(messageOf(error))
      if (isA(lacks, NotSent)) isSent = false
      const kind = isA(lacks, FetchMisuse) ? 'misused' : 'broken'
      return report({ kind, error: lacks, followed: following })
    }
  }

  try {
    // One timer covers headers and body: each can stall.
    return await within(call.timeoutMs, exchange, () => report({ kind: 'late' }), cancellation.signal)
  } catch (reason) {
    return report({ kind: 'aborted', reason })
  }
}
