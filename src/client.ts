import type { Credits } from './core/ledger.ts'
import { Transport, createTransport } from './core/transport.ts'
import { ConfigurationError } from './errors.ts'
import type { ClientOptions, SharedOptions } from './options.ts'
import { type Microblog, microblog } from './resources/microblog.ts'

/** A client of the Social Search and Organization Data API, for one organization. */
export class SocialSearch {
  /** The microblog network. */
  readonly microblog: Microblog
  readonly #transport: Transport

  /**
   * @param options Options, or a transport to put all resources on.
   * @throws {ConfigurationError} for options that cannot work; the message holds no secret.
   */
  constructor(options: ClientOptions | Transport) {
    this.#transport = options instanceof Transport ? options : createTransport(options)
    this.microblog = microblog(this.#transport)
  }

  /**
   * A client for the base address in `SOCIAL_SEARCH_BASE_URL` and the key in `SOCIAL_SEARCH_API_KEY`. Nothing else in
   * this package reads the environment.
   *
   * @throws {ConfigurationError} if either is missing.
   */
  static fromEnv(options: Omit<ClientOptions, 'baseUrl' | 'apiKey' | 'auth'> = {}): SocialSearch {
    const { process } = globalThis as { process?: { env: Record<string, string | undefined> } }
    const read = (name: string): string => {
      const value = process?.env[name]
      if (value === undefined || value === '')
        throw new ConfigurationError(`the environment variable ${name} is not set`)
      return value
    }
    return new this({
      ...options,
      baseUrl: read('SOCIAL_SEARCH_BASE_URL'),
      apiKey: read('SOCIAL_SEARCH_API_KEY'),
    })
  }

  /** What the calls of this client and its relatives have cost so far, in credits; a copy. */
  get credits(): Credits {
    return this.#transport.credits
  }

  /** A client with other options, which shares limits, ledger, credential and closing with this one. */
  withOptions(options: SharedOptions): SocialSearch {
    return new (this.constructor as typeof SocialSearch)(this.#transport.withOptions(options))
  }

  /** Ends every pending call with a `ClosedError` and refuses further ones; resolves when all have settled. */
  close(): Promise<void> {
    return this.#transport.close()
  }
}
