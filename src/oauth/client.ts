import { assertMethod, assertObject } from '../core/lib/assert.ts'
import { ConfigurationError } from '../errors.ts'
import { type PendingAuthorization, Protocol } from './protocol.ts'
import { OAuthSession } from './session.ts'
import { type OAuthClientOptions, type OAuthSettings, resolveOAuthOptions } from './settings.ts'
import type { TokenStore } from './store.ts'

/** Where to send a user, and what to keep until they are back. */
export interface AuthorizationRequest {
  readonly url: string
  /** Plain JSON for the user's own session; it holds a secret, so it must not reach another user. Good for one `exchange`. */
  readonly pending: PendingAuthorization
}

/** A client of the authorization server: sends users there, and turns their way back into tokens. */
export class OAuthClient {
  readonly #protocol: Protocol
  readonly #settings: OAuthSettings
  readonly #sessions = new WeakMap<TokenStore, OAuthSession>()

  constructor(protocol: Protocol, settings: OAuthSettings) {
    this.#protocol = protocol
    this.#settings = settings
  }

  /**
   * Makes an address to send one user to.
   *
   * @param extra Further parameters that the server takes, such as `prompt`.
   */
  async authorizationUrl(extra: Readonly<Record<string, string>> = {}): Promise<AuthorizationRequest> {
    const { url, pending } = await this.#protocol.authorizationUrl(extra)
    return { url: url.href, pending }
  }

  /**
   * Turns the address that the server sent the user back to into tokens, and puts them into the store.
   *
   * @param callbackUrl The address, or its path with the query.
   * @param pending What `authorizationUrl` gave along with the address the user was sent to.
   * @param store Where the tokens go; one for each user, where there are several. Default the client's own.
   * @returns the session of that store.
   * @throws {OAuthError} with `reason: 'access_denied'`, for example, where the user refused.
   */
  async exchange(
    callbackUrl: string | URL,
    pending: PendingAuthorization,
    store?: TokenStore,
  ): Promise<OAuthSession> {
    assertObject('pending', pending)
    const { state, codeVerifier } = pending
    if (![state, codeVerifier].every((value: unknown) => typeof value === 'string' && value !== ''))
      throw new ConfigurationError('pending must be what authorizationUrl() returned')
    const { redirectUri } = this.#settings
    if (!URL.canParse(String(callbackUrl), redirectUri))
      throw new ConfigurationError('callbackUrl is neither a URL nor a path')
    const session = this.session(store)
    const callback = new URL(callbackUrl, redirectUri)
    await session.replace(await this.#protocol.exchange(callback, { state, codeVerifier }))
    return session
  }

  /** The session that lives on the tokens in a store, for `auth` of a `SocialSearch`; the same one for the same store. */
  session(store: TokenStore = this.#settings.store): OAuthSession {
    for (const method of ['get', 'set']) assertMethod('store', store, method)
    const session =
      this.#sessions.get(store) ?? new OAuthSession(store, this.#protocol, this.#settings.leewayMs)
    this.#sessions.set(store, session)
    return session
  }
}

/**
 * Makes a client of an authorization server, whose metadata is read first unless `endpoints` are given.
 *
 * @throws {ConfigurationError} for options that cannot work; the message holds no secret.
 * @throws {OAuthError} where the metadata cannot be had, or is not the issuer's.
 */
export async function createOAuthClient(options: OAuthClientOptions): Promise<OAuthClient> {
  const settings = resolveOAuthOptions(options)
  return new OAuthClient(await Protocol.with(settings), settings)
}
