import type { StandardSchemaV1 } from '@standard-schema/spec'
import { organizationLimits } from './contract/limits.ts'
import type { OpenBody, OpenRecord } from './contract/open.ts'
import { assertMethod, assertOptions, assertSignal, milliseconds, shown, wholeNumber } from './core/assert.ts'
import { type AuthProvider, Credential } from './core/auth.ts'
import { assertSafe, resolveBaseUrl } from './core/base-url.ts'
import type { Budget } from './core/budget.ts'
import type { Validation } from './core/decode.ts'
import { serviceDialect } from './core/dialect.ts'
import { type Fetch, resolveFetch } from './core/http.ts'
import { type Limiter, type Limits, type Share, sharedLimiter } from './core/limiter.ts'
import { type Logger, createLog } from './core/logger.ts'
import type { Middleware } from './core/middleware.ts'
import { defaultRetry, overlay } from './core/overlay.ts'
import { ownerOf, resolveProvider } from './core/provider.ts'
import { Redactor } from './core/redact.ts'
import type { CallSettings, Settings } from './core/settings.ts'
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
  /**
   * Longest announced wait that is waited out, in milliseconds; a longer one fails at once. Waits that 429s announce do not
   * use up attempts until they come to as much together. Default 60,000.
   */
  maxWait?: number | undefined
}

/** What one client takes of the organization's limits, at most; the other clients of the organization have the rest. */
export interface LimitOptions {
  /** The part of all limits that this client takes, above 0 and up to 1, where others use the organization, too. Default 1. */
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
  budget?: Budget | undefined
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
  'timeout' | 'deadline' | 'retry' | 'validation' | 'budget' | 'headers'
> {
  /** Aborts the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Among the calls that wait for the same search surface, the higher goes first: a dashboard's before a batch's. Default 0. */
  priority?: number | undefined
}

/** An option of calls whose price depends on how much comes back, with no documented bound. */
export interface CeilingOption {
  /**
   * Items to set credits aside for; a call for which a budget has less left is refused. It is no bound: the service may
   * return more, and charges for each. Default 1,000, an assumption of this package.
   */
  ceiling?: number | undefined
}

/** Options of a list whose shape is not documented. */
export interface OpenListOptions extends PagedOptions {
  /**
   * Where items and next page are, where the inferred convention does not fit: an array under the resource's name,
   * `meta.hasMore`, `meta.nextCursor`.
   */
  paging?: PagingOverride | undefined
}

/** How to walk a list whose shape is not documented. */
export interface PagingOverride {
  /** Name of the array in the body, or a function that finds the items. */
  items?: string | ((body: OpenBody) => readonly unknown[]) | undefined
  /** Params of the next page, or null after the last one. */
  next?: ((body: OpenBody, params: OpenRecord) => OpenRecord | null) | undefined
}

/** The option that gives the records of a call another type. */
export interface SchemaOption<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  /**
   * Checks each record of a list, or the whole body of a call that is no list, and may transform it: any Standard Schema.
   * Its output is the type of what it checks.
   */
  schema: Schema
}

/** Options of a call that walks pages. */
export interface PagedOptions extends CallOptions {
  /** Items after which the walk ends. Whole pages are bought; `pages()` yields the last one whole. */
  limit?: number | undefined
  /** Most pages that the walk buys. */
  maxPages?: number | undefined
}

/** Options of those who call for somebody else, who may leave and does not wait for long. */
interface RelayOptions {
  /** Aborts the call while no request of it is under way: what has been sent may be charged, so its answer is waited for. */
  abandon?: AbortSignal | undefined
  /** Time in which the call may be sent, in milliseconds; past it, an answer under way is still waited for. */
  sendWithin?: number | undefined
}

/** Whatever options a call may have. */
export type AnyCallOptions = OpenListOptions & CeilingOption & RelayOptions & Partial<SchemaOption>

// Written as records, so that the compiler knows when a name is missing.
const sharedNames: Record<keyof SharedOptions, true> = {
  ...{ timeout: true, deadline: true, retry: true, validation: true },
  ...{ budget: true, headers: true, middleware: true, logger: true },
}

const clientNames: Record<keyof ClientOptions, true> = {
  ...{ baseUrl: true, apiKey: true, auth: true, limits: true, limiter: true, organization: true },
  ...{ fetch: true, dangerouslyAllowBrowser: true, prices: true },
  ...sharedNames,
}

const limitNames: Record<keyof LimitOptions, true> = {
  ...{ share: true, inFlight: true, perMinute: true, surfaces: true, maxQueued: true },
}

const callNames: Record<keyof AnyCallOptions, true> = {
  ...{
    signal: true,
    priority: true,
    timeout: true,
    deadline: true,
    retry: true,
    validation: true,
    budget: true,
  },
  ...{ headers: true, schema: true, limit: true, maxPages: true, ceiling: true, paging: true },
  ...{ abandon: true, sendWithin: true },
}

/**
 * Turns what a user passed into complete, checked settings.
 *
 * @throws {ConfigurationError} for anything that cannot work; the message holds no secret.
 */
export function resolveOptions(options: ClientOptions): Settings {
  assertOptions(options, clientNames)
  const { limits = {}, limiter, organization } = options
  assertOptions(limits, limitNames, 'limits')
  const redactor = new Redactor()
  if (typeof options.apiKey === 'string') redactor.add(options.apiKey)
  for (const [id, credits] of Object.entries(options.prices ?? {})) {
    if (!(Number.isFinite(credits) && credits >= 0)) {
      throw new ConfigurationError(`prices.${id} must be a number of at least 0, got ${shown(credits)}`)
    }
  }
  const baseUrl = resolveBaseUrl(options.baseUrl, redactor)
  const provider = resolveProvider(options)
  if (provider !== null) assertSafe(baseUrl)
  const fetch = resolveFetch(options.fetch)
  if (organization !== undefined && (typeof organization !== 'string' || organization === '')) {
    throw new ConfigurationError(`organization must be a text that is not empty, got ${shown(organization)}`)
  }
  for (const method of ['acquire', 'hold'])
    if (limiter !== undefined) assertMethod('limiter', limiter, method)
  const settings: Settings = {
    baseUrl,
    dialect: serviceDialect,
    credential: new Credential(provider, redactor),
    redactor,
    limiter: limiter ?? sharedLimiter(ownerOf(options), baseUrl),
    share: resolveShare(limits, limiter?.limits),
    queue: {
      length: 0,
      open: 0,
      max: limits.maxQueued === undefined ? Infinity : wholeNumber('limits.maxQueued', limits.maxQueued),
    },
    surfaceOf: ({ id, surface }) => (limits.surfaces?.[id] === undefined ? surface : limits.surfaces[id]),
    prices: { ...options.prices },
    fetch,
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

function resolveShare(limits: LimitOptions, all: Pick<Limits, keyof Share> = organizationLimits): Share {
  const { share = 1 } = limits
  if (!(share > 0 && share <= 1)) {
    throw new ConfigurationError(`limits.share must be a number above 0 and up to 1, got ${shown(share)}`)
  }
  const part = (limit: number): number => Math.max(1, Math.floor(limit * share))
  const { inFlight = part(all.inFlight), perMinute = part(all.perMinute) } = limits
  return {
    inFlight: wholeNumber('limits.inFlight', inFlight, all.inFlight),
    perMinute: perMinute === false ? Infinity : wholeNumber('limits.perMinute', perMinute),
  }
}

/** The settings of a client made with `withOptions`. */
export function resolveShared(settings: Settings, options: SharedOptions): Settings {
  assertOptions(options, sharedNames)
  return overlay(settings, options)
}

/** The settings of one call. */
export function resolveCall(settings: Settings, options: AnyCallOptions): CallSettings {
  assertOptions(options, callNames)
  const { signal, abandon, priority = 0, schema, ceiling, paging } = options
  assertSignal('signal', signal)
  assertSignal('abandon', abandon)
  if (schema !== undefined)
    assertMethod(
      "schema's ~standard",
      (schema as Partial<StandardSchemaV1> | null)?.['~standard'],
      'validate',
    )
  if (!Number.isFinite(priority)) {
    throw new ConfigurationError(`priority must be a finite number, got ${shown(priority)}`)
  }
  const sendWithinMs =
    options.sendWithin === undefined ? undefined : milliseconds('sendWithin', options.sendWithin)
  if (ceiling !== undefined) wholeNumber('ceiling', ceiling)
  if (paging !== undefined) assertOptions(paging, { items: true, next: true }, 'paging')
  if (schema !== undefined && typeof paging?.items === 'function') {
    throw new ConfigurationError(
      'paging.items must be a name where a schema is given, so that its output can take their place',
    )
  }
  return { ...overlay(settings, options), signal, abandon, sendWithinMs, priority, schema, ceiling, paging }
}
