import type { CallOptions, ClientOptions, CommonOptions, SchemaOption } from './core/options/options.ts'
import type { OpenBody, OpenRecord } from './api/endpoints/undocumented.ts'
import { type OperationId, type ParamsOf, operationOf, operations } from './api/operations.ts'
import type { Operation } from './api/operation.ts'
import type { ApiCall } from './core/pages/api-call.ts'
import { assertOptions } from './errors/check-options.ts'
import { ConfigurationError, InvalidRequestError } from './errors/index.ts'
import type { Credits } from './core/credits/budget.ts'
import type { ClientStatus } from './core/call/open-calls.ts'
import { type Quote, type QuoteOptions, quoteOf } from './core/credits/quote.ts'
import {
  type ClientTransport,
  type Transport,
  clientTransport,
  createTransport,
  isTransport,
} from './core/call/transport.ts'
import { failingOptions } from './core/options/client-settings.ts'
import { printAs } from './lib/print.ts'
import { keepSelf, unproxied } from './lib/runtime.ts'
import { type CreditRates, openapi, readCreditRates } from './resources/description.ts'
import { type Feeds, feeds } from './resources/feeds.ts'
import { type Listeners, listeners } from './resources/listeners.ts'
import { type Mentions, mentions } from './resources/mentions.ts'
import { type Microblog, microblog } from './resources/microblog.ts'
import { type Organization, organization } from './resources/organization.ts'
import { type Professionalnet, professionalnet } from './resources/professionalnet.ts'
import { type Endpoint, request } from './resources/request.ts'
import type { OpenParams, Output, SchemaOrType } from './resources/methods.ts'
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
 * A client of the Social Search and Organization Data API, for one organization. It keeps your calls within the rate limits, and retries
 * what is safe.
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
  /** What your organization's listeners found. */
  readonly mentions: Mentions
  /** Your organization's brand and keyword monitors. */
  readonly listeners: Listeners
  /** Your organization's saved views. */
  readonly feeds: Feeds
  /** Your organization's context and credit usage. */
  readonly organization: Organization
  readonly #transport: ClientTransport

  /**
   * Creates a client for one organization. Sends nothing before the first call.
   *
   * @throws {ConfigurationError} for invalid options.
   */
  constructor(options: ClientOptions) {
    keepSelf(this)
    // withOptions() gives a transport. In the type, it would offer its methods while somebody types options.
    const given: unknown = options
    const isDerived = isTransport(given)
    this.#transport = isDerived ? given : clientTransport(createTransport(options))
    if (!isDerived) assertIds(options)
    printAs(this, 'SocialSearch', () => {
      const { baseUrl, credits } = this.#transport
      const { spent, uncertain, reserved, saved } = credits
      return { baseUrl, credits: { spent, uncertain, reserved, saved } }
    })
    this.microblog = microblog(this.#transport)
    this.professionalnet = professionalnet(this.#transport)
    this.technews = technews(this.#transport)
    this.mentions = mentions(this.#transport)
    this.listeners = listeners(this.#transport)
    this.feeds = feeds(this.#transport)
    this.organization = organization(this.#transport)
  }

  /**
   * Creates a client from `SOCIAL_SEARCH_BASE_URL` and `SOCIAL_SEARCH_API_KEY`. If one is missing, the first call fails
   * with a {@link ConfigurationError}. So your app builds without the variables.
   */
  static fromEnv(options: Omit<ClientOptions, 'baseUrl' | 'apiKey' | 'auth'> = {}): SocialSearch {
    const { process } = globalThis as { process?: { env: Record<string, string | undefined> } }
    const { SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: apiKey } = process?.env ?? {}
    if (baseUrl && apiKey) return new this({ ...options, baseUrl, apiKey })
    const missing = baseUrl ? 'SOCIAL_SEARCH_API_KEY' : 'SOCIAL_SEARCH_BASE_URL'
    return new this(failingOptions(options, `set the environment variable ${missing}`))
  }

  /** Credits spent so far by this client and those made with `withOptions()`. A snapshot. */
  get credits(): Credits {
    return unproxied(this).#transport.credits
  }

  /** What calls are waiting for, in this client and those made with `withOptions()`. A snapshot. */
  status(): ClientStatus {
    return unproxied(this).#transport.status()
  }

  /**
   * The maximum cost and the minimum time of a job, without sending anything.
   *
   * @param id Id of the operation, such as `microblog.search`.
   * @param params Params of the call, or the id of a record.
   * @throws {InvalidRequestError} if the params are outside the documented bounds.
   * @throws {ConfigurationError} for an unknown id or option.
   * @example
   * client.quote('microblog.search', { query: 'typescript' }, { maxPages: 50 }) // { atMost: 100, duration: 120_000, … }
   */
  quote<Id extends OperationId>(
    id: Id,
    params: ParamsOf<Id> = {} as ParamsOf<Id>,
    options?: QuoteOptions,
  ): Quote {
    const operation: Operation | undefined = operationOf(id)
    if (operation === undefined) throw new ConfigurationError(`unknown operation ${id}`)
    const given: object | string = params
    const isId = typeof given === 'string'
    const transport = unproxied(this).#transport
    const request = transport.compose(operation, isId ? {} : given, isId ? given : undefined)
    if (request instanceof InvalidRequestError) throw request
    return quoteOf(transport.configured(operation), transport.limits, request.params, options)
  }

  /** What sends this client's calls. Pass it to functions such as `microblog()`. */
  get transport(): Transport {
    return unproxied(this).#transport
  }

  /**
   * Returns a client with other options, which shares limits, credits, key and `close()` with this one. A `budget`,
   * `headers` and `observers` are added to the current ones. Others, such as `timeout`, replace them.
   *
   * @example
   * const budget = new CreditBudget(50, { every: 'day', name: 'acme' })
   * const acme = client.withOptions({ budget, timeout: 10_000 })
   * await acme.microblog.search({ query })
   * console.log(budget.remaining)
   */
  withOptions(options: CommonOptions): SocialSearch {
    const transport: unknown = unproxied(this).#transport.withOptions(options)
    return new (this.constructor as typeof SocialSearch)(transport as ClientOptions)
  }

  /**
   * Calls an endpoint that this version does not know, with the same queue, budgets, retries and errors as any other call. It
   * is not cached unless you pass `cache`. Params of GET and DELETE go into the query, others into the body. An answer of 204, or
   * to a DELETE without a body, gives `{}`.
   *
   * @param endpoint Its price, `credits`, is required for anything but GET.
   * @example
   * await client.request({ method: 'POST', path: '/data/microblog/trends', credits: 2 }, { country: 'DE' })
   */
  request<Schema extends SchemaOrType = undefined>(
    endpoint: Endpoint,
    params?: OpenParams<CallOptions & SchemaOption>,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema, Partial<OpenBody>>> {
    const call: ApiCall<unknown> = request(unproxied(this).#transport, endpoint, params, options)
    return call as ApiCall<Output<Schema, Partial<OpenBody>>>
  }

  /** Fetches the service's OpenAPI description (`GET /openapi.json`). Free. */
  openapi(options?: CallOptions): ApiCall<OpenRecord> {
    return openapi(unproxied(this).#transport, options)
  }

  /** Fetches the published credit rates (`GET /openapi.json`), for the option `prices`. Free. */
  creditRates(options?: CallOptions): Promise<CreditRates> {
    return readCreditRates(unproxied(this).#transport, options)
  }

  /** Ends all pending calls with a `ClosedError`, and refuses new ones. Resolves when they have ended. */
  close(): Promise<void> {
    return unproxied(this).#transport.close()
  }

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
