import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { PagingOverride } from '../../api/list-items.ts'
import type { Operation } from '../../api/operation.ts'
import { boundOf } from '../../api/price.ts'
import {
  assertFunction,
  assertMethod,
  assertObject,
  assertOptions,
  assertSchema,
  assertSignal,
  describeWord,
  milliseconds,
  nonEmptyText,
  requireOption,
  wholeNumber,
} from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { isRecord } from '../../lib/json.ts'
import { type LeveledLogger, type Log, type Logger, createLog } from '../../lib/logger.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { CallLimiter } from '../../limits/interface.ts'
import type { LimitOptions } from '../../limits/process-limiter.ts'
import type { Budget } from '../credits/budget.ts'
import type { AuthProvider } from '../http/credential.ts'
import type { Fetch } from '../http/fetch.ts'
import { type HeadersOption, type UserHeaders, mergeHeaders } from '../http/headers.ts'
import { type RetryOptions, type RetryPolicy, checkRetry, defaultRetry } from '../http/retry-wait.ts'
import type { Observer } from './observer.ts'

/**
 * How to check responses. `strict`: an error if a documented field is missing or has the wrong type. `lenient`: invalid
 * items of a list, up to 10,000, go to `page.invalid`. `off`: no check. Undocumented fields are always kept.
 */
export type Validation = 'strict' | 'lenient' | 'off'

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

/** What a call may set for itself, with the defaults of its client. Times are milliseconds. */
export interface CallSettings {
  /** Undefined for the operation's own timeout. */
  readonly timeout?: number | undefined
  readonly deadline: number
  /** Time in which an attempt must be sent, from the start of the call. */
  readonly maxQueueWait: number
  readonly retry: RetryPolicy
  readonly validation: Validation
  readonly budget: readonly Budget[]
  readonly headers: UserHeaders
  readonly observers: readonly Observer[]
  /** Undefined if the user wants no lines. */
  readonly logger?: Log | undefined
  readonly signal?: AbortSignal
  readonly priority: number
  readonly schema?: StandardSchemaV1 | undefined
  readonly paging?: PagingOverride
  readonly expectedItems?: number
  readonly cache?: CacheUse
}

/** Timeout of one attempt in milliseconds, unless the call or the operation has its own. */
export const defaultTimeoutMs = 30_000

/** Time for a token function, `headers`, a budget or a schema, in milliseconds: longer than an exchange of an OAuth token. */
export const userCodeMs = 60_000

/** Where an option goes: to the constructor, to `withOptions()`, or to a call. */
export type OptionScope = 'client' | 'withOptions' | 'call'

type OptionOwner = Pick<Operation, 'price'> & { readonly paging?: unknown }

/** What the settings keep of an option; nothing of one that something else reads. */
type Kept<Name> = Name extends keyof CallSettings ? CallSettings[Name] : void

/** An option: where it goes, and what the settings keep of it. */
interface Row<Value, Setting> {
  readonly scopes: readonly OptionScope[]
  /** What holds without it. */
  readonly default?: Setting
  /** Throws if a value cannot be used; otherwise returns what the settings keep. */
  readonly check?: (
    name: string,
    value: NonNullable<Value>,
    settings: CallSettings,
    redactor: Redactor,
  ) => Setting
  /** Which operations have it. Default: all. */
  readonly of?: (operation: OptionOwner) => boolean
}

const client = ['client'] as const
const call = ['call'] as const
const shared = ['client', 'withOptions'] as const
const all = [...shared, 'call'] as const

const isPaged = ({ paging }: OptionOwner): boolean => paging !== undefined

type Rows = {
  readonly [Name in keyof (ClientOptions & AnyCallOptions)]-?: Row<ValueOf<Name>, Kept<Name>>
}

type ValueOf<Name extends keyof (ClientOptions & AnyCallOptions)> = Name extends keyof AnyCallOptions
  ? AnyCallOptions[Name]
  : Name extends keyof ClientOptions
    ? ClientOptions[Name]
    : never

/** Every option. They are checked in this order. Budgets and observers add up, headers merge, others replace those before. */
const rows: Rows = {
  // `resolveOptions()` makes the client of these.
  baseUrl: { scopes: client },
  apiKey: { scopes: client },
  auth: { scopes: client },
  limits: { scopes: client },
  limiter: { scopes: client, check: (name, limiter) => void assertMethod(name, limiter, 'acquire') },
  organization: { scopes: client, check: (name, label) => void nonEmptyText(name, label) },
  fetch: { scopes: client, check: (name, fetch) => void assertFunction(name, fetch) },
  dangerouslyAllowBrowser: { scopes: client },
  prices: { scopes: client, check: checkPrices },
  signal: { scopes: call, check: assertSignal },
  priority: {
    scopes: call,
    default: 0,
    check: (name, priority) =>
      requireOption(priority, Number.isFinite(priority), `${name} must be a finite number`),
  },
  timeout: { scopes: all, check: milliseconds },
  deadline: { scopes: all, default: Infinity, check: milliseconds },
  maxQueueWait: { scopes: all, default: Infinity, check: milliseconds },
  retry: { scopes: all, default: defaultRetry, check: checkRetry },
  validation: {
    scopes: all,
    default: 'strict',
    check: (name, validation) => {
      if (['strict', 'lenient', 'off'].includes(validation)) return validation
      throw new ConfigurationError(`${name} must be strict, lenient or off, got ${describeWord(validation)}`)
    },
  },
  budget: {
    scopes: all,
    default: [],
    // They add up, so that a call cannot drop a limit.
    check: (name, budget, { budget: budgets }) => {
      const given: unknown = budget
      requireOption(given, typeof given !== 'number', `${name} must be new CreditBudget(${given as number})`)
      return [...new Set([...budgets, assertMethod(name, budget, 'reserve')])]
    },
  },
  headers: {
    scopes: all,
    check: (_, headers, { headers: base }, redactor) => mergeHeaders(base, headers, redactor),
  },
  observers: {
    scopes: all,
    default: [],
    check: (name, observers, settings) => {
      const isList = Array.isArray(observers) && observers.every((each) => typeof each === 'object' && each)
      requireOption(observers, isList, `${name} must be an array of objects`)
      return [...new Set([...settings.observers, ...observers])]
    },
  },
  logger: {
    scopes: shared,
    check: (name, logger, _, redactor) => {
      if (logger !== false) assertObject(name, logger)
      return createLog(logger, redactor)
    },
  },
  cache: { scopes: ['client', 'call'], check: checkCacheUse },
  schema: { scopes: call, check: (_, schema) => assertSchema(schema) },
  // The request has it.
  extraParams: {
    scopes: call,
    check: (name, extra) => void requireOption<unknown>(extra, isRecord(extra), `${name} must be an object`),
  },
  // The walk reads these two.
  limit: { scopes: call, of: isPaged, check: (name, limit) => void wholeNumber(name, limit) },
  maxPages: { scopes: call, of: isPaged, check: (name, maxPages) => void wholeNumber(name, maxPages) },
  expectedItems: {
    scopes: call,
    of: ({ price }) => boundOf(price) === null,
    check: (name, expectedItems) => wholeNumber(name, expectedItems),
  },
  paging: {
    scopes: call,
    of: isPaged,
    check: (name, paging, { schema }) => {
      assertOptions(paging, { items: true, next: true }, name)
      // `schema` stands before.
      if (schema === undefined || typeof paging.items !== 'function') return paging
      throw new ConfigurationError('paging.items must be a name if a schema is given')
    },
  },
}

type Name = keyof Rows
const rowsOf = (scope: OptionScope): Partial<Rows> =>
  Object.fromEntries(Object.entries(rows).filter(([, { scopes }]) => scopes.includes(scope)))
const byScope = /* @__PURE__ */ (() => ({
  client: rowsOf('client'),
  withOptions: rowsOf('withOptions'),
  call: rowsOf('call'),
}))()

/** The settings of a client without options. */
export function defaultsOf(own: Pick<CallSettings, 'headers' | 'logger'>): CallSettings {
  const defaults = Object.entries(rows).map(([name, row]) => ({ [name]: row.default }))
  return Object.assign({}, ...defaults, own) as CallSettings
}

/** Whether a call of the operation has an option of this name. */
export function isOption(name: string, operation: OptionOwner): boolean {
  return Object.hasOwn(byScope.call, name) && (rows[name as Name].of?.(operation) ?? true)
}

/**
 * Checks options, and returns the settings that result from them.
 *
 * @throws {ConfigurationError}
 */
export function withOptions(
  settings: CallSettings,
  options: object,
  scope: OptionScope,
  redactor: Redactor,
): CallSettings {
  const known = byScope[scope]
  assertOptions(options, known)
  const changed = { ...settings }
  for (const name of Object.keys(known) as Name[]) {
    const value: unknown = (options as Partial<Record<Name, unknown>>)[name]
    // A client's `cache` is an object of its own, and no use of it.
    if (value === undefined || (name === 'cache' && scope === 'client')) continue
    Object.assign(changed, { [name]: rows[name].check?.(name, value as never, changed, redactor) })
  }
  return changed
}

function checkCacheUse(name: string, use: CacheUse): CacheUse {
  const isObject = isRecord(use)
  if (isObject) assertOptions(use, { maxAge: true }, name)
  const isValid = isObject ? use.maxAge >= 0 : [false, 'refresh', 'only'].includes(use)
  return requireOption(use, isValid, `${name} must be false, refresh, only or { maxAge: milliseconds }`)
}

function checkPrices(name: string, prices: Readonly<Record<string, number>>): void {
  assertObject(name, prices)
  for (const [id, credits] of Object.entries(prices)) {
    const isPrice = Number.isFinite(credits) && credits >= 0
    requireOption(credits, isPrice, `${name}.${id} must be a number of at least 0`)
  }
}
