import { TokenStoreError } from '../../errors/index.ts'
import { isRecord } from '../../lib/is-record.ts'

/** The tokens of one authorization, as plain JSON. `accessToken` and `refreshToken` are secrets. */
export interface TokenSet {
  readonly accessToken: string
  /** Present if `offline_access` was granted. */
  readonly refreshToken?: string | undefined
  /** When the tokens were requested, in milliseconds of this machine's clock. */
  readonly obtainedAt: number
  /** When the access token expires, in milliseconds of this machine's clock; absent if the server did not say. */
  readonly expiresAt?: number | undefined
  /**
   * When the refresh token was sent, in milliseconds of this machine's clock; absent once the response is known. If it
   * is present and no refresh is running, the process has died, and the refresh token may be used up.
   */
  readonly refreshSentAt?: number | undefined
  /**
   * What the tokens were issued for; `baseUrl` is their audience. Set by the session that stores them. A session with
   * another issuer, client or audience refuses them.
   */
  readonly boundTo?:
    { readonly issuer: string; readonly clientId: string; readonly baseUrl: string } | undefined
}

export type TokenBinding = NonNullable<TokenSet['boundTo']>

/** Keeps the tokens of one authorization. */
export interface TokenStore {
  /** Reads the tokens; null if there are none. */
  get(): TokenSet | null | Promise<TokenSet | null>
  /** Replaces the tokens. They are used once this resolves. */
  set(tokens: TokenSet): unknown
  /**
   * Runs the work while no other process does. A store that processes share needs it, because two refreshes at the same time
   * would invalidate each other's token.
   */
  lock?<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Keeps tokens for as long as the process lives.
 *
 * @example
 * const store = new MemoryTokenStore() // one for each user
 * await oauth.exchange(request.url, pending, store)
 * const client = new SocialSearch({ baseUrl, auth: oauth.session(store) })
 */
export class MemoryTokenStore implements TokenStore {
  #tokens: TokenSet | null = null

  get(): TokenSet | null {
    return this.#tokens
  }

  set(tokens: TokenSet): void {
    this.#tokens = tokens
  }
}

/**
 * Refuses values that are not a set of tokens, without repeating them.
 *
 * @throws {TokenStoreError}
 */
export function assertTokenSet(value: unknown, where: string): asserts value is TokenSet {
  const { accessToken, obtainedAt, refreshToken = accessToken } = isRecord(value) ? value : {}
  const areTexts = [accessToken, refreshToken].every((token) => typeof token === 'string' && token !== '')
  if (areTexts && Number.isFinite(obtainedAt)) return
  throw new TokenStoreError(`${where} holds no usable tokens; authorize again to replace them`)
}

/**
 * Refuses tokens of another client or service.
 *
 * @throws {TokenStoreError}
 */
export function assertBoundTo(own: TokenBinding, { boundTo = own }: TokenSet): void {
  const nameOf = ({ issuer, clientId, baseUrl }: TokenBinding): string =>
    `client ${clientId} of issuer ${issuer} for ${baseUrl}`
  if (nameOf(boundTo) === nameOf(own)) return
  throw new TokenStoreError(
    `the token store holds tokens of ${nameOf(boundTo)}, not of ${nameOf(own)}; authorize again to replace them, or use another store`,
  )
}
