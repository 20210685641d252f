import ky from 'ky'
import { ConfigurationError, ConnectionError, type ConnectionPhase } from '../errors.ts'
import { type Middleware, type MiddlewareContext, compose } from './middleware.ts'
import { readNetworkFailure } from './network-error.ts'
import { inBrowser, inDeno } from './runtime.ts'

/** The one form of fetch that is needed; the global one fits. */
export type Fetch = (request: Request) => Promise<Response>

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

export interface HttpOptions {
  readonly fetch: Fetch
  readonly middleware: readonly Middleware[]
  /** Called right before the request is handed to fetch. */
  readonly onSend: () => void
}

/** Sends one request and returns the response, whatever its status, with its body unread. */
export async function send(
  outgoing: Outgoing,
  options: HttpOptions,
  context: MiddlewareContext,
): Promise<Response> {
  const { origin } = new URL(outgoing.url)
  const innermost = async (request: Request): Promise<Response> => {
    if (new URL(request.url).origin !== origin) {
      throw new ConfigurationError(
        `a middleware changed the origin of ${context.operation} to ${new URL(request.url).origin}`,
      )
    }
    const headers = new Headers(request.headers)
    if (outgoing.token !== undefined) headers.set('authorization', `Bearer ${outgoing.token}`)
    const authorized = new Request(request, { headers })
    options.onSend()
    try {
      return await options.fetch(authorized)
    } catch (error) {
      throw outgoing.signal.aborted ? outgoing.signal.reason : connectionError(error, context.operation)
    }
  }
  const { method, headers, body, signal } = outgoing
  // Deno sends a request again by itself when a kept-alive connection turns out dead, unless its body can be read only once.
  return ky(outgoing.url, {
    method,
    headers,
    ...(body !== undefined && { body: inDeno() ? new Blob([body]).stream() : body }),
    signal,
    fetch: (request) => compose(options.middleware, innermost, context)(request as Request),
    redirect: 'manual',
    retry: 0,
    throwHttpErrors: false,
    timeout: false,
  })
}

/** Largest body that is read, in bytes after decompression: far above any page of this service, far below memory. */
export const maxBodyBytes = 64 * 2 ** 20

/** A body as it was read. */
export interface BodyText {
  readonly text: string
  /** False if the body was cut off at {@link maxBodyBytes}. */
  readonly complete: boolean
}

/** Reads a body as UTF-8, whatever charset it claims, up to a cap, since a small gzip can hold gigabytes. */
export async function readText(response: Response, operation: string): Promise<BodyText> {
  if (response.body === null) return { text: '', complete: true }
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
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
    throw connectionError(error, operation)
  } finally {
    // Frees the connection of a body that was not read to its end; a stream that has failed refuses, which is fine.
    void reader.cancel().catch(() => {})
  }
}

/**
 * Replaces what fetch threw: such errors hold the request on some runtimes, and with it the token, so nothing of
 * them is kept but a code.
 */
function connectionError(error: unknown, operation: string): ConnectionError {
  const { phase, reason } = readNetworkFailure(error)
  const because = reason === undefined ? '' : ` (${reason})`
  return new ConnectionError(`${explanations[phase]}${because}${phase === 'exchange' ? browserHint() : ''}`, {
    operation,
    phase,
    reason,
  })
}

const explanations: Record<ConnectionPhase, string> = {
  connect: 'connecting failed, nothing was sent',
  tls: 'no trusted TLS connection, nothing was sent',
  exchange: 'the connection failed after the request was sent',
}

function browserHint(): string {
  if (!inBrowser()) return ''
  return '; a browser does not say why: the server may be unreachable, or not allow this origin (CORS)'
}
