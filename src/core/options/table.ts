import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Budget } from '../credits/budget.ts'
import { type UserHeaders, mergeHeaders } from '../http/headers.ts'
import type { PagingOverride } from '../../api/list-items.ts'
import { type Log, createLog } from '../../lib/logger.ts'
import type { Redactor } from '../../lib/redactor.ts'
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
import { isRecord } from '../../lib/json.ts'

/** What a call may set for itself, with the defaults of its client. Times are milliseconds. */
export interface CallSettings {
  /** Undefined for the operation's own timeout. */
  readonly timeout?: number | undefined
  readonly deadline: number
  /** Time in which an attempt must be sent, from the start of the call. */
  readonly maxQueueWait: number
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
  readonly retriesUnknown: boolean
  /** Infinity for those of the table. */
  readonly maxAttempts: number
  /** The longest `Retry-After` that is waited for. */
  readonly maxWaitMs: number
}

/** Timeout of one attempt in milliseconds, unless the call or the operation has its own. */
export const defaultTimeoutMs = 30_000

/** Time for a token function, `headers`, a budget or a schema, in milliseconds: longer than an exchange of an OAuth token. */
export const userCodeMs = 60_000

const defaultRetry: RetryPolicy = { retriesUnknown: false, maxAttempts: Infinity, maxWaitMs: 60_000 }

/** Where an option goes: to the constructor, to `withOptions()`, or to a call. */
export type Scope = 'client' | 'withOptions' | 'call'

type OptionOwner = Pick<Operation, 'price'> & { readonly paging?: unknown }

/** Settings that have another name than their option, since they add up or are made of it. */
interface SettingNames {
  readonly budget: 'budgets'
  readonly logger: 'log'
}
const settingNames: SettingNames & Partial<Record<string, string>> = { budget: 'budgets', logger: 'log' }

type SettingName<Name> = Name extends keyof SettingNames ? SettingNames[Name] : Name

/** What the settings keep of an option; nothing of one that something else reads. */
type Kept<Name> = SettingName<Name> extends keyof CallSettings ? CallSettings[SettingName<Name>] : void

/** An option: where it goes, and what the settings keep of it. */
interface Row<Value, Setting> {
  readonly scopes: readonly Scope[]
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
  limits: { scopes: client, check: checkLimits },
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
  retry: { scopes: all, default: defaultRetry, check: resolveRetry },
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
    check: (name, budget, { budgets }) => {
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
    of: ({ price }) => price.kind === 'perItem' && price.bound === null,
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
const rowsOf = (scope: Scope): Partial<Rows> =>
  Object.fromEntries(Object.entries(rows).filter(([, { scopes }]) => scopes.includes(scope)))
const byScope = /* @__PURE__ */ (() => ({
  client: rowsOf('client'),
  withOptions: rowsOf('withOptions'),
  call: rowsOf('call'),
}))()

/** The settings of a client without options. */
export function defaultsOf(own: Pick<CallSettings, 'headers' | 'log'>): CallSettings {
  const defaults = Object.entries(rows).map(([name, row]) => ({ [settingOf(name)]: row.default }))
  return Object.assign({}, ...defaults, own) as CallSettings
}

function settingOf(name: string): string {
  return settingNames[name] ?? name
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
  scope: Scope,
  redactor: Redactor,
): CallSettings {
  const known = byScope[scope]
  assertOptions(options, known)
  const changed = { ...settings }
  for (const name of Object.keys(known) as Name[]) {
    const value: unknown = (options as Partial<Record<Name, unknown>>)[name]
    // A client's `cache` is an object of its own, and no use of it.
    if (value === undefined || (name === 'cache' && scope === 'client')) continue
    Object.assign(changed, { [settingOf(name)]: rows[name].check?.(name, value as never, changed, redactor) })
  }
  return changed
}

function resolveRetry(_: string, option: RetryOptions | false): RetryPolicy {
  const retry: RetryOptions = option === false ? { maxAttempts: 1 } : option
  assertOptions(retry, { unknown: true, maxAttempts: true, maxWait: true }, 'retry')
  const { maxAttempts, maxWait = defaultRetry.maxWaitMs } = retry
  const { unknown: retriesUnknown = defaultRetry.retriesUnknown } = retry
  const isBoolean = typeof retriesUnknown === 'boolean'
  return {
    retriesUnknown: requireOption(retriesUnknown, isBoolean, 'retry.unknown must be true or false'),
    maxAttempts:
      maxAttempts === undefined ? defaultRetry.maxAttempts : wholeNumber('retry.maxAttempts', maxAttempts),
    maxWaitMs: milliseconds('retry.maxWait', maxWait),
  }
}

function checkCacheUse(name: string, use: CacheUse): CacheUse {
  const isObject = isRecord(use)
  if (isObject) assertOptions(use, { maxAge: true }, name)
  const isValid = isObject ? use.maxAge >= 0 : [false, 'refresh', 'only'].includes(use)
  return requireOption(use, isValid, `${name} must be false, refresh, only or { maxAge: milliseconds }`)
}

function checkLimits(name: string, limits: LimitOptions): void {
  assertOptions(limits, { inFlight: true, perMinute: true, surfaces: true }, name)
}

function checkPrices(name: string, prices: Readonly<Record<string, number>>): void {
  for (const [id, credits] of Object.entries(prices)) {
    const isPrice = Number.isFinite(credits) && credits >= 0
    requireOption(credits, isPrice, `${name}.${id} must be a number of at least 0`)
  }
}
