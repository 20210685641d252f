import { TokenStoreError } from '../errors.ts'

/** The tokens of one authorization, as plain JSON. Every string in it but `scope` is a secret. */
export interface TokenSet {
  readonly accessToken: string
  /** Present where `offline_access` was granted. */
  readonly refreshToken?: string | undefined
  /** When the tokens were asked for, in milliseconds of this machine's clock. */
  readonly obtainedAt: number
  /** When the access token ends by this machine's clock, in milliseconds; absent where the server did not say. */
  readonly expiresAt?: number | undefined
  /**
   * When the refresh token was sent, in milliseconds of this machine's clock; absent once the answer is known. If it is still
   * there and no refresh is under way, the process has died meanwhile, and the refresh token may be used up.
   */
  readonly refreshSentAt?: number | undefined
  /** The scopes that were granted, separated by spaces, where the server said. */
  readonly scope?: string | undefined
}

/** Keeps the tokens of one authorization. */
export interface TokenStore {
  /** The tokens, or null where there are none. */
  get(): TokenSet | null | Promise<TokenSet | null>
  /** Keeps these tokens in place of all before; they are used once this has resolved. */
  set(tokens: TokenSet): unknown
  /**
   * Runs the work while no other user of the store does. A store that several processes share needs it: two refreshes at the
   * same time would each invalidate the other's refresh token.
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
 * Refuses what is not a set of tokens, without repeating any of it.
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
