import { ConfigurationError } from '../../errors.ts'
import type { Redactor } from '../lib/redact.ts'

/** Provides bearer tokens; an OAuth session is one. */
export interface AuthProvider {
  /** The token to send now. Called before each attempt, and again after a queue, so it should answer from memory. */
  token(): string | Promise<string>
  /**
   * Gets a new token after the service has refused one with a 401. One refresh serves all calls that were refused
   * the same token; afterwards `token()` must give the new one. Without this method a 401 is final.
   */
  refresh?(refused: string): Promise<unknown>
}

/** Where the tokens of one provider stand; clients that share a provider share this. */
interface Renewal {
  /** The token that was given out last, until it has been replaced. */
  current: string | undefined
  underWay: Promise<unknown> | undefined
}

const renewals = new WeakMap<AuthProvider, Renewal>()

/** The credential of one client: a checked token for each attempt, and one refresh for everybody who needs it. */
export class Credential {
  /** The token of every attempt: null for none, undefined if `token()` has to be asked. */
  readonly fixed: string | null | undefined
  readonly #provider: AuthProvider | undefined
  readonly #redactor: Redactor
  readonly #renewal: Renewal

  /** @param source A provider, a key, or null for no credential. */
  constructor(source: AuthProvider | string | null, redactor: Redactor) {
    const provider = typeof source === 'object' && source !== null ? source : undefined
    this.fixed = provider === undefined ? (source as string | null) : undefined
    this.#provider = provider
    this.#redactor = redactor
    this.#renewal = (provider && renewals.get(provider)) ?? { current: undefined, underWay: undefined }
    if (provider !== undefined) renewals.set(provider, this.#renewal)
  }

  get refreshable(): boolean {
    return this.#provider?.refresh !== undefined
  }

  /** The token for the next attempt. */
  async token(): Promise<string | null> {
    if (this.fixed !== undefined) return this.fixed
    await this.#renewal.underWay
    const token: unknown = await this.#provider?.token()
    assertToken(token, 'the token')
    this.#redactor.add(token)
    this.#renewal.current = token
    return token
  }

  /** Has the provider replace a refused token, unless another call already has. */
  async refresh(refused: string): Promise<void> {
    const renewal = this.#renewal
    if (renewal.underWay === undefined && refused === renewal.current) {
      renewal.underWay = Promise.resolve()
        .then(() => this.#provider?.refresh?.(refused))
        .then(() => (renewal.current = undefined))
        .finally(() => (renewal.underWay = undefined))
    }
    await renewal.underWay
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
      `${name} must be printable ASCII without spaces; character ${position + 1} of ${token.length} is not`,
    )
  }
}
