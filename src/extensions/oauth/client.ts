import { nonEmptyText } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import {
  type AuthorizationRequest,
  type OAuthSettings,
  type PendingAuthorization,
  authorizationRequest,
  exchangeCode,
  serverOf,
} from './protocol.ts'
import { OAuthSession } from './session.ts'
import { type OAuthClientOptions, checkedOptions } from './settings.ts'

/** How many sessions are kept, of the users who were asked for last. Another one reads its tokens from the store again. */
const mostSessions = 10_000

/**
 * A client of the authorization server: sends users there, and exchanges their callback for tokens.
 *
 * @example
 * const { url, pending } = await oauth.authorizationUrl() // send the user to `url`
 * await oauth.exchange(request.url, pending) // when they return
 * const client = new SocialSearch({ baseUrl, auth: oauth.session() })
 */
export class OAuthClient {
  readonly #settings: OAuthSettings
  /** By user, the one asked for last at the end. All calls for a user share one session. */
  readonly #sessions = new Map<string, OAuthSession>()

  /** @internal */
  constructor(settings: OAuthSettings) {
    this.#settings = settings
  }

  /**
   * Creates the URL to send one user to.
   *
   * @param extra Extra parameters for your server, such as `prompt`.
   */
  async authorizationUrl(extra: Readonly<Record<string, string>> = {}): Promise<AuthorizationRequest> {
    return authorizationRequest(this.#settings, extra)
  }

  /**
   * Exchanges the callback URL for tokens, and stores them.
   *
   * @param callbackUrl The URL that the server sent the user back to, or its path with the query.
   * @param pending The `pending` that `authorizationUrl` returned for this user.
   * @param user Your id of the user. Leave it out if the program has only one.
   * @returns the session of that user.
   * @throws {ConfigurationError} for a user without an id, who would share the tokens of the others without one.
   * @throws {OAuthError} for example with `reason: 'access_denied'` if the user refused.
   */
  async exchange(
    callbackUrl: string | URL,
    pending: PendingAuthorization,
    ...user: [] | [user: string]
  ): Promise<OAuthSession> {
    const { state, codeVerifier } = Object(pending) as Partial<PendingAuthorization>
    if (!state || !codeVerifier)
      throw new ConfigurationError('pending must be what authorizationUrl() returned')
    const { redirectUri } = this.#settings
    if (!URL.canParse(String(callbackUrl), redirectUri))
      throw new ConfigurationError('callbackUrl is neither a URL nor a path')
    const session = this.session(...user)
    const callback = new URL(callbackUrl, redirectUri)
    await session.replace(await exchangeCode(this.#settings, callback, pending))
    return session
  }

  /**
   * The session of a user, for `auth` of a `SocialSearch`.
   *
   * @throws {ConfigurationError} for a user without an id, as {@link exchange} does.
   */
  session(...user: [] | [user: string]): OAuthSession {
    const id = user.length === 0 ? '' : nonEmptyText('user', user[0])
    const session = this.#sessions.get(id) ?? new OAuthSession(this.#settings, id)
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    for (const [id, { isAhead }] of this.#sessions) {
      if (this.#sessions.size <= mostSessions) break
      if (!isAhead) this.#sessions.delete(id)
    }
    return session
  }
}

/**
 * Creates an OAuth client. Reads the server's metadata first, unless you pass `endpoints`.
 *
 * @throws {ConfigurationError} for options that cannot work; the message holds no secret.
 * @throws {OAuthError} if the metadata cannot be read, or is not the issuer's.
 * @example
 * const oauth = await createOAuthClient({
 *   issuer: 'https://login.example.com',
 *   clientId,
 *   redirectUri: 'https://app.example.com/callback',
 *   baseUrl,
 *   scopes: ['search:read', 'offline_access'],
 * })
 */
export async function createOAuthClient(options: OAuthClientOptions): Promise<OAuthClient> {
  const checked = checkedOptions(options)
  return new OAuthClient({ ...checked, server: await serverOf(checked) })
}
