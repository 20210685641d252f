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
import type { AnyCallOptions, CacheUse, CommonOptions, Observer, RetryOptions, Validation } from './types.ts'
import type { Operation } from '../../api/operation.ts'
import { ConfigurationError } from '../../errors/index.ts'
import {
  assertMethod,
  assertObject,
  assertOptions,
  assertSchema,
  assertSignal,
  describeWord,
  milliseconds,
  requireOption,
  wholeNumber,
} from '../../errors/check-options.ts'
import { isRecord } from '../../lib/is-record.ts'

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
  readonly ceiling?: number
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

export const defaultRetry: RetryPolicy = { ambiguous: false, maxAttempts: Infinity, maxWaitMs: 60_000 }

/** Timeout of one attempt in milliseconds, unless the call or the operation has its own. */
export const defaultTimeoutMs = 30_000

/** Time for a token function, `headers`, a budget or a schema, in milliseconds: longer than an exchange of an OAuth token. */
export const userCodeMs = 60_000

export const packageDefaults: Omit<CallSettings, 'headers'> = {
  deadlineMs: Infinity,
  maxQueueWaitMs: Infinity,
  retry: defaultRetry,
  validation: 'strict',
  budgets: [],
  observers: [],
  priority: 0,
}

/** For each option, a function that checks its value and returns the settings that it changes, in this order. */
type Changes<Options> = {
  readonly [Name in keyof Options]-?: (
    value: NonNullable<Options[Name]>,
    settings: CallSettings,
    redactor: Redactor,
  ) => Partial<CallSettings> | void
}

/** Budgets add up, so that a call cannot drop a limit; headers merge; other options replace. */
const commonChanges: Changes<Omit<CommonOptions, 'logger'>> = {
  timeout: (timeout) => ({ timeoutMs: milliseconds('timeout', timeout) }),
  deadline: (deadline) => ({ deadlineMs: milliseconds('deadline', deadline) }),
  maxQueueWait: (wait) => ({ maxQueueWaitMs: milliseconds('maxQueueWait', wait) }),
  retry: (retry) => ({ retry: resolveRetry(retry) }),
  validation: (validation) => {
    if (['strict', 'lenient', 'off'].includes(validation)) return { validation }
    throw new ConfigurationError(`validation must be strict, lenient or off, got ${describeWord(validation)}`)
  },
  budget: (budget, { budgets }) => {
    const given: unknown = budget
    requireOption(given, typeof given !== 'number', `budget must be new CreditBudget(${given as number})`)
    return { budgets: [...new Set([...budgets, assertMethod('budget', budget, 'reserve')])] }
  },
  headers: (headers, { headers: base }, redactor) => ({ headers: mergeHeaders(base, headers, redactor) }),
  observers: (observers, settings) => {
    const isList = Array.isArray(observers) && observers.every((each) => typeof each === 'object' && each)
    requireOption(observers, isList, 'observers must be an array of objects')
    return { observers: [...new Set([...settings.observers, ...observers])] }
  },
}

export const sharedChanges: Changes<CommonOptions> = {
  ...commonChanges,
  logger: (logger, _, redactor) => {
    if (logger !== false) assertObject('logger', logger)
    return { log: createLog(logger, redactor) }
  },
}

/** The options of a call. */
export const callChanges: Changes<AnyCallOptions> = {
  signal: (signal) => ({ signal: assertSignal('signal', signal) }),
  priority: (priority) => ({
    priority: requireOption(priority, Number.isFinite(priority), 'priority must be a finite number'),
  }),
  ...commonChanges,
  cache: (cache) => {
    const isObject = isRecord(cache)
    if (isObject) assertOptions(cache, { maxAge: true }, 'cache')
    const isValid = isObject ? cache.maxAge >= 0 : [false, 'refresh', 'only'].includes(cache)
    return {
      cache: requireOption(cache, isValid, 'cache must be false, refresh, only or { maxAge: milliseconds }'),
    }
  },
  schema: (schema) => ({ schema: assertSchema(schema) }),
  // The request has it.
  extraParams: (extra) =>
    void requireOption<unknown>(extra, isRecord(extra), 'extraParams must be an object'),
  // The walk reads these two.
  limit: (limit) => void wholeNumber('limit', limit),
  maxPages: (maxPages) => void wholeNumber('maxPages', maxPages),
  ceiling: (ceiling) => ({ ceiling: wholeNumber('ceiling', ceiling) }),
  paging: (paging, { schema }) => {
    assertOptions(paging, { items: true, next: true }, 'paging')
    // The table applies `schema` first.
    if (schema === undefined || typeof paging.items !== 'function') return { paging }
    throw new ConfigurationError('paging.items must be a name if a schema is given')
  },
}

/** Whether a call of the operation has an option of this name. */
export function isOption(
  name: string,
  { paging, price }: { paging?: unknown; price: Operation['price'] },
): boolean {
  if (['limit', 'maxPages', 'paging'].includes(name)) return paging !== undefined
  return name === 'ceiling' ? price.kind === 'perItem' : Object.hasOwn(callChanges, name)
}

/** Checks the values of options, and returns the settings that result from them. */
export function merge<Options>(
  settings: CallSettings,
  options: Options,
  changes: Changes<Options>,
  redactor: Redactor,
): CallSettings {
  const merged = { ...settings }
  for (const name of Object.keys(changes) as (keyof Options)[]) {
    const value = options[name]
    if (value !== undefined)
      Object.assign(merged, changes[name](value as NonNullable<typeof value>, merged, redactor))
  }
  return merged
}

function resolveRetry(option: RetryOptions | false): RetryPolicy {
  const retry: RetryOptions = option === false ? { maxAttempts: 1 } : option
  assertOptions(retry, { ambiguous: true, maxAttempts: true, maxWait: true }, 'retry')
  const { ambiguous = defaultRetry.ambiguous, maxAttempts, maxWait = defaultRetry.maxWaitMs } = retry
  return {
    ambiguous: requireOption(
      ambiguous,
      typeof ambiguous === 'boolean',
      'retry.ambiguous must be true or false',
    ),
    maxAttempts:
      maxAttempts === undefined ? defaultRetry.maxAttempts : wholeNumber('retry.maxAttempts', maxAttempts),
    maxWaitMs: milliseconds('retry.maxWait', maxWait),
  }
}
