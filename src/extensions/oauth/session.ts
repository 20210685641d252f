import type { AuthProvider } from '../../index.ts'
import { sleep } from '../../lib/time.ts'
import { OAuthError, type ReauthorizationReason, ReauthorizationRequiredError } from '../../errors/index.ts'
import { type OAuthSettings, requestTokens } from './protocol.ts'
import { type TokenSet, type TokenStore, assertBoundTo, assertTokenSet } from './store.ts'

/** How long before its end to renew a token, in milliseconds; at most half of its lifetime. */
const leewayMs = 60_000

/**
 * The access tokens of one authorization, renewed before they expire and after a 401. Pass it as `auth` to any number of
 * clients. All waiting calls share one refresh, which continues if they are cancelled.
 *
 * @example
 * const client = new SocialSearch({ baseUrl, auth: oauth.session() })
 */
export class OAuthSession implements AuthProvider {
  readonly #store: TokenStore
  readonly #settings: OAuthSettings
  /** The tokens last read from the store. */
  #cached: TokenSet | undefined
  /** An access token not to use again: the service rejected it, or the session ended with it for a reason. */
  #spent: { accessToken: string; reason?: ReauthorizationReason } | undefined
  #renewing: Promise<TokenSet> | undefined
  /** Until when not to renew early, in monotonic milliseconds. */
  #pausedUntil = -Infinity
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(store: TokenStore, settings: OAuthSettings) {
    this.#store = store
    this.#settings = settings
  }

  /**
   * Returns the access token to send, from memory while it is fresh.
   *
   * @throws {ReauthorizationRequiredError} until an `exchange` has brought new tokens.
   * @throws {OAuthError}
   * @throws {TokenStoreError}
   */
  async token(): Promise<string> {
    if (this.#cached && this.#isFresh(this.#cached)) return this.#cached.accessToken
    this.#renewing ??= this.#exclusively(() => this.#renew()).finally(() => (this.#renewing = undefined))
    try {
      return (await this.#renewing).accessToken
    } catch (error) {
      // An early renewal may fail: the token has not expired yet.
      const cached = this.#cached
      if (!cached || error instanceof ReauthorizationRequiredError || !this.#isUsable(cached)) throw error
      const { retryAfter = 0 } = error instanceof OAuthError ? error : {}
      this.#pausedUntil = performance.now() + Math.max(retryAfter * 1000, maxWaitMs)
      return cached.accessToken
    }
  }

  /** Replaces a token that the service rejected with a 401, unless it was replaced already. */
  async refresh(refused: string): Promise<void> {
    if (this.#cached?.accessToken === refused && this.#spent?.accessToken !== refused)
      this.#spent = { accessToken: refused }
    await this.token()
  }

  /** Stores the tokens of a new authorization, in place of the old one. */
  async replace(tokens: TokenSet): Promise<void> {
    const bound = { ...tokens, boundTo: this.#settings.binding }
    await this.#exclusively(async () => {
      await this.#store.set(bound)
      this.#use(bound)
    })
  }

  /** Whether a token can be sent, and does not expire within `leeway` milliseconds. */
  #isUsable({ accessToken, refreshToken, expiresAt = Infinity }: TokenSet, leeway = 0): boolean {
    if (accessToken === this.#spent?.accessToken) return false
    // Without a refresh token, use the token until the service rejects it: this machine's clock may be wrong.
    return refreshToken === undefined || Date.now() < expiresAt - leeway
  }

  /** Whether a token can be sent without renewing it first. */
  #isFresh(tokens: TokenSet): boolean {
    const { obtainedAt, expiresAt = Infinity } = tokens
    const isPaused = performance.now() < this.#pausedUntil
    return this.#isUsable(tokens, isPaused ? 0 : Math.min(leewayMs, (expiresAt - obtainedAt) / 2))
  }

  /** Reads the store again before each attempt: the tokens may have changed since. */
  async #renew(attempt = 1): Promise<TokenSet> {
    const stored = await this.#read()
    if (stored === null) throw new ReauthorizationRequiredError('no_tokens')
    if (this.#isFresh(stored)) return this.#use(stored)
    const { accessToken, refreshToken } = stored
    if (accessToken === this.#spent?.accessToken && this.#spent.reason !== undefined)
      throw new ReauthorizationRequiredError(this.#spent.reason)
    if (refreshToken === undefined) throw new ReauthorizationRequiredError('no_refresh_token')
    if (stored.refreshSentAt !== undefined) return this.#end(stored, 'lost')
    // If this process dies now, the next one must not send the token again: servers may take that for theft.
    await this.#store.set({ ...stored, refreshSentAt: Date.now() })
    let renewed: TokenSet
    try {
      // The server may name the token that it replaces.
      const secrets = [refreshToken, accessToken]
      renewed = await requestTokens('refresh', this.#settings, { refresh_token: refreshToken }, secrets)
    } catch (error) {
      const { reason, processed } = error as OAuthError
      if (reason === 'invalid_grant') return this.#end(stored, 'refused')
      if (processed !== 'no') return this.#end(stored, 'lost')
      // The error of the refresh matters more than one of the store.
      await this.#replace(stored, stored).catch(() => {})
      const delay = retryDelay(error as OAuthError, attempt)
      if (delay === undefined) throw error
      await sleep(delay)
      return this.#renew(attempt + 1)
    }
    // The server may omit an unchanged refresh token.
    const tokens = { refreshToken, ...renewed, boundTo: this.#settings.binding }
    return (await this.#replace(stored, tokens)) ? this.#use(tokens) : this.#renew()
  }

  async #read(): Promise<TokenSet | null> {
    const stored: unknown = (await this.#store.get()) ?? null
    if (stored !== null) {
      assertTokenSet(stored, 'the token store')
      assertBoundTo(this.#settings.binding, stored)
    }
    this.#cached = stored ?? undefined
    return stored
  }

  /** Replaces tokens in the store, unless they were replaced or removed. */
  async #replace(old: TokenSet, tokens: TokenSet): Promise<boolean> {
    const { accessToken, refreshToken = old.refreshToken } = (await this.#store.get()) ?? {}
    if (accessToken !== old.accessToken || refreshToken !== old.refreshToken) return false
    await this.#store.set(tokens)
    return true
  }

  #use(tokens: TokenSet): TokenSet {
    this.#cached = tokens
    this.#spent = undefined
    return tokens
  }

  /** Ends the session, and removes the refresh token from the store, so that no process sends it again. */
  async #end(stored: TokenSet, reason: ReauthorizationReason): Promise<never> {
    this.#spent = { accessToken: stored.accessToken, reason }
    const rest = { ...stored, refreshToken: undefined, refreshSentAt: undefined }
    await this.#replace(stored, rest).catch(() => {})
    throw new ReauthorizationRequiredError(reason)
  }

  /** Runs work on the tokens one at a time, in this session and in all others that share the store. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(() => (this.#store.lock ? this.#store.lock(work) : work()))
    this.#lastTurn = turn.catch(() => {})
    return turn
  }
}

/** Maximum number of requests for one refresh. */
const maxAttempts = 3

/** Longest wait between them, in milliseconds. If the server asks for more, the refresh fails. */
const maxWaitMs = 10_000

/** How long to wait before the next attempt, in milliseconds; undefined if there is none. */
function retryDelay({ reason, status = 0, retryAfter = 0 }: OAuthError, attempt: number): number | undefined {
  const isTemporary = reason === 'unreachable' || status === 429 || status >= 500
  // Random, so that processes that fail together do not retry together.
  const delay = Math.max(retryAfter * 1000, 500 * attempt * (1 + Math.random()))
  return isTemporary && attempt < maxAttempts && delay <= maxWaitMs ? delay : undefined
}
