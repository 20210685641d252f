import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Budget, Ledger } from '../credits/budget.ts'
import type { Credential } from '../http/credential.ts'
import type { BodyFormat, EndOfLife } from '../http/answer.ts'
import { type UserHeaders, mergeHeaders } from '../http/headers.ts'
import type { Fetch } from '../http/fetch.ts'
import type { PagingOverride } from '../../api/list-items.ts'
import { type Log, createLog } from '../../lib/logger.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { CallLimiter } from '../../limits/interface.ts'
import type {
  AnyCallOptions,
  CacheUse,
  ClientOptions,
  LimitOptions,
  Observer,
  RetryOptions,
  Validation,
} from './types.ts'
import type { Operation } from '../../api/operation.ts'
import { ConfigurationError } from '../../errors/index.ts'
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
import { hasInvalidDate, isRecord } from '../../lib/json.ts'

/** What all calls of a client have in common, also of clients made from it with `withOptions`. */
export interface ClientSettings {
  /** Absolute, without a trailing slash. */
  readonly baseUrl: string
  /** Identifies the organization, whose limits and stored answers these are: a label, the hash of a key, or what provides tokens. */
  readonly owner: string | object
  readonly bodyFormat: BodyFormat
  /** Whether a proxy is there: without a credential, or on the page's own origin. */
  readonly isProxy: boolean
  readonly credential: Credential
  readonly redactor: Redactor
  readonly limiter: CallLimiter
  readonly ledger: Ledger
  readonly endOfLife: EndOfLife
  /** The user's prices by operation id, in credits. */
  readonly prices: Readonly<Record<string, number>>
  /** Surfaces that the user has set, by operation id; null for none. */
  readonly surfaces: Readonly<Record<string, string | null>>
  /** Undefined for the global fetch. */
  readonly fetch: Fetch | undefined
}

/** What a call may set for itself, with the defaults of its client. */
export interface CallSettings {
  /** Undefined for the operation's own timeout. */
  readonly timeoutMs?: number | undefined
  readonly deadlineMs: number
  /** Time in which an attempt must be sent, from the start of the call. */
  readonly maxQueueWaitMs: number
  readonly retry: RetryPolicy
  readonly validation: Validation
  readonly budgets: readonly Budget[]
  readonly headers: UserHeaders
  readonly observers: readonly Observer[]
  /** Undefined if the user wants no lines. */
  readonly log?: Log | undefined
  readonly signal?: AbortSignal
  readonly priority: number
  readonly schema?: StandardSchemaV1 | undefined
  readonly paging?: PagingOverride
  readonly expectedItems?: number
  readonly cache?: CacheUse
}

/** How far a call retries: the option `retry`, with its defaults. */
export interface RetryPolicy {
  /** Whether calls that may have been charged or applied are retried as well. */
  readonly ambiguous: boolean
  /** Infinity for those of the table. */
  readonly maxAttempts: number
  /** The longest `Retry-After` that is waited for. */
  readonly maxWaitMs: number
}

/** Timeout of one attempt in milliseconds, unless the call or the operation has its own. */
export const defaultTimeoutMs = 30_000

/** Time for a token function, `headers`, a budget or a schema, in milliseconds: longer than an exchange of an OAuth token. */
export const userCodeMs = 60_000

const defaultRetry: RetryPolicy = { ambiguous: false, maxAttempts: Infinity, maxWaitMs: 60_000 }

/** Where an option goes: to the constructor, to `withOptions()`, or to a call. */
export type Scope = 'client' | 'withOptions' | 'call'

type Asked = Pick<Operation, 'price'> & { readonly paging?: unknown }

/** An option: where it goes, and what it sets. */
interface Row<Value> {
  readonly scopes: readonly Scope[]
  /** What holds without it. */
  readonly default?: Partial<CallSettings>
  /** Throws if a value cannot be used; otherwise returns the settings that it changes. */
  readonly check?: (
    value: NonNullable<Value>,
    settings: CallSettings,
    redactor: Redactor,
  ) => Partial<CallSettings> | void
  /** Which operations have it. Default: all. */
  readonly of?: (operation: Asked) => boolean
}

const client = ['client'] as const
const call = ['call'] as const
const shared = ['client', 'withOptions'] as const
const all = [...shared, 'call'] as const

const isPaged = ({ paging }: Asked): boolean => paging !== undefined

type Rows = { readonly [Name in keyof (ClientOptions & AnyCallOptions)]-?: Row<Given<Name>> }

/** The client's `cache` is not checked here. */
type Given<Name extends keyof (ClientOptions & AnyCallOptions)> = Name extends keyof AnyCallOptions
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
  limits: { scopes: client, check: checkLimits },
  limiter: { scopes: client, check: (limiter) => void assertMethod('limiter', limiter, 'acquire') },
  organization: { scopes: client, check: (label) => void nonEmptyText('organization', label) },
  fetch: { scopes: client, check: (fetch) => void assertFunction('fetch', fetch) },
  dangerouslyAllowBrowser: { scopes: client },
  prices: { scopes: client, check: checkPrices },
  signal: { scopes: call, check: (signal) => ({ signal: assertSignal('signal', signal) }) },
  priority: {
    scopes: call,
    default: { priority: 0 },
    check: (priority) => ({
      priority: requireOption(priority, Number.isFinite(priority), 'priority must be a finite number'),
    }),
  },
  timeout: { scopes: all, check: (timeout) => ({ timeoutMs: milliseconds('timeout', timeout) }) },
  deadline: {
    scopes: all,
    default: { deadlineMs: Infinity },
    check: (deadline) => ({ deadlineMs: milliseconds('deadline', deadline) }),
  },
  maxQueueWait: {
    scopes: all,
    default: { maxQueueWaitMs: Infinity },
    check: (wait) => ({ maxQueueWaitMs: milliseconds('maxQueueWait', wait) }),
  },
  retry: {
    scopes: all,
    default: { retry: defaultRetry },
    check: (retry) => ({ retry: resolveRetry(retry) }),
  },
  validation: {
    scopes: all,
    default: { validation: 'strict' },
    check: (validation) => {
      if (['strict', 'lenient', 'off'].includes(validation)) return { validation }
      throw new ConfigurationError(
        `validation must be strict, lenient or off, got ${describeWord(validation)}`,
      )
    },
  },
  budget: {
    scopes: all,
    default: { budgets: [] },
    // They add up, so that a call cannot drop a limit.
    check: (budget, { budgets }) => {
      const given: unknown = budget
      requireOption(given, typeof given !== 'number', `budget must be new CreditBudget(${given as number})`)
      return { budgets: [...new Set([...budgets, assertMethod('budget', budget, 'reserve')])] }
    },
  },
  headers: {
    scopes: all,
    check: (headers, { headers: base }, redactor) => ({ headers: mergeHeaders(base, headers, redactor) }),
  },
  observers: {
    scopes: all,
    default: { observers: [] },
    check: (observers, settings) => {
      const isList = Array.isArray(observers) && observers.every((each) => typeof each === 'object' && each)
      requireOption(observers, isList, 'observers must be an array of objects')
      return { observers: [...new Set([...settings.observers, ...observers])] }
    },
  },
  logger: {
    scopes: shared,
    check: (logger, _, redactor) => {
      if (logger !== false) assertObject('logger', logger)
      return { log: createLog(logger, redactor) }
    },
  },
  cache: { scopes: ['client', 'call'], check: (use) => ({ cache: checkCacheUse(use) }) },
  schema: { scopes: call, check: (schema) => ({ schema: assertSchema(schema) }) },
  extraParams: {
    scopes: call,
    // The request has it.
    check: (extra) => {
      requireOption<unknown>(extra, isRecord(extra), 'extraParams must be an object')
      if (hasInvalidDate(extra)) throw new ConfigurationError('extraParams has an invalid date')
    },
  },
  // The walk reads these two.
  limit: { scopes: call, of: isPaged, check: (limit) => void wholeNumber('limit', limit) },
  maxPages: { scopes: call, of: isPaged, check: (maxPages) => void wholeNumber('maxPages', maxPages) },
  expectedItems: {
    scopes: call,
    of: ({ price }) => price.kind === 'perItem' && price.bound === null,
    check: (expectedItems) => ({ expectedItems: wholeNumber('expectedItems', expectedItems) }),
  },
  paging: {
    scopes: call,
    of: isPaged,
    check: (paging, { schema }) => {
      assertOptions(paging, { items: true, next: true }, 'paging')
      // `schema` stands before.
      if (schema === undefined || typeof paging.items !== 'function') return { paging }
      throw new ConfigurationError('paging.items must be a name if a schema is given')
    },
  },
}

type Name = keyof Rows
const rowsOf = (scope: Scope): Partial<Rows> =>
  Object.fromEntries(Object.entries(rows).filter(([, { scopes }]) => scopes.includes(scope)))
const byScope = /* @__PURE__ */ (() => ({
  client: rowsOf('client'),
  withOptions: rowsOf('withOptions'),
  call: rowsOf('call'),
}))()

/** The settings of a client without options. */
export function defaultsOf(own: Pick<CallSettings, 'headers' | 'log'>): CallSettings {
  return Object.assign({ ...own }, ...Object.values(rows).map((row) => row.default)) as CallSettings
}

/** Whether a call of the operation has an option of this name. */
export function isOption(name: string, operation: Asked): boolean {
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
  scope: Scope,
  redactor: Redactor,
): CallSettings {
  const known = byScope[scope]
  assertOptions(options, known)
  const changed = { ...settings }
  for (const name of Object.keys(known) as Name[]) {
    const value: unknown = (options as Partial<Record<Name, unknown>>)[name]
    // A client's `cache` is an object of its own, and no use of it.
    if (value !== undefined && !(name === 'cache' && scope === 'client'))
      Object.assign(changed, rows[name].check?.(value as never, changed, redactor))
  }
  return changed
}

function resolveRetry(option: RetryOptions | false): RetryPolicy {
  const retry: RetryOptions = option === false ? { maxAttempts: 1 } : option
  assertOptions(retry, { ambiguous: true, maxAttempts: true, maxWait: true }, 'retry')
  const { ambiguous = defaultRetry.ambiguous, maxAttempts, maxWait = defaultRetry.maxWaitMs } = retry
  const isBoolean = typeof ambiguous === 'boolean'
  return {
    ambiguous: requireOption(ambiguous, isBoolean, 'retry.ambiguous must be true or false'),
    maxAttempts:
      maxAttempts === undefined ? defaultRetry.maxAttempts : wholeNumber('retry.maxAttempts', maxAttempts),
    maxWaitMs: milliseconds('retry.maxWait', maxWait),
  }
}

function checkCacheUse(use: CacheUse): CacheUse {
  const isObject = isRecord(use)
  if (isObject) assertOptions(use, { maxAge: true }, 'cache')
  const isValid = isObject ? use.maxAge >= 0 : [false, 'refresh', 'only'].includes(use)
  return requireOption(use, isValid, 'cache must be false, refresh, only or { maxAge: milliseconds }')
}

function checkLimits(limits: LimitOptions): void {
  assertOptions(limits, { inFlight: true, perMinute: true, surfaces: true }, 'limits')
}

function checkPrices(prices: Readonly<Record<string, number>>): void {
  for (const [id, credits] of Object.entries(prices)) {
    const isPrice = Number.isFinite(credits) && credits >= 0
    requireOption(credits, isPrice, `prices.${id} must be a number of at least 0`)
  }
}
