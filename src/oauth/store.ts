import { TokenStoreError } from '../errors/index.ts'

/** The tokens of one authorization, as plain JSON. Every text except `scope` is a secret. */
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
  /** The granted scopes, separated by spaces, if the server listed them. */
  readonly scope?: string | undefined
}

/** Keeps the tokens of one authorization. */
export interface TokenStore {
  /** Reads the tokens; null if there are none. */
  get(): TokenSet | null | Promise<TokenSet | null>
  /** Replaces the tokens. They are used after this has resolved. */
  set(tokens: TokenSet): unknown
  /**
   * Runs the work while no other user of the store does. A store that several processes share needs it: two
   * simultaneous refreshes would invalidate each other's refresh token.
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
  const { accessToken, refreshToken, obtainedAt, expiresAt } = (value ?? {}) as Record<
    keyof TokenSet,
    unknown
  >
  const wrong =
    typeof accessToken !== 'string' || accessToken === ''
      ? 'accessToken'
      : refreshToken !== undefined && (typeof refreshToken !== 'string' || refreshToken === '')
        ? 'refreshToken'
        : !Number.isFinite(obtainedAt)
          ? 'obtainedAt'
          : expiresAt !== undefined && !Number.isFinite(expiresAt)
            ? 'expiresAt'
            : undefined
  if (wrong !== undefined) {
    throw new TokenStoreError(`${where} holds no usable tokens (${wrong}); authorize again to replace them`)
  }
}
