import type { AuthProvider } from '../../index.ts'
import { sleep } from '../../lib/time.ts'
import {
  OAuthError,
  type ReauthorizationReason,
  ReauthorizationRequiredError,
  TokenStoreError,
} from '../../errors/index.ts'
import type { Protocol } from './protocol.ts'
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
  readonly #protocol: Protocol
  /** The tokens last read from the store. */
  #cached: TokenSet | undefined
  /** The access token that the service rejected, until there is a new one. */
  #rejected: string | undefined
  /** The access token with which this session ended. */
  #ended: { accessToken: string; reason: ReauthorizationReason } | undefined
  /** Tokens that are not stored yet, and those they replace. */
  #unsaved: { tokens: TokenSet; replaced: TokenSet } | undefined
  #renewing: Promise<TokenSet> | undefined
  /** Until when not to renew early, in monotonic milliseconds. */
  #pausedUntil = -Infinity
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(store: TokenStore, protocol: Protocol) {
    this.#store = store
    this.#protocol = protocol
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
    try {
      return (await this.#renewOnce()).accessToken
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
    if (this.#cached?.accessToken === refused) this.#rejected = refused
    await this.token()
  }

  /** Stores the tokens of a new authorization, in place of the old one. */
  async replace(tokens: TokenSet): Promise<void> {
    assertBoundTo(this.#protocol.binding, tokens, 'the new tokens are')
    const bound = { ...tokens, boundTo: this.#protocol.binding }
    await this.#exclusively(async () => {
      await this.#store.set(bound)
      this.#unsaved = undefined
      this.#use(bound)
    })
  }

  /** Whether a token can still be sent. */
  #isUsable({ accessToken, refreshToken, expiresAt }: TokenSet): boolean {
    if (accessToken === this.#rejected || accessToken === this.#ended?.accessToken) return false
    // Without a refresh token, use the token until the service rejects it: this machine's clock may be wrong.
    return expiresAt === undefined || refreshToken === undefined || Date.now() < expiresAt
  }

  /** Whether a token can be sent without renewing it first. */
  #isFresh(tokens: TokenSet): boolean {
    const { refreshToken, obtainedAt, expiresAt } = tokens
    if (!this.#isUsable(tokens)) return false
    if (expiresAt === undefined || refreshToken === undefined) return true
    if (performance.now() < this.#pausedUntil) return true
    const leeway = Math.min(leewayMs, (expiresAt - obtainedAt) / 2)
    return Date.now() < expiresAt - leeway
  }

  #renewOnce(): Promise<TokenSet> {
    this.#renewing ??= this.#exclusively(() => this.#renew()).finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  /** Reads the store again before each attempt: the tokens may have changed since, without a lock or after its loss. */
  async #renew(attempt = 1): Promise<TokenSet> {
    const stored = await this.#read()
    if (stored === null) throw new ReauthorizationRequiredError('no_tokens')
    if (this.#isFresh(stored)) return this.#use(stored)
    const { accessToken, refreshToken, scope } = stored
    if (accessToken === this.#ended?.accessToken) throw new ReauthorizationRequiredError(this.#ended.reason)
    if (refreshToken === undefined) throw new ReauthorizationRequiredError('no_refresh_token')
    if (stored.refreshSentAt !== undefined) return this.#end(stored, 'lost')
    // If this process dies now, the next one must not send the token again: servers may take that for theft.
    await this.#store.set({ ...stored, refreshSentAt: Date.now() })
    let tokens: TokenSet
    try {
      const renewed = await this.#protocol.refresh({ refreshToken, accessToken })
      // The server may omit an unchanged refresh token or scope.
      tokens = { refreshToken, ...(scope !== undefined && { scope }), ...renewed }
    } catch (error) {
      const known = error instanceof OAuthError ? error : undefined
      if (known?.reason === 'invalid_grant') return this.#end(stored, 'refused')
      if (known?.processed !== 'no') return this.#end(stored, 'lost')
      // The error of the refresh matters more than one of the store.
      await this.#replace(stored, stored).catch(() => {})
      const delay = retryDelay(known, attempt)
      if (delay === undefined) throw error
      await sleep(delay)
      return this.#renew(attempt + 1)
    }
    this.#unsaved = { tokens, replaced: stored }
    return (await this.#read()) === tokens ? tokens : this.#renew()
  }

  /** Reads the store, after it has stored tokens that are still unsaved: a lost refresh token would end the authorization. */
  async #read(): Promise<TokenSet | null> {
    const { tokens, replaced } = this.#unsaved ?? {}
    if (tokens && replaced && (await this.#replace(replaced, tokens))) this.#use(tokens)
    else {
      const stored: unknown = (await this.#store.get()) ?? null
      if (stored !== null) {
        assertTokenSet(stored, 'the token store')
        assertBoundTo(this.#protocol.binding, stored, 'the token store holds tokens')
      }
      this.#cached = stored ?? undefined
    }
    this.#unsaved = undefined
    return this.#cached ?? null
  }

  /** Replaces tokens in the store, unless others have replaced or removed them. */
  async #replace(old: TokenSet, tokens: TokenSet): Promise<boolean> {
    const { accessToken, refreshToken = old.refreshToken } = (await this.#store.get()) ?? {}
    if (accessToken !== old.accessToken || refreshToken !== old.refreshToken) return false
    await this.#store.set(tokens)
    return true
  }

  #use(tokens: TokenSet): TokenSet {
    this.#cached = tokens
    this.#rejected = undefined
    this.#ended = undefined
    return tokens
  }

  /** Ends the session, and removes the refresh token from the store, so that no process sends it again. */
  async #end(stored: TokenSet, reason: ReauthorizationReason): Promise<TokenSet> {
    this.#ended = { accessToken: stored.accessToken, reason }
    const rest = { ...stored, refreshToken: undefined, refreshSentAt: undefined }
    // Without a lock, another process may have renewed first.
    const isOurs = await this.#replace(stored, rest).catch(() => true)
    return isOurs ? Promise.reject(new ReauthorizationRequiredError(reason)) : this.#renew()
  }

  /** Runs work on the tokens one at a time, in this session and in all others that share the store. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(() => (this.#store.lock ? runLocked(this.#store, work) : work()))
    this.#lastTurn = turn.catch(() => {})
    return turn
  }
}

/** The result of the work; a lock of your own may not pass it on. */
async function runLocked<T>(store: TokenStore, work: () => Promise<T>): Promise<T> {
  let done: { readonly result: T } | undefined
  await store.lock?.(async () => {
    done = { result: await work() }
    return done.result
  })
  if (done === undefined) throw new TokenStoreError('lock() of the token store has not run the work')
  return done.result
}

/** Maximum number of requests for one refresh. */
const maxAttempts = 3

/** Longest wait between them, in milliseconds. If the server asks for more, the refresh fails. */
const maxWaitMs = 10_000

/** How long to wait before the next attempt, in milliseconds; undefined if there is none. */
function retryDelay({ reason, status = 0, retryAfter = 0 }: OAuthError, attempt: number): number | undefined {
  const isUnavailable = reason === 'unreachable' || reason === 'temporarily_unavailable'
  const isTemporary = isUnavailable || status === 429 || status >= 500
  // Random, so that processes that fail together do not retry together.
  const delay = Math.max(retryAfter * 1000, 500 * attempt * (1 + Math.random()))
  return isTemporary && attempt < maxAttempts && delay <= maxWaitMs ? delay : undefined
}
