import { ConfigurationError } from '../../errors.ts'
import type { Redactor } from '../lib/redact.ts'

/** Provides bearer tokens; an OAuth session is one. */
export interface AuthProvider {
  /**
   * Returns the current token. The client calls it before each attempt and after a long wait in the queue, so answer
   * from memory.
   */
  token(): string | Promise<string>
  /**
   * Gets a new token after a 401. One refresh serves all calls with the refused token; afterwards `token()` must return
   * the new one. Without this method, a 401 is not retried.
   */
  refresh?(refused: string): Promise<unknown>
}

/** The token of one provider; all clients of the provider share it. */
interface Renewal {
  /** The latest token; undefined after a refresh. */
  current: string | undefined
  underWay: Promise<unknown> | undefined
}

const renewals = new WeakMap<AuthProvider, Renewal>()

/** The credential of one client. It checks tokens, and refreshes once for all calls that need it. */
export class Credential {
  /** A constant token: null for none, undefined if a provider must be asked. */
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

  async token(): Promise<string | null> {
    if (this.fixed !== undefined) return this.fixed
    await this.#renewal.underWay
    const token: unknown = await this.#provider?.token()
    assertToken(token, 'the token')
    this.#redactor.add(token)
    this.#renewal.current = token
    return token
  }

  /** Refreshes a refused token, unless another call already has. */
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
 * Rejects a token that cannot be sent in a header. The message never contains it, unlike the errors of some runtimes.
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
