import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Budget } from '../credits/budget.ts'
import type { AuthProvider } from '../http/credential.ts'
import type { Middleware } from '../http/middleware.ts'
import type { Fetch } from '../http/send.ts'
import type { PagingOverride } from '../lib/list-items.ts'
import type { Logger } from '../lib/logger.ts'
import type { Limiter } from '../limits/limiter.ts'

/**
 * How answers are checked against the documented shape. `strict`: documented fields must be there with their types.
 * `lenient`: items that do not fit are set apart. `off`: it is not looked at. Undocumented fields are always kept.
 */
export type Validation = 'strict' | 'lenient' | 'off'

/** How failed attempts are repeated. */
export interface RetryOptions {
  /**
   * Also retry attempts that may have been billed or may have changed data, such as a metered search without
   * a response. The ledger counts their credits as uncertain. Default false.
   */
  ambiguous?: boolean | undefined
  /** Most attempts of one call, the first included. Default: what the failure allows, at most 5. */
  maxAttempts?: number | undefined
  /**
   * Longest `Retry-After` that a call waits for, in milliseconds; a longer one fails at once. 429s with a
   * `Retry-After` use up no attempts until their waits add up to more than this. Default 60,000.
   */
  maxWait?: number | undefined
}

/** What one client takes of the organization's limits, at most; the other clients of the organization have the rest. */
export interface LimitOptions {
  /**
   * The part of all limits that this client takes, above 0 and up to 1, if other processes use the organization too. It is
   * rounded down to whole requests, at least one: below one half, the client still has one request in flight, so more than
   * two such processes meet 429s, and a shared `limiter` does better. Default 1.
   */
  share?: number | undefined
  /** Requests in flight, 1 or 2. Default 2, the organization's limit, or the client's share of it; with a `limiter`, its limit. */
  inFlight?: number | undefined
  /**
   * Requests a minute at each search surface. Default 20, the organization's limit, or the client's share of it; with a
   * `limiter`, its limit. All clients keep the organization's limit together; a larger number stands for an organization
   * that has more. False for no pacing.
   */
  perMinute?: number | false | undefined
  /**
   * The surface of an operation, by its id (`microblog.search`); null for no pacing. The service does not define its
   * search surfaces; by default each network is one.
   */
  surfaces?: Readonly<Record<string, string | null>> | undefined
  /** Calls that may wait for their turn, besides those that find a free slot; a further one is refused at once with a `QueueFullError`. Default any number. */
  maxQueued?: number | undefined
}

/** Why a call waits. */
export interface Wait {
  /** The operation, such as `microblog.search`. */
  operation: string
  /** The search surface, or null for a call that has none. */
  surface: string | null
  /**
   * `slot`: the organization's two requests in flight are taken. `pace`: the surface has had its requests of this minute.
   * `rate_limited`: a 429 closed the surface. `retry`: an attempt failed, and the next one is due later.
   */
  reason: 'slot' | 'pace' | 'rate_limited' | 'retry'
  /** When the surface opens, or the next attempt is due; null where it is not known. Calls that go before may take longer. */
  until: Date | null
}

/** Options of a client that `withOptions` may change. */
export interface SharedOptions {
  /** Time for one attempt, from sending to the last byte, in milliseconds. Default: what the service recommends for the operation, otherwise 30,000. */
  timeout?: number | undefined
  /** Time for one call with queue and retries, in milliseconds; each page of a walk is a call. Default none. */
  deadline?: number | undefined
  /** How the client retries failed attempts; false allows one attempt. */
  retry?: RetryOptions | false | undefined
  /** How the client checks responses against the documented shape. It always applies a `schema`. Default `strict`. */
  validation?: Validation | undefined
  /** A limit on credits, in addition to other budgets of the call. Clients may share it. */
  budget?: Budget | undefined
  /** Further headers of every request, except `Authorization`: use `apiKey` or `auth`. */
  headers?: Readonly<Record<string, string>> | Headers | undefined
  /** Wraps every attempt, the first one outermost. */
  middleware?: readonly Middleware[] | undefined
  /** Where log lines go. Default nowhere. */
  logger?: Logger | undefined
  /** Called when a call has waited for a quarter of a second, and when the reason changes. Workers of Cloudflare do not call it for calls in the queue. */
  onWait?: ((wait: Wait) => void) | undefined
}

/** Options of a client. */
export interface ClientOptions extends SharedOptions {
  /** The service's base address, ending in `/v1`. https, or http on a loopback address; in a page also a path such as `/api/social`. On a server, a client with a path can be made, but its calls fail. */
  baseUrl: string
  /** The organization's API key, or a function that returns it, called before each attempt and again after a queue. */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** Provides bearer tokens, in place of `apiKey`; false for a proxy that adds the credential itself. */
  auth?: AuthProvider | false | undefined
  /** What this client takes of the organization's limits, at most. */
  limits?: LimitOptions | undefined
  /**
   * Credits that operations cost, by their ids, for each request or item, where they differ from the documented ones:
   * `(await client.creditRates()).prices`, for example.
   */
  prices?: Readonly<Record<string, number>> | undefined
  /** A limiter that several processes share, in place of the one of this process. */
  limiter?: Limiter | undefined
  /** A label for the organization: clients with the same label and `baseUrl` share their limits, whatever their credentials. */
  organization?: string | undefined
  /** Default: the global fetch. */
  fetch?: Fetch | undefined
  /** Allows an `apiKey` in a browser, where everybody can read it. */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** Options of one call: they replace those of the client, but a budget adds to its budget, and headers to its headers. */
export interface CallOptions extends Pick<
  SharedOptions,
  'timeout' | 'deadline' | 'retry' | 'validation' | 'budget' | 'headers' | 'onWait'
> {
  /** Aborts the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Calls with a higher number leave the queue of their surface first. Default 0. */
  priority?: number | undefined
}

/** An option of calls whose price depends on how much comes back, with no documented bound. */
export interface CeilingOption {
  /**
   * Items to reserve credits for. If a budget has less left, the call is refused. The service may return and charge
   * more items. Default 1,000, an assumption of this package.
   */
  ceiling?: number | undefined
}

/** Options of a list whose shape is not documented. */
export interface OpenListOptions extends PagedOptions {
  /**
   * Where items and next page are, if the client's assumption does not fit: an array under the resource's name,
   * `meta.hasMore`, `meta.nextCursor`.
   */
  paging?: PagingOverride | undefined
}

/** The option that gives the records of a call another type. */
export interface SchemaOption<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  /**
   * A Standard Schema that checks, and may transform, each record of a list, or the whole body of another call. Its
   * output is the type of what it checks.
   */
  schema: Schema
}

/** Options of a call that walks pages. */
export interface PagedOptions extends CallOptions {
  /** Items after which the walk ends. The client buys whole pages, and `pages()` yields the last one whole. */
  limit?: number | undefined
  /** Most pages that the walk buys. */
  maxPages?: number | undefined
}

/** Any option that a call may have. */
export type AnyCallOptions = OpenListOptions & CeilingOption & Partial<SchemaOption>
