import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Budget } from '../credits/budget.ts'
import type { AuthProvider } from '../http/credential.ts'
import type { HeadersOption } from '../http/headers.ts'
import type { Hooks } from '../http/hooks.ts'
import type { Fetch } from '../http/send.ts'
import type { PagingOverride } from '../../api/list-items.ts'
import type { Applied, Attempt, Charged } from '../../errors/index.ts'
import type { Logger } from '../../lib/logger.ts'
import type { CallLimiter } from '../../limits/interface.ts'

/**
 * How responses are validated. `strict`: documented fields must be present with their types. `lenient`: a list moves
 * invalid items to `invalid`. `off`: no validation. Undocumented fields are always kept.
 */
export type Validation = 'strict' | 'lenient' | 'off'

/** Options for retries. */
export interface RetryOptions {
  /**
   * Also retry attempts that may have been billed or may have changed data, such as a metered search without a
   * response. The ledger counts their credits as uncertain. Default false.
   */
  ambiguous?: boolean | undefined
  /** Maximum attempts of one call, the first included. Default: up to 5, depending on the failure. */
  maxAttempts?: number | undefined
  /**
   * Longest `Retry-After` that a call waits for, in milliseconds; a longer one fails at once. 429s with a `Retry-After`
   * use up no attempts until their waits add up to more than this. Default 60,000.
   */
  maxWait?: number | undefined
}

/** The part of the organization's limits that one client may use. */
export interface LimitOptions {
  /**
   * The fraction of all limits that this client may use, above 0 and up to 1, if other processes use the organization
   * too. It is rounded down to whole requests, at least one. More than two processes would still exceed the limit of
   * requests in flight: give them a shared `limiter`. Default 1.
   */
  share?: number | undefined
  /**
   * Requests in flight, 1 or 2. Default 2, the organization's limit, or the client's share of it; with a `limiter`, its
   * limit.
   */
  inFlight?: number | undefined
  /**
   * Requests a minute at each search surface. Default 20, the organization's limit, or the client's share of it; with a
   * `limiter`, its limit. A larger number declares a higher limit of the organization. False for no pacing.
   */
  perMinute?: number | false | undefined
  /**
   * The surface of an operation, by its id (`microblog.search`); null for no pacing. The service does not define its
   * search surfaces; by default each network is one.
   */
  surfaces?: Readonly<Record<string, string | null>> | undefined
}

/** Why a call waits. */
export interface Wait {
  /** The operation, such as `microblog.search`. */
  operation: string
  /** The search surface; null for a call without one. */
  surface: string | null
  /**
   * `slot`: the organization's two requests in flight are taken. `pace`: the surface has used its requests of this
   * minute. `rate_limited`: a 429 closed the surface. `retry`: the call waits before its next attempt.
   */
  reason: 'slot' | 'pace' | 'rate_limited' | 'retry'
  /** When the surface opens, or the next attempt is due; null if unknown. Calls ahead in the queue may delay it. */
  until: Date | null
}

/** A call, as observers see it. */
export interface ObservedStart {
  /** The same in all events of a call. */
  id: number
  operation: string
  surface: string | null
  /** Only for an observer with `params: true`. */
  params?: object
}

/** Where an answer comes from that was not fetched for its call. */
export interface Cached {
  /** When the answer arrived from the service. */
  readonly at: Date
  /** Milliseconds since then. */
  readonly age: number
  /** What the answer has cost, in credits. */
  readonly saved: number
}

/** An attempt that has ended. Times are milliseconds. */
export interface ObservedAttempt extends ObservedStart, Attempt {
  /** What it cost. */
  credits: { spent: number; uncertain: number }
}

/** A call that has ended. Times are milliseconds. */
export interface ObservedCall extends ObservedStart {
  /** `ok`, the code of the error, or `aborted`. */
  outcome: string
  charged: Charged
  /** Of a failed write: whether it changed data. */
  applied: Applied | undefined
  /** The timeline: `queued`, `paced`, `waited`, `status` and more of each attempt. */
  attempts: readonly Attempt[]
  /** Of the whole call. */
  duration: number
  requestId: string | undefined
  credits: { spent: number; uncertain: number }
  /** Set if the answer came from a cache, or from the request of an equal call. */
  cached: Cached | undefined
}

/**
 * Sees what calls do, never a credential. What it throws or rejects with is logged, and harms no call. With a cache, the
 * attempts of equal calls are those of the first one.
 */
export interface Observer {
  /** Whether events have the params, such as the text of a query. Default false. */
  readonly params?: boolean
  /** Called when a call waits, like the option `onWait`. */
  onWait?(wait: Wait & ObservedStart): void
  /** Called when an attempt has ended. */
  onAttempt?(attempt: ObservedAttempt): void
  /** Called when a call has ended. */
  onCall?(call: ObservedCall): void
}

/** A cache of paid answers: a `ResultCache` of `social-search-sdk/cache`. */
export interface AnswerCache {
  /** Called by the client. `owner` identifies its organization, unless it has neither a label nor a fixed key. */
  connect(baseUrl: string, owner: unknown): object
}

/**
 * How a call uses the cache of its client. `maxAge` is the greatest age of an answer, in milliseconds. `refresh` fetches
 * a new answer and keeps it. `only` accepts a stored answer of any age and sends nothing:
 * without one, the call fails with a `NotCachedError`. False neither reads nor writes.
 */
export type CacheUse = { maxAge: number } | 'refresh' | 'only' | false

/** Options of a client that `withOptions` may change. */
export interface CommonOptions {
  /**
   * Time for one attempt, from sending to the last byte, in milliseconds. Default: what the service recommends for the
   * operation, otherwise 30,000.
   */
  timeout?: number | undefined
  /**
   * Time for one call with queue and retries, in milliseconds; each page of a walk is a call. A call that cannot be sent
   * in time fails at once, with `retryAfter`. Default none.
   */
  deadline?: number | undefined
  /**
   * Longest wait before a request is sent, in milliseconds, from the start of the call: in the queue, and also for a
   * retry. If the wait is known to be longer, the call fails at once, with `retryAfter`. A request in flight goes on.
   * Default none.
   */
  maxQueueWait?: number | undefined
  /** How the client retries failed attempts; false allows one attempt. */
  retry?: RetryOptions | false | undefined
  /** How the client checks responses against the documented shape. It always applies a `schema`. Default `strict`. */
  validation?: Validation | undefined
  /** A limit on credits, in addition to other budgets of the call. Clients may share it. */
  budget?: Budget | undefined
  /**
   * Further headers of every request, except `Authorization` (use `apiKey` or `auth`) and those of the connection, such as
   * `Host`. Outside of browsers, `User-Agent` names this package by default.
   */
  headers?: HeadersOption | undefined
  /** Hooks of ky for each attempt. Those of a call run after those of its client. */
  hooks?: Hooks | undefined
  /** Receives log lines; false for none. By default, warnings go to `console.warn`. Nothing is written to stdout. */
  logger?: Logger | false | undefined
  /**
   * Called when a call has waited for a quarter of a second, and when the reason changes. In Cloudflare's workers, it
   * is not called for calls in the queue.
   */
  onWait?: ((wait: Wait) => void) | undefined
  /** They see calls, attempts and waits. Observers of a call are added to those of its client. */
  observers?: readonly Observer[] | undefined
}

/** Options of a client. */
export interface ClientOptions extends CommonOptions {
  /**
   * The service's base URL, ending in `/v1`: https, or http on a loopback address. In a page also a path such as
   * `/api/social`; on a server, the calls of such a client fail.
   */
  baseUrl: string
  /**
   * The organization's API key, or a function that returns it, called before each attempt and again after a long wait
   * in the queue.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** Provides bearer tokens instead of `apiKey`; false for a proxy that adds the credential itself. */
  auth?: AuthProvider | false | undefined
  /** The part of the organization's limits that this client may use. */
  limits?: LimitOptions | undefined
  /**
   * Prices by operation id, in credits for each request or item, if they differ from the documented ones: `(await
   * client.creditRates()).prices`, for example.
   */
  prices?: Readonly<Record<string, number>> | undefined
  /** A limiter that several processes share, instead of the limiter of this process. */
  limiter?: CallLimiter | undefined
  /**
   * A label for the organization: clients with the same label and `baseUrl` share their limits, even with different
   * credentials.
   */
  organization?: string | undefined
  /** Keeps paid answers for equal calls. Default: none. */
  cache?: AnswerCache | undefined
  /** Default: the global fetch. */
  fetch?: Fetch | undefined
  /** Allows an `apiKey` in a browser, where every visitor can read it. */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** Options of one call. They replace those of the client; a budget, headers, hooks and observers are added to the client's. */
export interface CallOptions extends Omit<CommonOptions, 'logger'> {
  /** Aborts the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Calls with a higher number leave the queue of their surface first. Default 0. */
  priority?: number | undefined
  /** How the call uses the cache of its client. Default: answers up to the `maxAge` of the cache. */
  cache?: CacheUse | undefined
}

/** An option of calls with a price per item. */
export interface CeilingOption {
  /**
   * How many items you expect at most: the call reserves credits for so many. If a budget has less left, the call is refused.
   * The service may return and charge more items, which count as spent. Default: `maxComments` for comments; 1,000 for
   * reactions, an assumption of this package.
   */
  ceiling?: number | undefined
}

/** Options of a list whose shape is not documented. `Name` is that of its array of items. */
export interface OpenListOptions<Name extends string = string> extends PagedOptions {
  /**
   * Where items and next page are, if the client's assumption does not fit: an array under the resource's name,
   * `meta.hasMore`, `meta.nextCursor`.
   */
  paging?: PagingOverride<Name> | undefined
}

/** The option that sets the type of a call's records. */
export interface SchemaOption<Schema extends object | undefined = StandardSchemaV1 | undefined> {
  /**
   * A Standard Schema that checks, and may transform, each record of a list, or the whole body of another call. Its
   * output is the type of what it checks. Default: the types of this package.
   */
  schema?: [Schema] extends [StandardSchemaV1 | undefined] ? Schema : never
}

/** Options of a call that walks pages. */
export interface PagedOptions extends CallOptions {
  /** Stops after this many items. You pay for whole pages, and `pages()` yields the last one whole. */
  limit?: number | undefined
  /** Stops after this many pages. */
  maxPages?: number | undefined
}

/** Any option that a call may have. */
export type AnyCallOptions = OpenListOptions & CeilingOption & SchemaOption
