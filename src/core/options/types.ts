import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Budget, BudgetOutlook } from '../credits/budget.ts'
import type { AuthProvider } from '../http/credential.ts'
import type { HeadersOption } from '../http/headers.ts'
import type { Fetch } from '../http/fetch.ts'
import type { PagingOverride } from '../../api/list-items.ts'
import type { LeveledLogger, Logger } from '../../lib/logger.ts'
import type { CallLimiter } from '../../limits/interface.ts'
import type { Applied, Attempt, Charged } from '../../errors/index.ts'

/**
 * How to check responses. `strict`: an error if a documented field is missing or has the wrong type. `lenient`: invalid
 * items of a list go to `page.invalid`. `off`: no check. Undocumented fields are always kept.
 */
export type Validation = 'strict' | 'lenient' | 'off'

/** Options for retries. */
export interface RetryOptions {
  /**
   * Also retry calls that may have been charged or applied, such as a search whose response was lost. You may pay twice.
   * Default false.
   */
  unknown?: boolean | undefined
  /** Maximum attempts of one call, the first included. Default: up to 5, depending on the failure. */
  maxAttempts?: number | undefined
  /**
   * Longest announced wait, in milliseconds; after a longer one, the call fails at once. Waiting out a 429 is not an
   * attempt, until the waits add up to this. Default 60,000.
   */
  maxWait?: number | undefined
}

/** How much of the organization's rate limits a client may use. */
export interface LimitOptions {
  /** Requests in flight, 1 or 2. Default: 2; with a `limiter`, its limit. */
  inFlight?: number | undefined
  /**
   * Requests a minute for each search surface; false for no limit. Default: 20; with a `limiter`, its limit. Set less if
   * another program uses the organization's limits, and more if your organization has higher ones.
   */
  perMinute?: number | false | undefined
  /**
   * Which search surface an operation counts toward, by id (`microblog.search`); null for none. By default, each network
   * is one, because the service does not define its surfaces.
   */
  surfaces?: Readonly<Record<string, string | null>> | undefined
}

/** A cache of paid answers: a `ResultCache` of `social-search-sdk/cache`. */
export interface AnswerCache {
  /** Deletes all answers. */
  clear(): Promise<void>
}

/**
 * How a call uses the cache. `maxAge`: accept stored answers up to this age, in milliseconds. `refresh`: fetch a new answer
 * and store it. `only`: send nothing, and fail with a `NotCachedError` if nothing is stored. False: no cache.
 */
export type CacheUse = { maxAge: number } | 'refresh' | 'only' | false

/** Options of a client that `withOptions` may change. */
export interface CommonOptions {
  /**
   * Time for one attempt, in milliseconds. Your own functions may take up to a minute each.
   * Default: 30,000, or 90,000 where the service recommends it.
   */
  timeout?: number | undefined
  /**
   * Time for the whole call with queue and retries, in milliseconds. It starts again with each page. A call that cannot
   * be sent in time fails at once, with `retryAfter`. Default: none.
   */
  deadline?: number | undefined
  /**
   * Longest wait before a request is sent, in milliseconds. A call that would wait longer fails at once, with
   * `retryAfter`. A request that was sent goes on. Default: none.
   */
  maxQueueWait?: number | undefined
  /** When to retry; false for never. */
  retry?: RetryOptions | false | undefined
  /** How to check responses. A `schema` is always applied. Default `strict`. */
  validation?: Validation | undefined
  /** A limit on credits. A call must fit into this and every other budget it has. Clients may share one. */
  budget?: Budget | undefined
  /**
   * Extra headers for every request, or a function that returns them before each attempt. Not `Authorization` (use `apiKey` or
   * `auth`), nor those of the connection, such as `Host`. Default: a `User-Agent`, except in browsers.
   */
  headers?: HeadersOption | undefined
  /** Where to log; false for nowhere. Default: warnings go to `console.warn`. */
  logger?: Logger | LeveledLogger | false | undefined
  /**
   * Objects that see calls, attempts and waits: the client's, and the call's.
   *
   * @example
   * const client = SocialSearch.fromEnv({
   *   observers: [{ onCall: ({ operation, credits }) => console.log(operation, credits.spent) }],
   * })
   */
  observers?: readonly Observer[] | undefined
}

/** Options of a client. */
export interface ClientOptions extends CommonOptions {
  /**
   * The service's base URL, ending in `/v1`: https, or http on this machine. In a web page, also the path of your proxy,
   * such as `/api/social`.
   */
  baseUrl: string
  /**
   * The organization's API key, or a function that returns it, called before each attempt.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** A token provider in place of `apiKey`, such as an OAuth session; false if a proxy adds the key. */
  auth?: AuthProvider | false | undefined
  /** How much of the organization's rate limits this client may use. Default: all. */
  limits?: LimitOptions | undefined
  /**
   * Your prices by operation id, in credits for each request or item. Default: the documented ones. `(await
   * client.creditRates()).prices` has those that the service publishes.
   */
  prices?: Readonly<Record<string, number>> | undefined
  /** A limiter that several processes share. Default: one for this process. */
  limiter?: CallLimiter | undefined
  /**
   * A label: clients with the same label and `baseUrl` share their limits, even with different keys. Default: the key.
   */
  organization?: string | undefined
  /** A cache, so that you don't pay twice for the same call. Default: none. */
  cache?: AnswerCache | undefined
  /** The fetch function to use. Default: the global `fetch`. */
  fetch?: Fetch | undefined
  /** Allows an `apiKey` in a browser, where every visitor can read it. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** Options of one call. They replace those of the client; a budget, headers and observers are added. */
export interface CallOptions extends Omit<CommonOptions, 'logger'> {
  /** Cancels the call, which rejects with the signal's reason. Free only until the call is sent. */
  signal?: AbortSignal | undefined
  /** Calls with a higher number leave the queue first. Default 0. */
  priority?: number | undefined
  /**
   * Params that this version does not know, or new values of those that it knows. They are sent unchecked, in place of
   * params of the same name; objects such as `filters` are combined.
   */
  extraParams?: Readonly<Record<string, unknown>> | undefined
  /** How the call uses the client's cache. Default: accept answers up to the cache's `maxAge`. */
  cache?: CacheUse | undefined
}

/** An option of calls with a price for each item, without a documented maximum. */
export interface ExpectedItemsOption {
  /**
   * How many items you expect, on all pages: the call reserves this many credits from its budgets. It is no limit: if more come, you
   * pay for them. Default 1,000, which is a guess.
   */
  expectedItems?: number | undefined
}

/** Options of a list whose shape is not documented. `Name` is that of its array of items. */
export interface OpenListOptions<
  Name extends string = string,
  Limit extends number | undefined = number | undefined,
> extends PagedOptions<Limit> {
  /**
   * Where the items and the next page are. Default, a guess: an array under the resource's name, `meta.hasMore` and
   * `meta.nextCursor`.
   */
  paging?: PagingOverride<Name> | undefined
}

/** The option that sets the type of a call's records. */
export interface SchemaOption<Schema extends object | undefined = StandardSchemaV1 | undefined> {
  /**
   * Your own Standard Schema for each record of a list, or for the body of another call. Its output becomes the type.
   */
  schema?: [Schema] extends [StandardSchemaV1 | undefined] ? Schema : never
}

/** Options of a call with several pages. */
export interface PagedOptions<Limit extends number | undefined = number | undefined> extends CallOptions {
  /** Stop after this many items. You pay for whole pages; `pages()` yields the last one whole. */
  limit?: Limit | undefined
  /** Stop after this many pages. */
  maxPages?: number | undefined
}

/** Any option that a call may have. */
export type AnyCallOptions = OpenListOptions & ExpectedItemsOption & SchemaOption

/** A call, as an observer sees it. */
export interface ObservedStart {
  /** The same in all events of a call. */
  id: number
  /** The operation, such as `microblog.search`. */
  operation: string
  /** The search surface; null for a call without one. */
  surface: string | null
}

/** A call that waits. */
export interface Wait extends ObservedStart {
  /**
   * `slot`: both requests in flight are taken. `pace`: this minute's requests are used up. `rate_limited`: the service
   * answered 429. `retry`: an attempt failed, and the next one must wait.
   */
  reason: 'slot' | 'pace' | 'rate_limited' | 'retry'
  /** When the wait should end; null if unknown. Calls ahead in the queue may delay it. */
  until: Date | null
}

/** An answer that came from the cache, or from an equal call. */
export interface Cached {
  /** When the answer arrived from the service. */
  readonly at: Date
  /** Milliseconds since then. */
  readonly age: number
  /** Credits that you did not pay again. */
  readonly saved: number
}

/** An attempt that ended. Times are milliseconds. */
export interface ObservedAttempt extends ObservedStart, Attempt {
  /** What it cost. */
  credits: { spent: number; uncertain: number }
}

/** A call that ended. Times are milliseconds. */
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
  /** Set if the answer came from the cache, or from an equal call. */
  cached: Cached | undefined
}

/** A budget of which little is left. */
export interface ObservedBudget extends BudgetOutlook {
  /** `low`: four fifths are spent. `spent`: a call did not fit any more, and was not sent. */
  state: 'low' | 'spent'
  name: string | undefined
}

/** Sees what calls do and cost, never a credential or params. If it throws, the error is logged and the call goes on. */
export interface Observer {
  /**
   * Called when a call has waited for a quarter of a second, and when the reason changes. In Cloudflare Workers, only
   * retries call it.
   */
  onWait?(wait: Wait): void
  /** Called when an attempt ends. */
  onAttempt?(attempt: ObservedAttempt): void
  /** Called when a call ends. */
  onCall?(call: ObservedCall): void
  /** Called twice in each period of a budget: when it is low, and when it is spent. */
  onBudget?(budget: ObservedBudget): void
}
