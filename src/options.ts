import type { StandardSchemaV1 } from '@standard-schema/spec'
import { organizationLimits } from './contract/limits.ts'
import { assertMethod, assertObject, assertOptions, milliseconds, shown, wholeNumber } from './core/assert.ts'
import { type AuthProvider, Credential } from './core/auth.ts'
import { resolveBaseUrl } from './core/base-url.ts'
import { CreditBudget } from './core/budget.ts'
import type { Validation } from './core/decode.ts'
import type { Fetch } from './core/http.ts'
import { type Limiter, sharedLimiter } from './core/limiter.ts'
import { type Logger, createLog } from './core/logger.ts'
import type { Middleware } from './core/middleware.ts'
import { ownerOf, resolveProvider } from './core/provider.ts'
import { Redactor } from './core/redact.ts'
import type { RetryPolicy } from './core/retry-policy.ts'
import type { CallSettings, Settings, WalkLimits } from './core/settings.ts'
import { ConfigurationError } from './errors.ts'

/** How failed attempts are repeated. */
export interface RetryOptions {
  /**
   * Also repeat what may have been billed or may have changed something: a metered search that got no answer, for
   * example. Each such attempt then stands in the ledger as uncertain. Default false.
   */
  ambiguous?: boolean | undefined
  /** Most attempts of one call, the first included. Default: what the failure allows, at most 5. */
  maxAttempts?: number | undefined
  /** Longest announced wait that is waited out, in milliseconds; a longer one fails at once. Default 60,000. */
  maxWait?: number | undefined
}

/** What one client takes of the organization's limits, at most; the other clients of the organization have the rest. */
export interface LimitOptions {
  /** Requests in flight, 1 or 2. Default 2, the organization's limit. */
  inFlight?: number | undefined
  /**
   * Requests a minute at each search surface. Default 20, the organization's limit, which all its clients keep together;
   * a larger number stands for an organization that has more. False for no pacing.
   */
  perMinute?: number | false | undefined
  /**
   * The surface of an operation, by its id (`microblog.search`); null for no pacing. The service does not define its
   * search surfaces; by default each network is one.
   */
  surfaces?: Readonly<Record<string, string | null>> | undefined
}

/** Options of a client that `withOptions` may change. */
export interface SharedOptions {
  /** Time for one attempt, from sending to the last byte, in milliseconds. Default: what the service recommends for the operation, otherwise 30,000. */
  timeout?: number | undefined
  /** Time for one call with its queueing and waits, in milliseconds; each page of a walk is a call. Default none. */
  deadline?: number | undefined
  /** How failed attempts are repeated; false for one attempt only. */
  retry?: RetryOptions | false | undefined
  /** How answers are checked against the documented shape; a `schema` of the call is checked in any case. Default `strict`. */
  validation?: Validation | undefined
  /** A ceiling on credits, beside those already in force; may be shared with other clients. */
  budget?: CreditBudget | undefined
  /** Headers for every request. `Authorization` is not among them: use `apiKey` or `auth`. */
  headers?: Readonly<Record<string, string>> | Headers | undefined
  /** Wraps every attempt, the first one outermost. */
  middleware?: readonly Middleware[] | undefined
  /** Where log lines go. Default nowhere. */
  logger?: Logger | undefined
}

/** Options of a client. */
export interface ClientOptions extends SharedOptions {
  /** The service's base address, ending in `/v1`. https, or http on a loopback address; in a browser also a path such as `/api/social`. */
  baseUrl: string
  /** The organization's API key, or a function that returns it, called before each attempt. */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** Provides bearer tokens, in place of `apiKey`; false for a proxy that adds the credential itself. */
  auth?: AuthProvider | false | undefined
  /** What this client takes of the organization's limits, at most. */
  limits?: LimitOptions | undefined
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
  'timeout' | 'deadline' | 'retry' | 'validation' | 'budget' | 'headers'
> {
  /** Aborts the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** The option that gives the records of a call another type. */
export interface SchemaOption<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  /** Checks each record, and may transform it: any Standard Schema. Its output is the type of the records. */
  schema: Schema
}

/** Options of a call that walks pages. */
export interface PagedOptions extends CallOptions {
  /** Items after which the walk ends. Whole pages are bought; `pages()` yields the last one whole. */
  limit?: number | undefined
  /** Most pages that the walk buys. */
  maxPages?: number | undefined
}

/** Whatever options a call may have. */
export type AnyCallOptions = PagedOptions & Partial<SchemaOption>

// Written as records, so that the compiler knows when a name is missing.
const sharedNames: Record<keyof SharedOptions, true> = {
  ...{ timeout: true, deadline: true, retry: true, validation: true },
  ...{ budget: true, headers: true, middleware: true, logger: true },
}

const clientNames: Record<keyof ClientOptions, true> = {
  ...{ baseUrl: true, apiKey: true, auth: true, limits: true, limiter: true, organization: true },
  ...{ fetch: true, dangerouslyAllowBrowser: true },
  ...sharedNames,
}

const callNames: Record<keyof AnyCallOptions, true> = {
  ...{ signal: true, timeout: true, deadline: true, retry: true, validation: true, budget: true },
  ...{ headers: true, schema: true, limit: true, maxPages: true },
}

/**
 * Turns what a user passed into complete, checked settings.
 *
 * @throws {ConfigurationError} for anything that cannot work; the message holds no secret.
 */
export function resolveOptions(options: ClientOptions): Settings {
  assertOptions(options, clientNames)
  const { limits = {}, limiter, organization, fetch } = options
  assertOptions(limits, { inFlight: true, perMinute: true, surfaces: true }, 'limits')
  const redactor = new Redactor()
  if (typeof options.apiKey === 'string') redactor.add(options.apiKey)
  const baseUrl = resolveBaseUrl(options.baseUrl, redactor)
  const credential = new Credential(resolveProvider(options), redactor)
  const { inFlight = organizationLimits.inFlight, perMinute = organizationLimits.perMinute } = limits
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw new ConfigurationError(`fetch must be a function, got ${shown(fetch)}`)
  }
  if (organization !== undefined && (typeof organization !== 'string' || organization === '')) {
    throw new ConfigurationError(`organization must be a text that is not empty, got ${shown(organization)}`)
  }
  for (const method of ['acquire', 'hold'])
    if (limiter !== undefined) assertMethod('limiter', limiter, method)
  const settings: Settings = {
    baseUrl,
    credential,
    redactor,
    limiter: limiter ?? sharedLimiter(ownerOf(options), baseUrl),
    share: {
      inFlight: wholeNumber('limits.inFlight', inFlight, organizationLimits.inFlight),
      perMinute: perMinute === false ? Infinity : wholeNumber('limits.perMinute', perMinute),
    },
    surfaceOf: ({ id, surface }) => (limits.surfaces?.[id] === undefined ? surface : limits.surfaces[id]),
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
    timeoutMs: undefined,
    deadlineMs: undefined,
    retry: defaultRetry,
    validation: 'strict',
    budgets: [],
    headers: new Headers(),
    middleware: [],
    log: createLog(undefined, redactor),
  }
  return overlay(settings, options)
}

/** The settings of a client made with `withOptions`. */
export function resolveShared(settings: Settings, options: SharedOptions): Settings {
  assertOptions(options, sharedNames)
  return overlay(settings, options)
}

/** The settings of one call. */
export function resolveCall(settings: Settings, options: AnyCallOptions): CallSettings {
  assertOptions(options, callNames)
  const { signal, schema } = options
  for (const method of ['throwIfAborted', 'addEventListener', 'removeEventListener']) {
    if (signal !== undefined) assertMethod('signal', signal, method)
  }
  if (schema !== undefined)
    assertMethod(
      "schema's ~standard",
      (schema as Partial<StandardSchemaV1> | null)?.['~standard'],
      'validate',
    )
  return { ...overlay(settings, options), signal, schema }
}

/** The bounds of one walk. */
export function resolveWalk({ limit, maxPages }: PagedOptions): WalkLimits {
  return {
    items: limit === undefined ? Infinity : wholeNumber('limit', limit),
    pages: maxPages === undefined ? Infinity : wholeNumber('maxPages', maxPages),
  }
}

/** Budgets add up, since a ceiling that a call could drop would be none; headers merge; the rest replaces. */
function overlay(settings: Settings, options: SharedOptions): Settings {
  const { timeout, deadline, retry, validation, budget, headers, middleware, logger } = options
  if (validation !== undefined && !['strict', 'lenient', 'off'].includes(validation)) {
    throw new ConfigurationError(`validation must be strict, lenient or off, got ${shown(validation)}`)
  }
  if (budget !== undefined && !(budget instanceof CreditBudget)) {
    throw new ConfigurationError(`budget must be a CreditBudget, got ${shown(budget)}`)
  }
  if (logger !== undefined) assertObject('logger', logger)
  if (
    middleware !== undefined &&
    !(Array.isArray(middleware) && middleware.every((layer) => typeof layer === 'function'))
  ) {
    throw new ConfigurationError('middleware must be an array of functions')
  }
  return {
    ...settings,
    ...(timeout !== undefined && { timeoutMs: milliseconds('timeout', timeout) }),
    ...(deadline !== undefined && { deadlineMs: milliseconds('deadline', deadline) }),
    ...(retry !== undefined && { retry: resolveRetry(retry) }),
    ...(validation !== undefined && { validation }),
    ...(budget !== undefined && { budgets: [...new Set([...settings.budgets, budget])] }),
    ...(headers !== undefined && { headers: resolveHeaders(settings.headers, headers, settings.redactor) }),
    ...(middleware !== undefined && { middleware }),
    ...(logger !== undefined && { log: createLog(logger, settings.redactor) }),
  }
}

const defaultRetry: RetryPolicy = { ambiguous: false, maxAttempts: Infinity, maxWaitMs: 60_000 }

function resolveRetry(retry: RetryOptions | false): RetryPolicy {
  if (retry === false) return { ...defaultRetry, maxAttempts: 1 }
  assertOptions(retry, { ambiguous: true, maxAttempts: true, maxWait: true }, 'retry')
  const { ambiguous = defaultRetry.ambiguous, maxAttempts, maxWait } = retry
  if (typeof ambiguous !== 'boolean') {
    throw new ConfigurationError(`retry.ambiguous must be true or false, got ${shown(ambiguous)}`)
  }
  return {
    ambiguous,
    maxAttempts:
      maxAttempts === undefined ? defaultRetry.maxAttempts : wholeNumber('retry.maxAttempts', maxAttempts),
    maxWaitMs: maxWait === undefined ? defaultRetry.maxWaitMs : milliseconds('retry.maxWait', maxWait),
  }
}

function resolveHeaders(
  base: Headers,
  headers: NonNullable<SharedOptions['headers']>,
  redactor: Redactor,
): Headers {
  assertObject('headers', headers)
  const merged = new Headers(base)
  for (const [name, value] of headers instanceof Headers ? headers : Object.entries(headers)) {
    if (name.toLowerCase() === 'authorization') {
      throw new ConfigurationError('headers must not hold Authorization; pass apiKey or auth instead')
    }
    try {
      merged.set(name, value)
    } catch {
      // The runtime's own error repeats the value, which may be a secret.
      const given = redactor.text(JSON.stringify(name))
      throw new ConfigurationError(`the header ${given} has a name or value that cannot be sent`)
    }
  }
  return merged
}
