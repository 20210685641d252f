import type { AuthProvider } from '../core/http/credential.ts'
import { OAuthError, type ReauthorizationReason, ReauthorizationRequiredError } from '../errors.ts'
import type { Protocol } from './protocol.ts'
import { Pause, isLost, renew } from './renewal.ts'
import { type TokenSet, type TokenStore, assertTokenSet } from './store.ts'

/**
 * Access tokens of one authorization, renewed ahead of their end and after a 401; pass it as `auth` to any number of
 * clients. One refresh serves everybody who waits for it, and goes on when they stop waiting.
 */
export class OAuthSession implements AuthProvider {
  readonly #store: TokenStore
  readonly #protocol: Protocol
  readonly #leewayMs: number
  readonly #pause = new Pause()
  /** What the store held when it was last looked at. */
  #known: TokenSet | undefined
  /** The access token that the service refused, until there is another one. */
  #refused: string | undefined
  /** The access token with which this session ended. */
  #ended: { accessToken: string; reason: ReauthorizationReason } | undefined
  /** Tokens that could not be stored, and the access token they replace. */
  #unsaved: { tokens: TokenSet; replaced: string } | undefined
  #renewing: Promise<TokenSet> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: TokenStore, protocol: Protocol, leewayMs: number) {
    this.#store = store
    this.#protocol = protocol
    this.#leewayMs = leewayMs
  }

  /**
   * The access token to send now, from memory where it is still good.
   *
   * @throws {ReauthorizationRequiredError} until an `exchange` has brought new tokens.
   * @throws {OAuthError} @throws {TokenStoreError}
   */
  async token(): Promise<string> {
    if (this.#known && this.#isGood(this.#known)) return this.#known.accessToken
    try {
      return (await this.#renewed()).accessToken
    } catch (error) {
      // A renewal ahead of time may fail: the token has not ended yet.
      const known = this.#known
      if (!known || error instanceof ReauthorizationRequiredError || !this.#works(known)) throw error
      this.#pause.start(error)
      return known.accessToken
    }
  }

  /** Replaces a token that the service refused with a 401, unless that has happened already. */
  async refresh(refused: string): Promise<void> {
    if (this.#known?.accessToken === refused) this.#refused = refused
    await this.token()
  }

  /** Takes the tokens of a new authorization, which end the old one. */
  replace(tokens: TokenSet): Promise<void> {
    return this.#alone(async () => {
      await this.#store.set(tokens)
      this.#unsaved = undefined
      this.#adopt(tokens)
    })
  }

  /** Whether a token can be sent for all that is known. */
  #works({ accessToken, refreshToken, expiresAt }: TokenSet): boolean {
    if (accessToken === this.#refused || accessToken === this.#ended?.accessToken) return false
    // What cannot be renewed is used until the service refuses it: this machine's clock may be wrong.
    return expiresAt === undefined || refreshToken === undefined || Date.now() < expiresAt
  }

  /** Whether a token should be sent, rather than renewed first. */
  #isGood(tokens: TokenSet): boolean {
    const { refreshToken, obtainedAt, expiresAt } = tokens
    if (!this.#works(tokens)) return false
    if (expiresAt === undefined || refreshToken === undefined || this.#pause.holds) return true
    const leeway = Math.min(this.#leewayMs, (expiresAt - obtainedAt) / 2)
    return Date.now() < expiresAt - leeway
  }

  #renewed(): Promise<TokenSet> {
    this.#renewing ??= this.#alone(() => this.#renew()).finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  async #renew(): Promise<TokenSet> {
    const stored = await this.#read()
    if (stored === null) throw new ReauthorizationRequiredError('no_tokens')
    if (this.#isGood(stored)) return this.#adopt(stored)
    const { accessToken, refreshToken } = stored
    if (accessToken === this.#ended?.accessToken) throw new ReauthorizationRequiredError(this.#ended.reason)
    if (refreshToken === undefined) throw new ReauthorizationRequiredError('no_refresh_token')
    try {
      const tokens = await renew(this.#protocol, stored, refreshToken)
      this.#unsaved = { tokens, replaced: accessToken }
    } catch (error) {
      const refused = error instanceof OAuthError && error.reason === 'invalid_grant'
      if (!refused && !isLost(error)) throw error
      return this.#end(stored, refused ? 'refused' : 'lost')
    }
    return this.#save(stored)
  }

  /** Reads the store, and completes what could not be stored before unless the store has moved on. */
  async #read(): Promise<TokenSet | null> {
    const stored: unknown = (await this.#store.get()) ?? null
    if (stored === null) return null
    assertTokenSet(stored, 'the token store')
    this.#known = stored
    return this.#save(stored)
  }

  /** Stores new tokens before anybody gets to use them: one that was used and forgotten would end the authorization. */
  async #save(stored: TokenSet): Promise<TokenSet> {
    const unsaved = this.#unsaved
    if (unsaved?.replaced === stored.accessToken) {
      await this.#store.set(unsaved.tokens)
      stored = this.#adopt(unsaved.tokens)
    }
    this.#unsaved = undefined
    return stored
  }

  #adopt(tokens: TokenSet): TokenSet {
    this.#known = tokens
    this.#refused = undefined
    this.#ended = undefined
    return tokens
  }

  /** Ends the session, and keeps all who share the store from sending the refresh token again. */
  async #end(stored: TokenSet, reason: ReauthorizationReason): Promise<TokenSet> {
    this.#ended = { accessToken: stored.accessToken, reason }
    // In a store without a lock another process may have been first.
    const later = await this.#read()
    if (later?.refreshToken !== stored.refreshToken) return this.#renew()
    const rest: { -readonly [Name in keyof TokenSet]: TokenSet[Name] } = { ...stored }
    delete rest.refreshToken
    try {
      await this.#store.set(rest)
    } catch {
      // That the user has to authorize again matters more.
    }
    throw new ReauthorizationRequiredError(reason)
  }

  /** Runs work on the tokens one at a time, in this session and among all that share the store. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => (this.#store.lock ? this.#store.lock(work) : work()))
    this.#last = turn.catch(() => {})
    return turn
  }
}
