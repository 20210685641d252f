import { isRecord } from '../../lib/is-record.ts'
import { within } from '../../lib/abort.ts'
import { parsed } from '../../lib/json.ts'
import type { Fetch } from '../../index.ts'
import {
  explainNetworkError,
  callFetch,
  FetchMisuse,
  initOf,
  readText,
  send,
  announcedWait,
} from '../../extend.ts'
import type { Redactor } from '../../lib/redact.ts'
import { ConfigurationError, OAuthError, type OAuthStep } from '../../errors/index.ts'

/** Settings of one request to the authorization server. */
export interface TokenRequestContext {
  readonly step: OAuthStep
  readonly fetch: Fetch | undefined
  readonly timeoutMs: number
  /** Contains every secret of the request. */
  readonly redactor: Redactor
}

interface TokenRequestInit {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: URLSearchParams | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends one request to the authorization server and reads the whole response, under one timer. It bypasses the
 * organization's limits: calls that hold its slots may be waiting for this token.
 *
 * @returns a successful response, not yet validated.
 * @throws {OAuthError}
 */
export async function requestJson(
  url: string,
  init: TokenRequestInit,
  context: TokenRequestContext,
): Promise<Response> {
  const { step, fetch, timeoutMs, redactor } = context
  const operation = `oauth.${step}`
  const headers = new Headers(init.headers)
  redactor.add(headers.get('authorization')?.replace(/^\w+ /, '') ?? '')
  // If the server closed a reused connection just as the request went out, the refresh token could be lost.
  headers.set('connection', 'close')
  const exchange = async (signal: AbortSignal): Promise<Response> => {
    let hasAnswered = false
    try {
      const sending = initOf(init.method, headers, init.body?.toString(), signal)
      const response = await send(url, sending, undefined, {}, (target, init) =>
        callFetch(fetch, target, init),
      )
      hasAnswered = true
      const { text } = await readText(response, signal)
      for (const token of tokensIn(parsed(text))) redactor.add(token)
      if (response.ok) return new Response(withoutUnusableFields(text), response)
      throw errorOf(response, text, context, headers.has('authorization'))
    } catch (error) {
      if (error instanceof OAuthError) throw error
      if (error instanceof FetchMisuse) throw new ConfigurationError(error.message, { operation })
      const { phase, message } = explainNetworkError(error, { redactor, baseUrl: url }, hasAnswered)
      const processed = phase === 'exchange' ? 'unknown' : 'no'
      throw new OAuthError(message, { step, reason: 'unreachable', processed })
    }
  }
  return within(timeoutMs, exchange, () => {
    const message = `no complete response within ${timeoutMs / 1000} s`
    throw new OAuthError(message, { step, reason: 'timeout', processed: 'unknown' })
  })
}

/** Tokens in a response: its own words, or an error of the library, may repeat them. */
function tokensIn(body: unknown): string[] {
  const { access_token, refresh_token, id_token }: Record<string, unknown> = isRecord(body) ? body : {}
  return [access_token, refresh_token, id_token].filter((token) => typeof token === 'string')
}

/**
 * Drops unusable fields, so that they do not invalidate a response with new tokens: nulls, invalid lifetimes and scopes,
 * an empty refresh token, and an ID token, which was not requested.
 */
function withoutUnusableFields(text: string): string {
  const body = parsed(text)
  if (!isRecord(body)) return text
  const isUnusable = ([name, value]: [string, unknown]): boolean => {
    // The library parses a lifetime the same way.
    if (name === 'expires_in') return !isLifetime(parseFloat(String(value)))
    if (name === 'scope') return typeof value !== 'string'
    return value === null || name === 'id_token' || (name === 'refresh_token' && value === '')
  }
  return JSON.stringify(Object.fromEntries(Object.entries(body).filter((entry) => !isUnusable(entry))))
}

/** Whether a lifetime is usable: in milliseconds, it must stay a number that JSON can hold. */
function isLifetime(seconds: number): boolean {
  return seconds > 0 && Number.isFinite(seconds * 1000)
}

/** After an OAuth error code, no token was issued. Any other 5xx may come from a gateway and leaves that unknown. */
function errorOf(
  response: Response,
  text: string,
  { step, redactor }: TokenRequestContext,
  isBasic: boolean,
): OAuthError {
  const { status, headers } = response
  if (status < 400) {
    return new OAuthError(`the server responded with a redirect, which is not followed (${status})`, {
      ...{ step, status, reason: 'redirect', processed: 'no' },
    })
  }
  const body = parsed(text)
  const { error, error_description: words } = isRecord(body) ? body : {}
  const wait = announcedWait(headers, null, Date.now())
  const details = { step, status, retryAfter: wait === null ? undefined : wait / 1000 }
  if (typeof error !== 'string' || error === '' || isGateways(status, error)) {
    return new OAuthError(`the server responded with ${status}, without an OAuth error`, {
      ...details,
      reason: 'invalid_response',
      processed: status < 500 ? 'no' : 'unknown',
    })
  }
  // Many servers expect the secret in the header without the encoding that the standard requires.
  const advice =
    error === 'invalid_client' && isBasic
      ? "; if the secret is right, set clientAuthentication: 'client_secret_post'"
      : ''
  return serverError(error, words, redactor, { ...details, processed: 'no' }, advice)
}

/** Gateways also put an `error` into JSON, and may have replaced a response that contained tokens. */
function isGateways(status: number, error: string): boolean {
  return status === 502 || status === 504 || (status >= 500 && !/^[a-z]+(_[a-z]+)+$/.test(error))
}

/** An error with the server's own text, shortened to one line and without secrets. */
export function serverError(
  code: string,
  description: unknown,
  redactor: Redactor,
  fields: Omit<ConstructorParameters<typeof OAuthError>[1], 'reason'>,
  advice = '',
): OAuthError {
  const clean = (text: string): string =>
    redactor
      .text(text)
      .replace(/[^\x20-\x7e]+/g, ' ')
      .slice(0, 200)
  const reason = clean(code)
  const details = typeof description === 'string' && description !== '' ? ` (${clean(description)})` : ''
  return new OAuthError(`the authorization server responded with ${reason}${details}${advice}`, {
    ...fields,
    reason,
  })
}
