/**
 * The tokens of one authorization, as all processes share them in a store. A refresh token works once, and a server may take a second
 * use for theft. So a process says in the store that it will send the token before it does. The stored tokens are in one of these
 * states, and move from one to another only if nobody else has moved them first:
 *
 * - **fresh**: each process uses the access token. Shortly before it expires, or after a 401, one process marks the tokens as sent.
 * - **sent** (`refreshSentAt`): the process that marked them sends the refresh token. The others use the access token while it lasts,
 *   and then wait. That process makes the tokens replaced, refused or lost, or fresh again if the server did not process the refresh.
 *   If it has died, any other one makes them lost after a minute.
 * - **replaced**: the new tokens are in the store, and fresh. They replace tokens that are lost, too. Until the store has them, the
 *   process that got them is the only one that uses them (`#unstored`).
 * - **lost**, **refused** (`endReason`): nobody knows whether the server has used up the refresh token, or the server does not take it.
 *   The session ends in all processes.
 *
 * In each state, a new authorization makes the tokens fresh, and a sign-out removes them.
 *
 * Besides that, a session knows for its own process: which refreshes it has not sent although the store says so (`#unsent`, until it sends
 * one), which access token the service has refused (`#refused`, until it has another), that the tokens were replaced or removed while it
 * worked (`#signOuts`), and until when a failed early refresh is not tried again (`#pausedUntil`).
 */
import type { AuthProvider } from '../../index.ts'
import { type Failing, nextWait } from '../../extend.ts'
import { type ChangeText, textKey, updateWithin } from '../shared/store.ts'
import { Redactor } from '../../lib/redactor.ts'
import { isTiedToRequests } from '../../lib/runtime.ts'
import { sleep } from '../../lib/time.ts'
import {
  OAuthError,
  type ReauthorizationReason,
  ReauthorizationRequiredError,
  TokenStoreError,
} from '../../errors/index.ts'
import { messageOf } from '../../lib/thrown.ts'
import { type OAuthSettings, refreshMs, requestTokens } from './protocol.ts'
import { type TokenSet, tokensIn } from './settings.ts'

/** How long before its end to renew a token, in milliseconds; at most half of its lifetime. */
const leewayMs = 60_000

/** How long the store may take to reply, in milliseconds. */
const storeMs = 10_000

/** How often to look whether another process has renewed the tokens, in milliseconds. */
const pollMs = 100

/** Retries follow the kernel's table of failures. If the server asks for a longer wait, a refresh fails. */
const retry = { maxAttempts: 3, maxWaitMs: 10_000, retriesUnknown: false }

/** What a refresh has brought, and what it takes the place of in the store. */
interface Unstored {
  readonly tokens: TokenSet
  readonly before: readonly TokenSet[]
  /** How often the session had been signed out by then. */
  readonly signOuts: number
}

/**
 * The access tokens of one authorization, renewed before they expire and after a 401. Pass it as `auth` to any number of
 * clients. All waiting calls share one refresh, which continues if they are cancelled.
 *
 * @example
 * const client = new SocialSearch({ baseUrl, auth: oauth.session() })
 */
export class OAuthSession implements AuthProvider {
  readonly #settings: OAuthSettings
  /** Names the tokens. The store gets a hash of it. */
  readonly #name: string
  /** The tokens last read from the store. */
  #cached: TokenSet | undefined
  /** An access token not to use again: the service rejected it, or the session ended with it. */
  #refused: string | undefined
  #renewing: Promise<TokenSet> | undefined
  /** Counts when sign-outs begin and end: tokens that were read or renewed meanwhile are not used. */
  #signOuts = 0
  /** The `refreshSentAt` of refreshes that were not sent, or not processed: the store failed, and may have one nevertheless. */
  readonly #unsent = new Set<number>()
  /** What the last refresh has brought, until the store has it in place of what it had before. */
  #unstored: Unstored | undefined
  /** Knows the tokens that the store may have: its errors may repeat what it has, or what it could not write. */
  #redactor = new Redactor()
  /** Until when not to renew early, in monotonic milliseconds. */
  #pausedUntil = -Infinity
  /** When a token was last wanted, in monotonic milliseconds. */
  #usedAt = -Infinity

  /**
   * @internal
   * @param user Whose tokens they are.
   */
  constructor(settings: OAuthSettings, user: string) {
    this.#settings = settings
    // Tokens of another client or service have another name, so that they never come to this one.
    const { server, issuer = server.token_endpoint ?? '', clientId, resource } = settings
    this.#name = JSON.stringify([new URL(issuer).href, clientId, resource, user])
  }

  /**
   * Returns the access token to send, from memory while it is fresh.
   *
   * @throws {ReauthorizationRequiredError} until an `exchange` has brought new tokens.
   * @throws {OAuthError}
   * @throws {TokenStoreError}
   */
  async token(): Promise<string> {
    this.#usedAt = performance.now()
    if (this.#cached && this.#isFresh(this.#cached)) return this.#cached.accessToken
    // In Cloudflare's workers, no call may wait for what belongs to the request of another: they renew like processes.
    const renewing = isTiedToRequests()
      ? this.#renew()
      : (this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined)))
    try {
      return (await renewing).accessToken
    } catch (error) {
      // An early renewal may fail: the token has not expired yet.
      const cached = this.#cached
      if (!cached || error instanceof ReauthorizationRequiredError || !this.#isUsable(cached)) throw error
      const { retryAfter = 0 } = error instanceof OAuthError ? error : {}
      this.#pausedUntil = performance.now() + Math.max(retryAfter * 1000, retry.maxWaitMs)
      return cached.accessToken
    }
  }

  /** Replaces a token that the service rejected with a 401, unless it was replaced already. */
  async refresh(refused: string): Promise<void> {
    if (this.#cached?.accessToken === refused) this.#refused = refused
    await this.token()
  }

  /** Stores the tokens of a new authorization, in place of the old one. */
  async replace(tokens: TokenSet): Promise<void> {
    await this.#update(() => ({ value: JSON.stringify(tokens), result: undefined }))
    this.#forget()
    this.#use(tokens)
  }

  /**
   * Removes the tokens from the store, and returns them, so that you can revoke them at the authorization server.
   *
   * @throws {TokenStoreError}
   */
  async signOut(): Promise<TokenSet | null> {
    if (this.#unstored) await this.#storeRenewed()
    this.#forget()
    const tokens = await this.#update((text) => ({ value: '', result: tokensIn(text) ?? null }))
    this.#forget()
    return tokens
  }

  /** @internal Whether it was used after a time, or knows of a refresh what the store does not have. */
  isNeededAfter(time: number): boolean {
    return this.#usedAt > time || this.#unstored !== undefined || this.#unsent.size > 0
  }

  /** Whether a token can be sent, and does not expire within `leeway` milliseconds. */
  #isUsable({ accessToken, refreshToken, expiresAt = Infinity, endReason }: TokenSet, leeway = 0): boolean {
    if (accessToken === this.#refused || endReason !== undefined) return false
    // Without a refresh token, use the token until the service rejects it: this machine's clock may be wrong.
    return refreshToken === undefined || Date.now() < expiresAt - leeway
  }

  /** Whether a token can be sent without renewing or storing it first. */
  #isFresh(tokens: TokenSet): boolean {
    const { obtainedAt, expiresAt = Infinity } = tokens
    const isPaused = performance.now() < this.#pausedUntil
    if (this.#unstored !== undefined && !isPaused) return false
    return this.#isUsable(tokens, isPaused ? 0 : Math.min(leewayMs, (expiresAt - obtainedAt) / 2))
  }

  /** Reads the store before each step: the tokens may have changed since the last one. */
  async #renew(): Promise<TokenSet> {
    const failures: OAuthError[] = []
    let hasRenewed = false
    for (;;) {
      const signOuts = this.#signOuts
      await this.#storeRenewed()
      const { stored, clock } = await this.#read()
      if (signOuts !== this.#signOuts) continue
      this.#cached = stored ?? undefined
      if (stored === null) throw new ReauthorizationRequiredError('no_tokens')
      if (this.#isFresh(stored)) return this.#use(stored)
      const { refreshToken, refreshSentAt, endReason = 'no_refresh_token' } = stored
      if (refreshToken === undefined) throw new ReauthorizationRequiredError(endReason)
      if (refreshSentAt !== undefined && !this.#unsent.has(refreshSentAt)) {
        // Another process renews them, or has died meanwhile. The clock may have been set.
        if (Math.abs(clock - refreshSentAt) > refreshMs) await this.#end(stored, 'lost')
        else if (this.#isUsable(stored)) return this.#use(stored)
        else await sleep(pollMs)
        continue
      }
      // The server gives the rejected token again, or one that has expired when it is stored: the service may take it, or say why not.
      if (hasRenewed) return this.#use(stored)
      const failure = await this.#refresh(stored, refreshToken, clock)
      hasRenewed = this.#unstored !== undefined
      if (failure === undefined) continue
      failures.push(failure)
      const wait = nextWait(failures.map(failingOf), 'write', retry, Math.random)
      if (wait === null) throw failure
      await sleep(wait)
    }
  }

  /**
   * Sends the refresh token once, unless the store has other tokens now. What it brings is then to be stored.
   *
   * @returns an error if the server did not use up the refresh token.
   */
  async #refresh(stored: TokenSet, refreshToken: string, clock: number): Promise<OAuthError | undefined> {
    // If this process dies now, the next one must not send the token again: servers may take that for theft.
    // The fraction tells it from those of other processes.
    const sent = { ...stored, refreshSentAt: clock + Math.random() }
    try {
      if (!(await this.#replace([stored], sent))) return undefined
    } catch (error) {
      // The store may have it nevertheless.
      this.#unsent.add(sent.refreshSentAt)
      throw error
    }
    this.#unsent.clear()
    const signOuts = this.#signOuts
    try {
      // The server may name the token that it replaces.
      const secrets = [refreshToken, stored.accessToken]
      const renewed = await requestTokens('refresh', this.#settings, { refresh_token: refreshToken }, secrets)
      // Another process may have given up the refresh token meanwhile, or the store may have lost that it was sent.
      const before = [sent, ended(sent, 'lost'), stored]
      // The server may omit an unchanged refresh token.
      this.#unstored = { tokens: { refreshToken, ...renewed }, before, signOuts }
      return undefined
    } catch (error) {
      const { reason, processed } = error as OAuthError
      if (reason === 'invalid_grant') return this.#end(sent, 'refused')
      if (processed !== 'no') return this.#end(sent, 'lost')
      this.#unsent.add(sent.refreshSentAt)
      // The error of the refresh matters more than one of the store.
      await this.#replace([sent], { ...stored, refreshSentAt: undefined }).catch(() => {})
      return error as OAuthError
    }
  }

  /**
   * Stores what the last refresh has brought, unless the store has other tokens now. If it fails, this process alone uses the tokens, and
   * stores them later: the refresh token before them is used up.
   *
   * @throws {TokenStoreError}
   */
  async #storeRenewed(): Promise<void> {
    const unstored = this.#unstored
    if (unstored === undefined) return
    const { tokens, before, signOuts } = unstored
    try {
      await this.#replace(before, tokens)
      this.#unstored = undefined
    } catch (error) {
      const isCurrent = this.#unstored === unstored && signOuts === this.#signOuts
      if (isCurrent && tokens.accessToken !== this.#refused) this.#use(tokens)
      throw error
    }
  }

  /** The clock is the store's: those of machines differ. */
  async #read(): Promise<{ stored: TokenSet | null; clock: number }> {
    const { stored, clock } = await this.#update((text, clock) => ({
      result: { stored: tokensIn(text), clock },
    }))
    if (stored === undefined)
      throw new TokenStoreError('the token store has no usable tokens; authorize again to replace them')
    return { stored, clock }
  }

  /** Replaces tokens in the store, if it has any of some. */
  #replace(before: readonly TokenSet[], tokens: TokenSet): Promise<boolean> {
    const expected = before.map((each) => JSON.stringify(each))
    return this.#update((text) =>
      expected.includes(JSON.stringify(tokensIn(text)))
        ? { value: JSON.stringify(tokens), result: true }
        : { result: false },
    )
  }

  /** @throws {TokenStoreError} */
  async #update<T>(change: ChangeText<T>): Promise<T> {
    const key = await textKey('oauth-1', this.#name)
    const { store } = this.#settings
    const [known, latest] = [this.#redactor, new Redactor()]
    const noted: ChangeText<T> = (text, ...rest) => {
      const changed = change(text, ...rest)
      for (const each of [text, changed.value]) {
        const { accessToken = '', refreshToken = '' } = tokensIn(each) ?? {}
        for (const redactor of [known, latest])
          for (const token of [accessToken, refreshToken]) redactor.add(token)
      }
      return changed
    }
    try {
      const result = await updateWithin(storeMs, async (inTime) => store.update(key, inTime), noted)
      this.#redactor = latest
      return result
    } catch (error) {
      const lack = this.#unstored ? '; until it works, only this process has the latest tokens' : ''
      throw new TokenStoreError(`the token store failed: ${known.text(messageOf(error))}${lack}`)
    }
  }

  #forget(): void {
    this.#signOuts++
    this.#cached = this.#unstored = undefined
  }

  #use(tokens: TokenSet): TokenSet {
    this.#cached = tokens
    this.#refused = undefined
    return tokens
  }

  /**
   * Ends the session of all processes: the store keeps the reason in place of the refresh token. Returns if the user has authorized
   * again meanwhile.
   *
   * @throws {ReauthorizationRequiredError}
   */
  async #end(stored: TokenSet, reason: ReauthorizationReason): Promise<undefined> {
    this.#refused = stored.accessToken
    // If the store fails, it still holds the time of the refresh, so no process sends the token again.
    const isEnded = await this.#replace([stored], ended(stored, reason)).catch(() => true)
    if (isEnded) throw new ReauthorizationRequiredError(reason)
  }
}

function ended(tokens: TokenSet, endReason: ReauthorizationReason): TokenSet {
  return { ...tokens, refreshToken: undefined, refreshSentAt: undefined, endReason }
}

/** A refresh that was not processed, as the failure table knows it. */
function failingOf({ reason, status = 0, retryAfter }: OAuthError): Failing {
  const answered = status === 429 ? 'rate-limited' : status >= 500 ? 'unavailable' : 'refused'
  return {
    kind: reason === 'unreachable' ? 'unsent' : answered,
    announced: retryAfter === undefined ? null : retryAfter * 1000,
  }
}
