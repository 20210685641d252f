import { ConfigurationError } from '../errors.ts'
import { type Redactor, remember } from './redact.ts'

/** Provides bearer tokens; an OAuth session is one. */
export interface AuthProvider {
  /** The token to send now. Called before each attempt, so it should answer from memory where it can. */
  token(): string | Promise<string>
  /**
   * Gets a new token after the service has refused one with a 401. One refresh serves all calls that were refused
   * the same token; afterwards `token()` must give the new one. Without this method a 401 is final.
   */
  refresh?(refused: string): Promise<unknown>
}

/** The credential of one client: a checked token for each attempt, and one shared refresh. */
export class Credential {
  readonly #provider: AuthProvider | null
  readonly #redactor: Redactor
  #refreshing: Promise<unknown> | undefined
  /** Tokens whose refresh has been started; late answers may still name one. */
  readonly #refused = new Set<string>()

  constructor(provider: AuthProvider | null, redactor: Redactor) {
    this.#provider = provider
    this.#redactor = redactor
  }

  get refreshable(): boolean {
    return this.#provider?.refresh !== undefined
  }

  /** The token for the next attempt; undefined for a client without a credential. */
  async token(): Promise<string | undefined> {
    if (this.#provider === null) return undefined
    await this.#refreshing
    const token: unknown = await this.#provider.token()
    assertToken(token, 'the token')
    this.#redactor.add(token)
    return token
  }

  /** Has the provider replace a refused token, unless another call already has. */
  async refresh(refused: string | undefined): Promise<void> {
    if (refused !== undefined && !this.#refused.has(refused)) {
      remember(this.#refused, refused)
      this.#refreshing = this.#provider?.refresh?.(refused).finally(() => (this.#refreshing = undefined))
    }
    await this.#refreshing
  }
}

/**
 * Refuses what cannot be sent in a header. Some runtimes print the value in their own error, so it must not reach
 * them; the message here never holds it.
 */
export function assertToken(token: unknown, name: string): asserts token is string {
  if (typeof token !== 'string') throw new ConfigurationError(`${name} must be a string, got ${typeof token}`)
  if (token === '') throw new ConfigurationError(`${name} is empty`)
  const position = token.search(/[^\x21-\x7e]/)
  if (position !== -1) {
    throw new ConfigurationError(
      `${name} must be printable ASCII without spaces or line breaks; character ${position + 1} of ${token.length} is not`,
    )
  }
}
