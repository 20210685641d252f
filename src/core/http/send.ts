import type { ConnectionPhase } from '../../errors.ts'
import { type Middleware, type MiddlewareContext, chain } from './middleware.ts'
import { FetchMisuse, type NetworkFailure, readNetworkFailure } from './network-error.ts'
import type { Redactor } from '../../lib/redact.ts'
import { inBrowser } from '../../lib/browser.ts'

/** A function like the global fetch, called with a `Request`. */
export type Fetch = (request: Request) => Promise<Response>

/** One HTTP request with its callbacks. */
export interface Exchange {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  /** JSON text, if there is a body. */
  readonly body: string | undefined
  /** Bearer token; added last, so that only fetch sees it. */
  readonly token: string | null
  /** Aborts the request and the reading of its body. */
  readonly signal: AbortSignal
  /** Undefined for the global fetch, looked up at each request. */
  readonly fetch: Fetch | undefined
  readonly middleware: readonly Middleware[]
  readonly context: MiddlewareContext
  readonly redactor: Redactor
  /** Called right before fetch. */
  readonly onSend: () => void
  /** Called when fetch returns a response. */
  readonly onAnswer: (response: Response) => void
  /** Makes the error of a request without a complete response. */
  readonly connectionError: (message: string, failure: NetworkFailure) => Error
}

/** Options of fetch. `headers` must not be shared: the credential is added to them. */
type Init = RequestInit & { readonly headers: Headers }

/** Sends one request and returns the response of any status, its body unread. */
export async function send(exchange: Exchange): Promise<Response> {
  const { method, url, headers, body, signal, middleware, context } = exchange
  // Deno resends a request on a dead keep-alive connection, unless its body is a stream.
  const sent = body !== undefined && 'Deno' in globalThis ? new Blob([body]).stream() : (body ?? null)
  const init = { method, headers, body: sent, signal, redirect: 'manual', duplex: 'half' } as const
  if (middleware.length === 0) return fetchOnce(url, init, exchange)
  const outermost = chain(middleware, (request) => fetchChanged(request, exchange), context)
  return asResponse(await outermost(new Request(url, init)), 'a middleware')
}

/**
 * Sends a request that a middleware passed on. The middleware may have built a new request, so this sets the redirect
 * mode and the signal again. It sends a copy, so that the middleware never sees the credential.
 */
async function fetchChanged(request: Request, exchange: Exchange): Promise<Response> {
  const { origin } = new URL(request.url)
  if (origin !== new URL(exchange.url).origin) {
    throw new FetchMisuse(`a middleware changed the origin to ${origin}, nothing was sent`)
  }
  const headers = new Headers(request.headers)
  return fetchOnce(request, { headers, redirect: 'manual', signal: exchange.signal }, exchange)
}

async function fetchOnce(target: string | Request, init: Init, exchange: Exchange): Promise<Response> {
  const { token, signal, fetch } = exchange
  if (token !== null) init.headers.set('authorization', `Bearer ${token}`)
  signal.throwIfAborted()
  exchange.onSend()
  try {
    // Node keeps each `Request` for long, so the global fetch gets a URL if possible.
    const sending = fetch === undefined ? globalThis.fetch(target, init) : fetch(new Request(target, init))
    const response = asResponse(await sending, 'fetch')
    exchange.onAnswer(response)
    return response
  } catch (error) {
    throw error instanceof FetchMisuse ? error : connectionError(error, exchange)
  }
}

/** Rejects anything but a response with an unread body, since the user's fetch or middleware has a bug. */
function asResponse(value: unknown, source: string): Response {
  const response = value as Partial<Response> | null | undefined
  if (typeof response?.status !== 'number' || typeof response.headers?.get !== 'function') {
    throw new FetchMisuse(`${source} returned no Response`)
  }
  if (response.bodyUsed || response.body?.locked) {
    throw new FetchMisuse(`${source} has read the body; it should read response.clone()`)
  }
  return value as Response
}

/** Largest body that is read, in bytes after decompression: far more than any page of the service. */
export const maxBodyBytes = 64 * 2 ** 20

/**
 * Reads a body as UTF-8, up to {@link maxBodyBytes}, since a small gzip can hold gigabytes. It cancels the body on
 * abort: Node drops the signal of a request together with the request.
 *
 * @returns `complete` is false if the body was cut off.
 */
export async function readText(
  response: Response,
  exchange: Pick<Exchange, 'redactor' | 'signal' | 'connectionError'>,
): Promise<{ text: string; complete: boolean }> {
  const { signal } = exchange
  if (response.body === null) return { text: '', complete: true }
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  // Frees the connection. The rejection of a failed stream needs no handling.
  const cancel = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', cancel)
  let text = ''
  let bytes = 0
  try {
    while (bytes <= maxBodyBytes) {
      const { done, value } = await reader.read()
      if (done) return { text: text + decoder.decode(), complete: true }
      bytes += value.byteLength
      text += decoder.decode(value, { stream: true })
    }
    cancel()
    return { text, complete: false }
  } catch (error) {
    cancel()
    // Headers have arrived, so the request was sent.
    throw connectionError(error, exchange, 'exchange')
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/**
 * Replaces an error from fetch. On some runtimes it holds the request, and with it the token, so only its code or its
 * innermost message is kept.
 */
function connectionError(
  error: unknown,
  { redactor, connectionError }: Pick<Exchange, 'redactor' | 'connectionError'>,
  knownPhase?: ConnectionPhase,
): Error {
  const failure = readNetworkFailure(error)
  const phase = knownPhase ?? failure.phase
  // Half a secret would not be recognized.
  const reason = redactor.text(failure.reason).slice(0, maxReasonLength)
  const hint =
    phase === 'exchange' && inBrowser()
      ? '; a browser does not say why: the server may be down, or refuse this origin (CORS)'
      : ''
  return connectionError(`${explanations[phase]} (${reason})${hint}`, { phase, reason })
}

/** Longest reason in a message, in characters. */
const maxReasonLength = 200

const explanations: Record<ConnectionPhase, string> = {
  connect: 'connecting failed, nothing was sent',
  tls: 'no trusted TLS connection, nothing was sent',
  exchange: 'the connection failed after the request was sent',
}
