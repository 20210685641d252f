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

type Weak<T extends object> = Pick<WeakRef<T>, 'deref'>

/** Workers of Cloudflare with a compatibility date before May 2025 have no weak references; they keep what they have. */
const weakly = <T extends object>(value: T): Weak<T> =>
  'WeakRef' in globalThis ? new WeakRef(value) : { deref: () => value }

/** For how long a session stays that the program has dropped, in milliseconds: its requests count toward the limit of a minute. */
const idleMs = 120_000

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
  /** By user. All calls for a user share one session. An idle session that the program does not hold is removed. */
  readonly #sessions = new Map<string, { weak: Weak<OAuthSession>; strong: OAuthSession | undefined }>()
  #sweptAt = -Infinity

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
    this.#dropIdle()
    const session = this.#sessions.get(id)?.weak.deref() ?? new OAuthSession(this.#settings, id)
    this.#sessions.set(id, { weak: weakly(session), strong: session })
    return session
  }

  /** Runs without a timer, which edge workers would tie to a request. */
  #dropIdle(): void {
    const now = performance.now()
    if (now - this.#sweptAt < idleMs) return
    this.#sweptAt = now
    for (const [id, { weak }] of this.#sessions) {
      const session = weak.deref()
      if (session === undefined) this.#sessions.delete(id)
      else this.#sessions.set(id, { weak, strong: session.isNeededAfter(now - idleMs) ? session : undefined })
    }
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
