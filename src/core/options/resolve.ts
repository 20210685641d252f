import { organizationLimits } from '../../api/limits.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { isSafe, lacksPage, resolveBaseUrl } from '../http/base-url.ts'
import { Credential } from '../http/credential.ts'
import { serviceDialect } from '../http/dialect.ts'
import {
  assertFunction,
  assertMethod,
  assertOptions,
  checked,
  nonEmptyText,
  wholeNumber,
} from '../../errors/assert.ts'
import { Redactor } from '../../lib/redact.ts'
import { CustomLimiter } from '../../limits/custom-limiter.ts'
import { type Limits, canCancel } from '../../limits/interface.ts'
import { sharedLimiter } from '../../limits/shared-limiter.ts'
import { merge, resolveRetry, sharedChanges } from './merge.ts'
import { ownerOf, resolveProvider } from './resolve-credential.ts'
import type { CallSettings, ClientSettings } from './settings.ts'
import type { ClientOptions, LimitOptions } from './types.ts'

// Records, so that the compiler finds a missing name.
const clientNames: Record<keyof ClientOptions, unknown> = {
  ...{ baseUrl: true, apiKey: true, auth: true, limits: true, limiter: true, organization: true },
  ...{ cache: true, fetch: true, dangerouslyAllowBrowser: true, prices: true },
  ...sharedChanges,
}

const limitNames: Record<keyof LimitOptions, true> = {
  ...{ share: true, inFlight: true, perMinute: true, surfaces: true, maxQueued: true },
}

/**
 * Checks the options of a client and fills in defaults.
 *
 * @throws {ConfigurationError} for invalid options; the message contains no secret.
 */
export function resolveOptions(options: ClientOptions): { client: ClientSettings; defaults: CallSettings } {
  assertOptions(options, clientNames)
  const { cache, fetch, limits = {}, limiter, organization, prices = {} } = options
  assertOptions(limits, limitNames, 'limits')
  const redactor = new Redactor()
  if (typeof options.apiKey === 'string') redactor.add(options.apiKey)
  for (const [id, credits] of Object.entries(prices)) {
    const isPrice = Number.isFinite(credits) && credits >= 0
    checked(credits, isPrice, `prices.${id} must be a number of at least 0`)
  }
  const reachable = lacksPage(options.baseUrl) ? failingOptions(options, noPage) : options
  const baseUrl = resolveBaseUrl(reachable.baseUrl, redactor)
  const provider = resolveProvider(reachable)
  // A page without https may only call its own origin, without a credential.
  if (provider !== null && !isSafe(new URL(baseUrl))) {
    throw new ConfigurationError(
      'baseUrl is a path in a page without https; no key or token may be sent there',
    )
  }
  if (organization !== undefined) nonEmptyText('organization', organization)
  for (const method of ['acquire', 'hold'])
    if (limiter !== undefined) assertMethod('limiter', limiter, method)
  const owner = ownerOf(reachable)
  const own = limiter ?? sharedLimiter(owner, baseUrl)
  const client: ClientSettings = {
    baseUrl,
    dialect: serviceDialect,
    credential: new Credential(provider, redactor),
    redactor,
    limiter: canCancel(own) ? own : new CustomLimiter(own),
    ...limitSettings(limits, limiter?.limits),
    prices: { ...prices },
    cache: cache && assertMethod('cache', cache, 'connect').connect(baseUrl, owner),
    fetch: fetch === undefined ? fetch : assertFunction('fetch', fetch),
  }
  return { client, defaults: merge(packageDefaults, options, sharedChanges, redactor) }
}

const packageDefaults: CallSettings = {
  deadlineMs: Infinity,
  maxQueueWaitMs: Infinity,
  retry: resolveRetry({}),
  validation: 'strict',
  budgets: [],
  observers: [],
  headers: new Headers(),
  priority: 0,
}

const noPage =
  'baseUrl is a path, which needs a page; on a server, pass the full URL of the service or of your backend'

/**
 * Options of a client whose calls fail with `message` before they are queued. A build of pages creates clients without
 * making calls.
 */
export function failingOptions<Options extends object>(
  options: Options,
  message: string,
): Options & Pick<ClientOptions, 'baseUrl' | 'apiKey' | 'auth'> {
  const token = (): never => {
    throw new ConfigurationError(message)
  }
  return { ...options, baseUrl: 'https://none.invalid', apiKey: undefined, auth: { token } }
}

/** @param all The organization's limits. */
function limitSettings(
  limits: LimitOptions,
  all: Pick<Limits, 'inFlight' | 'perMinute'> = organizationLimits,
): Pick<ClientSettings, 'share' | 'maxQueued' | 'surfaces'> {
  const { share = 1, maxQueued, surfaces } = limits
  checked(share, share > 0 && share <= 1, 'limits.share must be a number above 0 and up to 1')
  const part = (limit: number): number => Math.max(1, Math.floor(limit * share))
  const { inFlight = part(all.inFlight), perMinute = part(all.perMinute) } = limits
  return {
    share: {
      inFlight: wholeNumber('limits.inFlight', inFlight, all.inFlight),
      perMinute: perMinute === false ? Infinity : wholeNumber('limits.perMinute', perMinute),
    },
    maxQueued: maxQueued === undefined ? Infinity : wholeNumber('limits.maxQueued', maxQueued),
    surfaces: { ...surfaces },
  }
}
