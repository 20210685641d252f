import type { CallOptions, ClientOptions, CommonOptions } from './core/options/types.ts'
import type { OpenRecord } from './api/undocumented.ts'
import { type OperationId, type ParamsOf, operationOf, operations } from './api/operations.ts'
import type { ApiCall } from './core/pages/api-call.ts'
import { assertOptions } from './errors/check-options.ts'
import type { Credits } from './core/credits/ledger.ts'
import type { ClientStatus } from './core/call/open-calls.ts'
import { type Quote, type QuoteOptions, quoteOf } from './core/credits/quote.ts'
import { ClientTransport, type Transport, clientTransport, createTransport } from './core/call/transport.ts'
import { failingOptions } from './core/options/resolve.ts'
import { ConfigurationError } from './errors/index.ts'
import { showAs } from './lib/inspect.ts'
import { type CreditRates, openapi, readCreditRates } from './resources/description.ts'
import { type Feeds, feeds } from './resources/feeds.ts'
import { type Listeners, listeners } from './resources/listeners.ts'
import { type Mentions, mentions } from './resources/mentions.ts'
import { type Microblog, microblog } from './resources/microblog.ts'
import { type Organization, organization } from './resources/organization.ts'
import { type Professionalnet, professionalnet } from './resources/professionalnet.ts'
import { type Technews, technews } from './resources/technews.ts'

declare global {
  // For users whose TypeScript libraries end before `await using`.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
}

/** Rejects unknown operation ids, which would otherwise be ignored. */
function assertIds({ prices = {}, limits: { surfaces = {} } = {} }: ClientOptions): void {
  const known = Object.fromEntries(operations.map(({ id }) => [id, true]))
  assertOptions(prices, known, 'prices')
  assertOptions(surfaces, known, 'limits.surfaces')
}

/**
 * A client of the Social Search and Organization Data API, for one organization.
 *
 * @example
 * const client = new SocialSearch({ baseUrl: 'https://api.example.com/v1', apiKey })
 * for await (const post of client.microblog.search({ query: 'typescript' }, { limit: 100 })) console.log(post.body)
 */
export class SocialSearch {
  /** The microblog network. */
  readonly microblog: Microblog
  /** The professional network. */
  readonly professionalnet: Professionalnet
  /** The tech news site. */
  readonly technews: Technews
  /** What the organization's listeners have found. */
  readonly mentions: Mentions
  /** The organization's brand and keyword monitors. */
  readonly listeners: Listeners
  /** The organization's saved views. */
  readonly feeds: Feeds
  /** The organization itself. */
  readonly organization: Organization
  readonly #transport: ClientTransport

  /**
   * Makes a client for one organization. Sends nothing before the first call.
   *
   * @throws {ConfigurationError} for invalid options; the message contains no secret.
   */
  constructor(options: ClientOptions) {
    // withOptions() gives a transport. In the type, it would offer its methods while somebody types options.
    const given: unknown = options
    const isTransport = given instanceof ClientTransport
    this.#transport = isTransport ? given : clientTransport(createTransport(options))
    if (!isTransport) assertIds(options)
    this.microblog = microblog(this.#transport)
    this.professionalnet = professionalnet(this.#transport)
    this.technews = technews(this.#transport)
    this.mentions = mentions(this.#transport)
    this.listeners = listeners(this.#transport)
    this.feeds = feeds(this.#transport)
    this.organization = organization(this.#transport)
    showAs(this, (_depth, options, inspect) => {
      const shown = { credits: this.credits, ...this.status() }
      return `${this.constructor.name} ${inspect(shown, { ...options, depth: 5 })}`
    })
  }

  /**
   * Makes a client from the environment: the base URL is `SOCIAL_SEARCH_BASE_URL`, the key `SOCIAL_SEARCH_API_KEY`. If
   * either is missing, each call fails with a {@link ConfigurationError}, so a build can load a module without the
   * variables of its server. No other import of this package reads the environment.
   */
  static fromEnv(options: Omit<ClientOptions, 'baseUrl' | 'apiKey' | 'auth'> = {}): SocialSearch {
    const { process } = globalThis as { process?: { env: Record<string, string | undefined> } }
    const { SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: apiKey } = process?.env ?? {}
    if (baseUrl && apiKey) return new this({ ...options, baseUrl, apiKey })
    const missing = baseUrl ? 'SOCIAL_SEARCH_API_KEY' : 'SOCIAL_SEARCH_BASE_URL'
    return new this(failingOptions(options, `the environment variable ${missing} is not set`))
  }

  /** The credits that calls of this client have cost, including calls of clients made by `withOptions()`; a copy. */
  get credits(): Credits {
    return this.#transport.credits
  }

  /** What calls wait for, by surface; includes calls of clients made by `withOptions()`; a copy. */
  status(): ClientStatus {
    return this.#transport.status()
  }

  /**
   * Returns the most that a call can cost, at this client's `prices`, and the time that it takes at least, at its `limits`.
   * Sends nothing. Each page counts once, so `retry: { ambiguous: true }` may cost more.
   *
   * @param id Id of the operation, such as `microblog.search`.
   * @param params Params of the call, or the id of a record.
   * @throws {InvalidRequestError} if the params are outside the documented bounds.
   * @example
   * client.quote('microblog.search', { query: 'typescript' }, { pages: 50 }) // { atMost: 100, duration: 120_000, … }
   */
  quote<Id extends OperationId>(
    id: Id,
    params: ParamsOf<Id> = {} as ParamsOf<Id>,
    options?: QuoteOptions,
  ): Quote {
    const operation = operationOf(id)
    if (operation === undefined)
      throw new ConfigurationError(
        `unknown operation ${id}; expected one of ${operations.map(({ id }) => id).join(', ')}`,
      )
    const given: object | string = params
    const isId = typeof given === 'string'
    const request = this.#transport.compose(operation, isId ? {} : given, isId ? given : undefined)
    const configured = this.#transport.configured(operation, request)
    return quoteOf(configured, this.#transport.perMinute, request.maxItems, options)
  }

  /** Sends the calls of this client. Pass it to a proxy, or to functions such as `microblog()`. */
  get transport(): Transport {
    return this.#transport
  }

  /**
   * Returns a client with other options. It shares limits, ledger, credential and `close()` with this one. `budget`, `headers`,
   * `hooks` and `observers` add to the current ones, and a header replaces one of the same name. Other options, such as
   * `timeout`, replace the current ones.
   */
  withOptions(options: CommonOptions): SocialSearch {
    const transport: unknown = this.#transport.withOptions(options)
    return new (this.constructor as typeof SocialSearch)(transport as ClientOptions)
  }

  /** Fetches the service's description of itself, OpenAPI 3.1 (`GET /openapi.json`). Free. */
  openapi(options?: CallOptions): ApiCall<OpenRecord> {
    return openapi(this.#transport, options)
  }

  /**
   * Reads the published credit rates (`GET /openapi.json`), and lists those that differ from the rates assumed here.
   * Free.
   */
  creditRates(options?: CallOptions): Promise<CreditRates> {
    return readCreditRates(this.#transport, options)
  }

  /** Ends every pending call with a `ClosedError` and refuses new ones. Resolves when all calls have settled. */
  close(): Promise<void> {
    return this.#transport.close()
  }

  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
