import * as oauth from 'oauth4webapi'
import {
  announcedWait,
  assertToken,
  FollowedRequest,
  callFetch,
  explainNetworkError,
  initOf,
  readText,
  send,
} from '../../extend.ts'
import { type OAuthStep, OAuthError } from '../../errors/index.ts'
import { isRecord, parsed } from '../../lib/json.ts'
import { type Redactor, redactorOf } from '../../lib/redactor.ts'
import { messageOf } from '../../lib/thrown.ts'
import { type CheckedOptions, type TokenSet, serverUrl } from './settings.ts'
import { within } from '../../lib/abort.ts'
import type { Fetch } from '../../index.ts'

/** What you keep between sending a user away and their return, as plain JSON. `codeVerifier` is a secret. */
export interface PendingAuthorization {
  readonly state: string
  readonly codeVerifier: string
}

/** The URL to send a user to, and the data to keep until they return. */
export interface AuthorizationRequest {
  readonly url: string
  /** Plain JSON for the user's own session; it holds a secret, so it must not reach another user. Good for one `exchange`. */
  readonly pending: PendingAuthorization
}

/** A client at its authorization server. */
export interface OAuthSettings extends CheckedOptions {
  readonly server: oauth.AuthorizationServer
}

/**
 * The authorization server, as the option `endpoints` or its metadata describe it.
 *
 * @throws {OAuthError}
 */
export async function serverOf(options: CheckedOptions): Promise<oauth.AuthorizationServer> {
  const { issuer, endpoints } = options
  if (endpoints === undefined) return discover(new URL(issuer ?? ''), options)
  const { authorization: authorization_endpoint, token: token_endpoint } = endpoints
  // Without metadata, `iss` can only be checked against this name.
  return { issuer: issuer ?? new URL(authorization_endpoint).origin, authorization_endpoint, token_endpoint }
}

/** Reads the server's metadata from the OAuth path, or else from the OpenID Connect path. */
async function discover(issuer: URL, settings: CheckedOptions): Promise<oauth.AuthorizationServer> {
  const read = (algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> =>
    withServer('discovery', settings, [], async (options) => {
      const response = await oauth.discoveryRequest(issuer, { ...options, algorithm })
      const metadata = await oauth.processDiscoveryResponse(issuer, response)
      serverUrl('authorization_endpoint', metadata.authorization_endpoint)
      serverUrl('token_endpoint', metadata.token_endpoint)
      return metadata
    })
  try {
    return await read('oauth2')
  } catch (error) {
    if (error instanceof OAuthError && !['unreachable', 'timeout'].includes(error.reason)) return read('oidc')
    throw error
  }
}

export async function authorizationRequest(
  { clientId, redirectUri, scope, resource, server }: OAuthSettings,
  extra: Readonly<Record<string, string>>,
): Promise<AuthorizationRequest> {
  const pending = { state: oauth.generateRandomState(), codeVerifier: oauth.generateRandomCodeVerifier() }
  const url = new URL(server.authorization_endpoint ?? '')
  const params = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    resource,
    state: pending.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries({ ...extra, ...params })) url.searchParams.set(name, value)
  return { url: url.href, pending }
}

/** @throws {OAuthError} */
export async function exchangeCode(
  settings: OAuthSettings,
  { searchParams }: URL,
  { state, codeVerifier }: PendingAuthorization,
): Promise<TokenSet> {
  const { server, clientId, redirectUri } = settings
  const code = searchParams.get('code') ?? ''
  const secrets = [code, codeVerifier]
  await withServer('authorization', settings, secrets, () => {
    oauth.validateAuthResponse(server, { client_id: clientId }, searchParams, state)
    if (code === '') throw new TypeError('it has no code')
  })
  const params = { code, redirect_uri: redirectUri, code_verifier: codeVerifier }
  return requestTokens('exchange', settings, params, secrets)
}

/**
 * @param secrets What errors must not contain.
 * @throws {OAuthError}
 */
export async function requestTokens(
  step: 'exchange' | 'refresh',
  settings: OAuthSettings,
  params: Readonly<Record<string, string>>,
  secrets: readonly string[],
): Promise<TokenSet> {
  const { clientId, resource, server } = settings
  // The token's lifetime starts later than this, so it is never overestimated.
  const obtainedAt = Date.now()
  return withServer(step, settings, secrets, async (options) => {
    const response = await oauth.genericTokenEndpointRequest(
      server,
      { client_id: clientId },
      authenticationOf(settings),
      step === 'exchange' ? 'authorization_code' : 'refresh_token',
      { ...params, resource },
      options,
    )
    return tokensOf(parsed(await response.text()), obtainedAt)
  })
}

/**
 * Reads a response. The library would lose new tokens beside an invalid field, such as a list of scopes or an ID token.
 *
 * @throws if there is no bearer token.
 */
function tokensOf(body: unknown, obtainedAt: number): TokenSet {
  const { access_token, token_type, refresh_token, expires_in } = isRecord(body) ? body : {}
  if (String(token_type).toLowerCase() !== 'bearer') throw new TypeError('the token type is not Bearer')
  assertToken(access_token, 'the access token')
  const lifetime = 1000 * parseFloat(String(expires_in))
  return {
    accessToken: access_token,
    ...(typeof refresh_token === 'string' && refresh_token !== '' && { refreshToken: refresh_token }),
    obtainedAt,
    ...(lifetime > 0 && Number.isFinite(lifetime) && { expiresAt: obtainedAt + lifetime }),
  }
}

function authenticationOf({ clientSecret, clientAuthentication, server }: OAuthSettings): oauth.ClientAuth {
  if (clientSecret === undefined) return oauth.None()
  const offered = server.token_endpoint_auth_methods_supported ?? []
  const onlyPost = offered.includes('client_secret_post') && !offered.includes('client_secret_basic')
  const method = clientAuthentication ?? (onlyPost ? 'client_secret_post' : 'client_secret_basic')
  return method === 'client_secret_post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret)
}

/** Runs one step, and turns errors of the library, which contain tokens, into an `OAuthError` without secrets. */
async function withServer<T>(
  step: OAuthStep,
  options: CheckedOptions,
  tokens: readonly string[],
  work: (options: ReturnType<typeof requestOptions>) => T | Promise<T>,
): Promise<T> {
  const redactor = redactorOf(options)
  for (const token of tokens) redactor.add(token)
  try {
    return await work(requestOptions({ step, redactor, fetch: options.fetch }))
  } catch (error) {
    if (error instanceof OAuthError) throw error
    const isCallback = step === 'authorization'
    const processed = isCallback ? 'no' : 'unknown'
    if (error instanceof oauth.AuthorizationResponseError) {
      const reason = clean(error.error, redactor)
      throw new OAuthError(refusal(reason, error.error_description, redactor), { step, processed, reason })
    }
    const message = `the ${isCallback ? 'callback' : 'response'} is invalid: ${clean(messageOf(error), redactor)}`
    const reason = isCallback ? 'invalid_callback' : 'invalid_response'
    throw new OAuthError(message, { step, processed, reason })
  }
}

function requestOptions(context: RequestContext) {
  return {
    [oauth.customFetch]: (url: string, init: Parameters<typeof request>[1]) => request(url, init, context),
    // `serverUrl` allows plain http only to this machine.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- a warning; the library has no replacement
    [oauth.allowInsecureRequests]: true,
  }
}

/** Time for one request, in milliseconds: longer than the connect timeout of a runtime, 10 s on Node. */
const timeoutMs = 30_000

/** How long a process may take to send a refresh token and to store the response, in milliseconds. */
export const refreshMs = 2 * timeoutMs

interface RequestContext {
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
async function request(
  url: string,
  init: { method: string; headers: HeadersInit; body?: URLSearchParams | undefined },
  context: RequestContext,
): Promise<Response> {
  const { step, fetch, redactor } = context
  const headers = new Headers(init.headers)
  const authorization = headers.get('authorization')
  redactor.add(authorization?.replace(/^\w+ /, '') ?? '')
  // If the server closed a reused connection just as the request went out, the refresh token could be lost.
  headers.set('connection', 'close')
  let followed: FollowedRequest | undefined
  const exchange = async (signal: AbortSignal): Promise<Response> => {
    const following = (followed = new FollowedRequest(url, signal))
    try {
      const sending = initOf(init.method, Object.fromEntries(headers), init.body?.toString(), signal)
      const response = await send(url, sending, null, () => callFetch(fetch, url, sending, following))
      const { text } = await readText(response, signal)
      if (response.ok) return new Response(text, response)
      throw errorOf(response, text, context, authorization !== null)
    } catch (error) {
      if (error instanceof OAuthError) throw error
      const { kind, message } = explainNetworkError(error, { redactor, baseUrl: url }, following)
      const processed = kind === 'no-answer' ? 'unknown' : 'no'
      throw new OAuthError(message, { step, reason: 'unreachable', processed })
    }
  }
  return within(timeoutMs, exchange, () => {
    const isUnsent = followed?.isUnsent === true
    const message = `no ${isUnsent ? 'connection' : 'complete response'} within ${timeoutMs / 1000} s`
    throw new OAuthError(message, { step, reason: 'timeout', processed: isUnsent ? 'no' : 'unknown' })
  })
}

/** What a gateway answers that has waited in vain, whatever its body says: the server may have issued tokens. */
const gatewayGaveUp = [408, 502, 504]

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
  const isLost = gatewayGaveUp.includes(status)
  const isFromServer = status < 500 || error === 'temporarily_unavailable' || error === 'server_error'
  if (typeof error !== 'string' || !isFromServer || isLost) {
    const message = `the server responded with ${status}, without an OAuth error`
    const processed = isLost || status >= 500 ? 'unknown' : 'no'
    return new OAuthError(message, { ...details, reason: 'invalid_response', processed })
  }
  // Many servers expect the secret in the header without the encoding that the standard requires.
  const advice =
    error === 'invalid_client' && isBasic
      ? "; if the secret is right, set clientAuthentication: 'client_secret_post'"
      : ''
  const reason = clean(error, redactor)
  return new OAuthError(refusal(reason, words, redactor) + advice, { ...details, reason, processed: 'no' })
}

/** A text of others in one line of bounded length, without secrets. */
function clean(text: string, redactor: Redactor): string {
  return redactor
    .text(text)
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 200)
}

/** The words of an error for what the server says. */
function refusal(reason: string, words: unknown, redactor: Redactor): string {
  const said = typeof words === 'string' && words !== '' ? ` (${clean(words, redactor)})` : ''
  return `the authorization server responded with ${reason}${said}`
}
