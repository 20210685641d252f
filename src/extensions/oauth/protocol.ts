import * as oauth from 'oauth4webapi'
import { assertToken } from '../../extend.ts'
import { Redactor } from '../../lib/redact.ts'
import { messageOf } from '../../lib/thrown.ts'
import { ConfigurationError, OAuthError, type OAuthStep } from '../../errors/index.ts'
import { type OAuthEndpoints, type OAuthSettings, serverUrl } from './settings.ts'
import type { TokenBinding, TokenSet } from './store.ts'
import { requestJson, serverError } from './token-request.ts'

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

/** The OAuth protocol with one server. Errors of the library stop here, since they contain tokens. */
export class Protocol {
  readonly #settings: OAuthSettings
  readonly #server: oauth.AuthorizationServer
  readonly #client: oauth.Client
  readonly #authentication: oauth.ClientAuth

  private constructor(settings: OAuthSettings, server: oauth.AuthorizationServer) {
    this.#settings = settings
    this.#server = server
    this.#client = { client_id: settings.clientId }
    this.#authentication = clientAuthenticationOf(settings, server.token_endpoint_auth_methods_supported)
  }

  /** @throws {OAuthError} */
  static async create(settings: OAuthSettings): Promise<Protocol> {
    const { issuer, endpoints } = settings
    if (endpoints === undefined) return new this(settings, await discover(settings))
    return new this(settings, {
      // Without metadata, `iss` can only be checked against this name.
      issuer: issuer ?? new URL(endpoints.authorization).origin,
      authorization_endpoint: endpoints.authorization,
      token_endpoint: endpoints.token,
    })
  }

  get endpoints(): OAuthEndpoints {
    const { authorization_endpoint: authorization = '', token_endpoint: token = '' } = this.#server
    return { authorization, token }
  }

  /** What the tokens of this client are bound to. */
  get binding(): TokenBinding {
    const { clientId, resource } = this.#settings
    return { issuer: new URL(this.#server.issuer).href, clientId, baseUrl: resource }
  }

  async authorizationUrl(extra: Readonly<Record<string, string>>): Promise<AuthorizationRequest> {
    const { clientId, redirectUri, scope, resource } = this.#settings
    const pending = { state: oauth.generateRandomState(), codeVerifier: oauth.generateRandomCodeVerifier() }
    const url = new URL(this.endpoints.authorization)
    const params: Record<string, string> = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      resource,
      state: pending.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
    }
    const taken = Object.keys(extra).find((name) => Object.hasOwn(params, name))
    if (taken !== undefined) throw new ConfigurationError(`${taken} is set by the client`)
    for (const [name, value] of Object.entries({ ...extra, ...params })) url.searchParams.set(name, value)
    return { url: url.href, pending }
  }

  /** @throws {OAuthError} */
  async exchangeCode(callback: URL, { state, codeVerifier }: PendingAuthorization): Promise<TokenSet> {
    const codes = callback.searchParams.getAll('code')
    const redactor = this.#redactor(...codes, codeVerifier)
    const code = await withOAuthErrors('authorization', redactor, () => {
      oauth.validateAuthResponse(this.#server, this.#client, callback.searchParams, state)
      const [code = '', ...others] = codes
      if (code === '' || others.length > 0) throw new TypeError('it must have one code')
      return code
    })
    const params = { code, redirect_uri: this.#settings.redirectUri, code_verifier: codeVerifier }
    return this.#requestTokens('exchange', redactor, 'authorization_code', params)
  }

  /** @throws {OAuthError} */
  async refresh({
    refreshToken,
    accessToken,
  }: {
    refreshToken: string
    accessToken: string
  }): Promise<TokenSet> {
    const params = { refresh_token: refreshToken }
    // The server may name the token that it replaces.
    const redactor = this.#redactor(refreshToken, accessToken)
    return this.#requestTokens('refresh', redactor, 'refresh_token', params)
  }

  async #requestTokens(
    step: OAuthStep,
    redactor: Redactor,
    grantType: string,
    params: Readonly<Record<string, string>>,
  ): Promise<TokenSet> {
    const [server, client] = [this.#server, this.#client]
    // The token's lifetime starts later than this, so it is never overestimated.
    const obtainedAt = Date.now()
    const response = await withOAuthErrors(step, redactor, async () => {
      const received = await oauth.genericTokenEndpointRequest(
        server,
        client,
        this.#authentication,
        grantType,
        { ...params, resource: this.#settings.resource },
        requestOptions(step, redactor, this.#settings, server.token_endpoint),
      )
      const response = await oauth.processGenericTokenEndpointResponse(server, client, received)
      // The library also accepts tokens that are bound to a key.
      if (response.token_type !== 'bearer') throw new TypeError('the token type is not Bearer')
      assertToken(response.access_token, 'the access token')
      return response
    })
    return {
      accessToken: response.access_token,
      ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
      obtainedAt,
      ...(response.expires_in !== undefined && { expiresAt: obtainedAt + response.expires_in * 1000 }),
      ...(response.scope !== undefined && { scope: response.scope }),
      boundTo: this.binding,
    }
  }

  /** A redactor for the secrets of one request. */
  #redactor(...secrets: string[]): Redactor {
    const redactor = new Redactor()
    for (const secret of [this.#settings.clientSecret ?? '', ...secrets]) redactor.add(secret)
    return redactor
  }
}

/** Reads the server's metadata from the OAuth path, or else from the OpenID Connect path. */
async function discover(settings: OAuthSettings): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(settings.issuer ?? '')
  const redactor = new Redactor()
  const read = (algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> =>
    withOAuthErrors('discovery', redactor, async () => {
      const options = { ...requestOptions('discovery', redactor, settings, issuer.href), algorithm }
      const metadata = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, options),
      )
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

function clientAuthenticationOf(settings: OAuthSettings, offered: readonly string[] = []): oauth.ClientAuth {
  const { clientSecret, clientAuthentication } = settings
  if (clientSecret === undefined) return oauth.None()
  const onlyPost = offered.includes('client_secret_post') && !offered.includes('client_secret_basic')
  const method = clientAuthentication ?? (onlyPost ? 'client_secret_post' : 'client_secret_basic')
  return method === 'client_secret_post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret)
}

function requestOptions(step: OAuthStep, redactor: Redactor, { fetch, timeoutMs }: OAuthSettings, url = '') {
  const context = { step, fetch, timeoutMs, redactor }
  return {
    [oauth.customFetch]: (target: string, init: Parameters<typeof requestJson>[1]) =>
      requestJson(target, init, context),
    // `serverUrl` allows plain http only to this machine.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- a warning; the library has no replacement
    [oauth.allowInsecureRequests]: url.startsWith('http:'),
  }
}

/** Turns errors of the library into an `OAuthError` without secrets. */
async function withOAuthErrors<T>(
  step: OAuthStep,
  redactor: Redactor,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OAuthError) throw error
    const processed = step === 'authorization' ? 'no' : 'unknown'
    if (error instanceof oauth.AuthorizationResponseError)
      throw serverError(error.error, error.error_description, redactor, { step, processed })
    const text = error instanceof Error ? redactor.text(messageOf(error)).slice(0, 200) : 'no reason given'
    const reason = step === 'authorization' ? 'invalid_callback' : 'invalid_response'
    const what = step === 'authorization' ? 'the callback' : 'the response'
    throw new OAuthError(`${what} is invalid: ${text}`, { step, reason, processed })
  }
}
