import { isRecord, parsed } from '../../lib/json.ts'
import { within } from '../../lib/abort.ts'
import type { Redactor } from '../../lib/redactor.ts'
import { announcedWait, callFetch, explainNetworkError, initOf, readText, send } from '../../extend.ts'
import { OAuthError, type OAuthStep } from '../../errors/index.ts'
import type { Fetch } from '../../index.ts'

/** Time for one request, in milliseconds: longer than the connect timeout of a runtime, 10 s on Node. */
const timeoutMs = 30_000

export interface RequestContext {
  readonly step: OAuthStep
  readonly fetch: Fetch | undefined
  /** Contains every secret of the request. */
  readonly redactor: Redactor
}

/**
 * Sends one request to the authorization server and reads the whole response, under one timer. It bypasses the
 * organization's limits: calls that hold its slots may be waiting for this token.
 *
 * @returns a successful response, not yet validated.
 * @throws {OAuthError}
 */
export async function request(
  url: string,
  init: {
    readonly method: string
    readonly headers: HeadersInit
    readonly body?: URLSearchParams | undefined
  },
  context: RequestContext,
): Promise<Response> {
  const { step, fetch, redactor } = context
  const headers = new Headers(init.headers)
  const authorization = headers.get('authorization')
  redactor.add(authorization?.replace(/^\w+ /, '') ?? '')
  // If the server closed a reused connection just as the request went out, the refresh token could be lost.
  headers.set('connection', 'close')
  const exchange = async (signal: AbortSignal): Promise<Response> => {
    let hasAnswered = false
    try {
      const sending = initOf(init.method, headers, init.body?.toString(), signal)
      const response = await send(url, sending, null, () => callFetch(fetch, url, sending))
      hasAnswered = true
      const { text } = await readText(response, signal)
      if (response.ok) return new Response(text, response)
      throw errorOf(response, text, context, authorization !== null)
    } catch (error) {
      if (error instanceof OAuthError) throw error
      const { kind, message } = explainNetworkError(error, { redactor, baseUrl: url }, hasAnswered)
      const processed = kind === 'no-answer' ? 'unknown' : 'no'
      throw new OAuthError(message, { step, reason: 'unreachable', processed })
    }
  }
  return within(timeoutMs, exchange, () => {
    const message = `no complete response within ${timeoutMs / 1000} s`
    throw new OAuthError(message, { step, reason: 'timeout', processed: 'unknown' })
  })
}

/** After an OAuth error code, no token was issued. Any other 5xx may come from a gateway and leaves that unknown. */
function errorOf(
  { status, headers }: Response,
  text: string,
  { step, redactor }: RequestContext,
  isBasic: boolean,
): OAuthError {
  const body = parsed(text)
  const { error, error_description: words } = isRecord(body) ? body : {}
  const wait = announcedWait(headers, null, Date.now())
  const details = { step, status, retryAfter: wait === null ? undefined : wait / 1000 }
  // Gateways also put an `error` into JSON, and may have replaced a response that contained tokens.
  const isFromServer = status < 500 || error === 'temporarily_unavailable' || error === 'server_error'
  if (typeof error !== 'string' || !isFromServer || status === 502 || status === 504) {
    const message = `the server responded with ${status}, without an OAuth error`
    const processed = status < 500 ? 'no' : 'unknown'
    return new OAuthError(message, { ...details, reason: 'invalid_response', processed })
  }
  // Many servers expect the secret in the header without the encoding that the standard requires.
  const advice =
    error === 'invalid_client' && isBasic
      ? "; if the secret is right, set clientAuthentication: 'client_secret_post'"
      : ''
  return serverError(error, words, redactor, { ...details, processed: 'no' }, advice)
}

/** An error with the server's own text, shortened to one line and without secrets. */
export function serverError(
  code: string,
  description: unknown,
  redactor: Redactor,
  details: Omit<ConstructorParameters<typeof OAuthError>[1], 'reason'>,
  advice = '',
): OAuthError {
  const clean = (text: string): string =>
    redactor
      .text(text)
      .replace(/[^\x20-\x7e]+/g, ' ')
      .slice(0, 200)
  const reason = clean(code)
  const words = typeof description === 'string' && description !== '' ? ` (${clean(description)})` : ''
  const message = `the authorization server responded with ${reason}${words}${advice}`
  return new OAuthError(message, { ...details, reason })
}
