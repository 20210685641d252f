import { organizationLimits } from '../../contract/limits.ts'
import { ConfigurationError } from '../../errors.ts'
import { isSafe, lacksPage, resolveBaseUrl } from '../http/base-url.ts'
import { Credential } from '../http/credential.ts'
import { serviceDialect } from '../http/dialect.ts'
import {
  assertFunction,
  assertMethod,
  assertOptions,
  assertSchema,
  assertSignal,
  nonEmptyText,
  shown,
  wholeNumber,
} from '../lib/assert.ts'
import { Redactor } from '../lib/redact.ts'
import { CustomLimiter, isCallQueue } from '../limits/custom-limiter.ts'
import type { Limits, Share } from '../limits/limiter.ts'
import { sharedLimiter } from '../limits/shared-limiter.ts'
import { defaultRetry, merge } from './merge.ts'
import { failingOptions, ownerOf, resolveProvider } from './resolve-credential.ts'
import type { Settings } from './settings.ts'
import type { AnyCallOptions, ClientOptions, LimitOptions, SharedOptions } from './types.ts'

// Records, so that the compiler finds a missing name.
const sharedNames: Record<keyof SharedOptions, true> = {
  ...{ timeout: true, deadline: true, retry: true, validation: true },
  ...{ budget: true, headers: true, middleware: true, logger: true, onWait: true },
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
  ...{ signal: true, priority: true, timeout: true, deadline: true, retry: true, validation: true },
  ...{
    budget: true,
    headers: true,
    onWait: true,
    schema: true,
    limit: true,
    maxPages: true,
    ceiling: true,
    paging: true,
  },
}

const noPage =
  'baseUrl is a path, which needs a page; on a server, pass the full URL of the service or of your backend'

/**
 * Checks the options of a client and fills in defaults.
 *
 * @throws {ConfigurationError} for invalid options; the message contains no secret.
 */
export function resolveOptions(options: ClientOptions): Settings {
  assertOptions(options, clientNames)
  const { fetch, limits = {}, limiter, organization, prices = {} } = options
  assertOptions(limits, limitNames, 'limits')
  const redactor = new Redactor()
  if (typeof options.apiKey === 'string') redactor.add(options.apiKey)
  for (const [id, credits] of Object.entries(prices)) {
    if (!(Number.isFinite(credits) && credits >= 0)) {
      throw new ConfigurationError(`prices.${id} must be a number of at least 0, got ${shown(credits)}`)
    }
  }
  const reachable = lacksPage(options.baseUrl) ? failingOptions(options, noPage) : options
  const baseUrl = resolveBaseUrl(reachable.baseUrl, redactor)
  const provider = resolveProvider(reachable)
  // A page without https may only call its own origin, without a credential.
  if (provider !== null && !isSafe(new URL(baseUrl))) {
    throw new ConfigurationError('baseUrl is a path in a page without https; no key or token may be sent there')
  }
  if (organization !== undefined) nonEmptyText('organization', organization)
  for (const method of ['acquire', 'hold'])
    if (limiter !== undefined) assertMethod('limiter', limiter, method)
  const own = limiter ?? sharedLimiter(ownerOf(reachable), baseUrl)
  const settings: Omit<Settings, 'limiter'> = {
    baseUrl,
    dialect: serviceDialect,
    credential: new Credential(provider, redactor),
    redactor,
    share: resolveShare(limits, limiter?.limits),
    maxQueued: limits.maxQueued === undefined ? Infinity : wholeNumber('limits.maxQueued', limits.maxQueued),
    surfaces: { ...limits.surfaces },
    prices: { ...prices },
    fetch: fetch === undefined ? fetch : assertFunction('fetch', fetch),
    timeoutMs: undefined,
    deadlineMs: Infinity,
    retry: defaultRetry,
    validation: 'strict',
    budgets: [],
    headers: new Headers(),
    middleware: [],
    log: undefined,
    onWait: undefined,
    signal: undefined,
    priority: 0,
    schema: undefined,
    paging: undefined,
    ceiling: undefined,
  }
  const merged = merge(settings, options)
  return { ...merged, limiter: isCallQueue(own) ? own : new CustomLimiter(own, merged.log) }
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
  const merged = merge(settings, options)
  const { limiter, log } = merged
  return limiter instanceof CustomLimiter ? { ...merged, limiter: limiter.withLog(log) } : merged
}

/** The settings of a call with its own options. */
export function resolveCall(settings: Settings, options: AnyCallOptions): Settings {
  assertOptions(options, callNames)
  const { signal, priority = 0, schema, ceiling, paging } = options
  assertSignal('signal', signal)
  if (schema !== undefined) assertSchema(schema)
  if (!Number.isFinite(priority)) {
    throw new ConfigurationError(`priority must be a finite number, got ${shown(priority)}`)
  }
  if (ceiling !== undefined) wholeNumber('ceiling', ceiling)
  if (paging !== undefined) assertOptions(paging, { items: true, next: true }, 'paging')
  if (schema !== undefined && typeof paging?.items === 'function') {
    throw new ConfigurationError('paging.items must be a name if a schema is given')
  }
  return { ...merge(settings, options), signal, priority, schema, ceiling, paging }
}
