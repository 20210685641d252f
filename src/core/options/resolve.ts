import type { AnyCallOptions, ClientOptions, LimitOptions, SharedOptions } from './types.ts'
import { type Limits, type Share } from '../limits/limiter.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { organizationLimits } from '../../contract/limits.ts'
import {
  assertMethod,
  assertOptions,
  assertSignal,
  milliseconds,
  nonEmptyText,
  shown,
  wholeNumber,
} from '../lib/assert.ts'
import { Credential } from '../http/credential.ts'
import { assertSafe, resolveBaseUrl } from '../http/base-url.ts'
import { serviceDialect } from '../http/dialect.ts'
import { resolveFetch } from '../http/send.ts'
import { sharedLimiter } from '../limits/local-limiter.ts'
import { createLog } from '../lib/logger.ts'
import { defaultRetry, overlay } from './merge.ts'
import { ownerOf, resolveProvider } from '../http/resolve-credential.ts'
import { Redactor } from '../lib/redact.ts'
import type { CallSettings, Settings } from './settings.ts'
import { ConfigurationError } from '../../errors.ts'

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
  if (organization !== undefined) nonEmptyText('organization', organization)
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
