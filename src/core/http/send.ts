import ky from 'ky'
import { ConfigurationError, ConnectionError, type ConnectionPhase } from '../../errors.ts'
import { shown } from '../lib/assert.ts'
import { type Middleware, type MiddlewareContext, compose } from './middleware.ts'
import { readNetworkFailure } from './network-error.ts'
import type { Redactor } from '../lib/redact.ts'
import { inBrowser, inDeno } from '../lib/runtime.ts'

/** The one form of fetch that is needed; the global one fits. */
export type Fetch = (request: Request) => Promise<Response>

/**
 * The caller's fetch, or whatever the global one is at each request.
 *
 * @throws {ConfigurationError}
 */
export function resolveFetch(fetch: Fetch | undefined): Fetch {
  if (fetch !== undefined && typeof fetch !== 'function')
    throw new ConfigurationError(`fetch must be a function, got ${shown(fetch)}`)
  return fetch ?? ((request) => globalThis.fetch(request))
}

/** One HTTP request of one attempt. */
export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  /** JSON text, if there is a body. */
  readonly body: string | undefined
  /** Bearer token; added last, so that nothing but fetch sees it. */
  readonly token: string | undefined
  readonly signal: AbortSignal
}

/** What an error has to know of the exchange that failed. */
export interface Exchange {
  readonly redactor: Redactor
  readonly context: MiddlewareContext
  /** Whether the request may be charged once it has been sent. */
  readonly metered: boolean
}

export interface HttpOptions extends Exchange {
  readonly fetch: Fetch
  readonly middleware: readonly Middleware[]
  /** Called right before the request is handed to fetch. */
  readonly onSend: () => void
  /** Called when the answer of fetch begins to come. */
  readonly onAnswer: (response: Response) => void
}

/** Sends one request and returns the response, whatever its status, with its body unread. */
export async function send(outgoing: Outgoing, options: HttpOptions): Promise<Response> {
  const { fetch, middleware, context, onSend, onAnswer } = options
  const { method, url, headers, body, token, signal } = outgoing
  const { origin } = new URL(url)
  const { operation } = context

  const innermost = async (request: Request): Promise<Response> => {
    if (new URL(request.url).origin !== origin) {
      const target = new URL(request.url).origin
      throw new ConfigurationError(`a middleware changed the origin to ${target}, nothing was sent`, {
        operation,
      })
    }
    const authorized = new Headers(request.headers)
    if (token !== undefined) authorized.set('authorization', `Bearer ${token}`)
    // A middleware may have made a request of its own, without what keeps this one in bounds.
    const final = new Request(request, { headers: authorized, redirect: 'manual', signal })
    signal.throwIfAborted()
    onSend()
    try {
      const response = asResponse(await fetch(final), 'fetch', operation)
      onAnswer(response)
      return response
    } catch (error) {
      throw error instanceof ConfigurationError ? error : connectionError(error, options)
    }
  }

  const outermost = compose(middleware, innermost, context)
  return ky(url, {
    method,
    headers,
    // Deno sends a request again by itself when a kept-alive connection turns out dead, unless its body can be read only once.
    ...(body !== undefined && { body: inDeno() ? new Blob([body]).stream() : body }),
    signal,
    fetch: async (request) => asResponse(await outermost(request as Request), 'a middleware', operation),
    redirect: 'manual',
    retry: 0,
    throwHttpErrors: false,
    timeout: false,
  })
}

/** Refuses what is not a response, or one whose body is gone: the caller's own code did that, and should hear of it. */
function asResponse(value: unknown, source: string, operation: string): Response {
  const response = value as Partial<Response> | null | undefined
  if (typeof response?.status !== 'number' || typeof response.headers?.get !== 'function') {
    throw new ConfigurationError(`${source} returned no Response`, { operation })
  }
  if (response.bodyUsed || response.body?.locked) {
    throw new ConfigurationError(`${source} has read the body; it should read response.clone()`, {
      operation,
    })
  }
  return value as Response
}

/** Largest body that is read, in bytes after decompression: far above any page of this service, far below memory. */
export const maxBodyBytes = 64 * 2 ** 20

/** A body as it was read. */
export interface BodyText {
  readonly text: string
  /** False if the body was cut off at {@link maxBodyBytes}. */
  readonly complete: boolean
}

/**
 * Reads a body as UTF-8, whatever charset it claims, up to a cap, since a small gzip can hold gigabytes. Aborting the
 * signal closes the connection: Node lets go of the request's own signal together with the request.
 */
export async function readText(
  response: Response,
  exchange: Exchange,
  signal: AbortSignal,
): Promise<BodyText> {
  if (response.body === null) return { text: '', complete: true }
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  // Frees the connection of a body that is not read to its end; a stream that has failed refuses, which is fine.
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
    return { text, complete: false }
  } catch (error) {
    // Headers have arrived, so whatever the error looks like, the request was sent.
    throw connectionError(error, exchange, 'exchange')
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

/**
 * Replaces what fetch threw: such errors hold the request on some runtimes, and with it the token, so nothing of
 * them is kept but a code, or the words of the innermost.
 */
function connectionError(
  error: unknown,
  { redactor, context: { operation }, metered }: Exchange,
  knownPhase?: ConnectionPhase,
): ConnectionError {
  const failure = readNetworkFailure(error)
  const phase = knownPhase ?? failure.phase
  // A secret that is cut in two would not be recognized.
  const reason = redactor.text(failure.reason).slice(0, maxReasonLength)
  const message = `${explanations[phase]} (${reason})${phase === 'exchange' ? browserHint() : ''}`
  const charged = metered && phase === 'exchange' ? 'unknown' : 'no'
  return new ConnectionError(message, { operation, phase, reason, charged })
}

/** Longest sentence that is repeated, in characters. */
const maxReasonLength = 200

const explanations: Record<ConnectionPhase, string> = {
  connect: 'connecting failed, nothing was sent',
  tls: 'no trusted TLS connection, nothing was sent',
  exchange: 'the connection failed after the request was sent',
}

function browserHint(): string {
  if (!inBrowser()) return ''
  return '; a browser does not say why: the server may be unreachable, or not allow this origin (CORS)'
}
