import { describeValue } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { isTiedToRequests, ofProcess } from '../../lib/runtime.ts'
import type { Redactor } from '../../lib/redactor.ts'

/** Provides access tokens. An OAuth session is one. */
export interface AuthProvider {
  /**
   * Returns the current token. The client calls it before each attempt, so answer from memory.
   */
  token(): string | Promise<string>
  /**
   * Gets a new token after a 401, once for all calls; then `token()` must return it. Without this method, a 401 is not
   * retried.
   */
  refresh?(refused: string): Promise<unknown>
}

/** The token of one provider; all clients of the provider share it. */
interface TokenState {
  /** The latest token; undefined after a refresh. */
  current: string | undefined
  refreshing: Promise<unknown> | undefined
}

/** Stands for options without which no call can be sent. */
export class NoCredential implements AuthProvider {
  readonly token: () => Promise<never>

  constructor(error: ConfigurationError) {
    this.token = () => Promise.reject(error)
  }
}

const tokenStates = (): WeakMap<AuthProvider, TokenState> => ofProcess('token states 1', () => new WeakMap())

/** The credential of one client. It checks tokens, and refreshes once for all calls that need it. */
export class Credential {
  /** A constant token: null for none, undefined if a provider must be asked. */
  readonly fixed: string | null | undefined
  readonly #provider: AuthProvider | undefined
  readonly #redactor: Redactor
  readonly #state: TokenState
  #randomSecret: string | undefined

  /** @param source A provider, a key, or null for no credential. */
  constructor(source: AuthProvider | string | null, redactor: Redactor) {
    const provider = typeof source === 'object' && source !== null ? source : undefined
    this.fixed = provider === undefined ? (source as string | null) : undefined
    this.#provider = provider
    this.#redactor = redactor
    this.#state = (provider && tokenStates().get(provider)) ?? { current: undefined, refreshing: undefined }
    if (provider !== undefined) tokenStates().set(provider, this.#state)
  }

  /** Whether no call will get a token, so that none queues for it. */
  get isMissing(): boolean {
    return this.#provider instanceof NoCredential
  }

  get refreshable(): boolean {
    return this.#provider?.refresh !== undefined
  }

  async token(): Promise<string | null> {
    if (this.fixed !== undefined) return this.fixed
    await this.#state.refreshing
    const token: unknown = await this.#provider?.token()
    assertToken(token, 'what apiKey or auth returns')
    this.#redactor.renew(token)
    this.#state.current = token
    return token
  }

  /** The key, so that every process with it has the same secret; if tokens change, a random one of this client. */
  get secret(): string {
    return this.fixed ?? (this.#randomSecret ??= crypto.randomUUID())
  }

  /** Refreshes a refused token, unless another call already has. */
  async refresh(refused: string): Promise<void> {
    const state = this.#state
    if (state.refreshing === undefined && refused === state.current) {
      const refreshing = Promise.resolve()
        .then(() => this.#provider?.refresh?.(refused))
        .then(() => (state.current = undefined))
        .finally(() => (state.refreshing = undefined))
      // In Cloudflare's workers, no call may wait for what belongs to the request of another.
      if (!isTiedToRequests()) state.refreshing = refreshing
      await refreshing
    }
    await state.refreshing
  }
}

/**
 * Rejects a token that cannot be sent in a header. The message never contains it, unlike the errors of some runtimes.
 */
export function assertToken(token: unknown, name: string): asserts token is string {
  const refuse = (message: string) => new ConfigurationError(message)
  if (typeof token !== 'string') throw refuse(`${name} must be a string, got ${describeValue(token)}`)
  if (token === '') throw refuse(`${name} is empty`)
  if (/^(["']).*\1$/.test(token)) throw refuse(`${name} is in quotes; remove them`)
  const position = token.search(/[^\x21-\x7e]/)
  if (position === -1) return
  const place = `character ${position + 1} of ${token.length}`
  throw refuse(`${name} must be printable ASCII without spaces; ${place} is not`)
}
