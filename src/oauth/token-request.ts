import { isRecord } from '../contract/is-record.ts'
import { within } from '../core/lib/abort.ts'
import { parsed } from '../core/http/dialect.ts'
import { type Fetch, readText, send } from '../core/http/send.ts'
import type { Redactor } from '../core/lib/redact.ts'
import { announcedWait } from '../core/retry/announced-wait.ts'
import { FetchMisuse, type NetworkFailure } from '../core/http/network-error.ts'
import { ConfigurationError, OAuthError, type OAuthStep } from '../errors.ts'

/** One exchange with the authorization server. */
export interface Wire {
  readonly step: OAuthStep
  readonly fetch: Fetch
  readonly timeoutMs: number
  /** Knows every secret that goes out with the request. */
  readonly redactor: Redactor
}

interface Init {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: URLSearchParams | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends one request to the authorization server and reads the answer whole, under one timer. It goes past the limits of
 * the organization: the calls that hold its slots may be waiting for this very answer.
 *
 * @returns a success; what is in it is yet to be checked.
 * @throws {OAuthError}
 */
export async function exchangeJson(url: string, init: Init, wire: Wire): Promise<Response> {
  const { step, fetch, timeoutMs, redactor } = wire
  const operation = `oauth.${step}`
  const headers = new Headers(init.headers)
  redactor.add(headers.get('authorization')?.replace(/^\w+ /, '') ?? '')
  // The server may close a kept connection just when the next request goes out, which would cost that refresh its token.
  headers.set('connection', 'close')
  const exchange = {
    ...{ method: init.method, url, headers: [...headers], body: init.body?.toString(), token: null },
    ...{ fetch, middleware: [], redactor, context: { operation, attempt: 1 } },
    ...{ onSend: () => undefined, onAnswer: () => undefined },
    connectionError: (_: string, { phase, reason }: NetworkFailure) => {
      const sent = phase === 'exchange'
      return new OAuthError(
        `${sent ? 'the connection failed after the request was sent' : 'connecting failed, nothing was sent'} (${reason})`,
        { step, reason: 'unreachable', processed: sent ? 'unknown' : 'no' },
      )
    },
  }
  try {
    return await within(
      timeoutMs,
      async (signal) => {
        const response = await send({ ...exchange, signal })
        const { text } = await readText(response, { ...exchange, signal })
        if (response.ok) return new Response(withoutFlaws(text), response)
        throw refusal(response, text, wire)
      },
      () => {
        const message = `no complete answer within ${timeoutMs} ms`
        throw new OAuthError(message, { step, reason: 'timeout', processed: 'unknown' })
      },
    )
  } catch (error) {
    throw error instanceof FetchMisuse ? new ConfigurationError(error.message, { operation }) : error
  }
}

/**
 * Takes out what says nothing, so that an answer full of new tokens is not refused for it: nulls, unusable lifetimes and
 * scopes, an empty refresh token, and an ID token, which was not asked for.
 */
function withoutFlaws(text: string): string {
  const body = parsed(text)
  if (!isRecord(body)) return text
  const isFlawed = ([name, value]: [string, unknown]): boolean => {
    // The library reads a lifetime in the same way.
    if (name === 'expires_in') return !isLifetime(parseFloat(String(value)))
    if (name === 'scope') return typeof value !== 'string'
    return value === null || name === 'id_token' || (name === 'refresh_token' && value === '')
  }
  return JSON.stringify(Object.fromEntries(Object.entries(body).filter((entry) => !isFlawed(entry))))
}

/** Whether a token can live so many seconds: the milliseconds have to stay a number that JSON can hold. */
function isLifetime(seconds: number): boolean {
  return seconds > 0 && Number.isFinite(seconds * 1000)
}

/** An answer with an OAuth error code says that nothing was issued; any other 5xx may come from a gateway, and says nothing. */
function refusal(response: Response, text: string, { step, redactor }: Wire): OAuthError {
  const { status, headers } = response
  if (status < 400) {
    return new OAuthError(`the server answered with a redirect, which is not followed (${status})`, {
      ...{ step, status, reason: 'redirect', processed: 'no' },
    })
  }
  const body = parsed(text)
  const { error, error_description: words } = isRecord(body) ? body : {}
  const wait = announcedWait(headers, null, Date.now())
  const details = { step, status, retryAfter: wait === null ? undefined : wait / 1000 }
  if (typeof error !== 'string' || error === '' || isGateways(status, error)) {
    return new OAuthError(`the server answered ${status} without an OAuth error`, {
      ...details,
      reason: 'invalid_response',
      processed: status < 500 ? 'no' : 'unknown',
    })
  }
  return serverError(error, words, redactor, { ...details, processed: 'no' })
}

/** Gateways have an `error` in their JSON, too, and may have given up on an answer that was full of tokens. */
function isGateways(status: number, error: string): boolean {
  return status === 502 || status === 504 || (status >= 500 && !/^[a-z]+(_[a-z]+)+$/.test(error))
}

/** An error in the server's own words, as far as they fit into a line and hold no secret. */
export function serverError(
  code: string,
  words: unknown,
  redactor: Redactor,
  details: Omit<ConstructorParameters<typeof OAuthError>[1], 'reason'>,
): OAuthError {
  const clean = (text: string): string =>
    redactor
      .text(text)
      .replace(/[^\x20-\x7e]+/g, ' ')
      .slice(0, 200)
  const reason = clean(code)
  const said = typeof words === 'string' && words !== '' ? ` (${clean(words)})` : ''
  return new OAuthError(`the authorization server answered ${reason}${said}`, { ...details, reason })
}
