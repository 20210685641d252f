import { ConfigurationError } from '../../errors/index.ts'
import type { CreditSummary } from '../credits/budget.ts'
import { isPath, isSafe, lacksPage, resolveBaseUrl } from '../http/base-url.ts'
import { type AuthProvider, Credential, NoCredential, assertToken } from '../http/credential.ts'
import { type BodyFormat, serviceFormat } from '../http/answer.ts'
import type { Fetch } from '../http/fetch.ts'
import { userAgent } from '../http/headers.ts'
import { assertMethod, assertObject } from '../../errors/check-options.ts'
import { inBrowser } from '../../lib/runtime.ts'
import { fnv1a } from '../../lib/hash.ts'
import { createLog, defaultLogger } from '../../lib/logger.ts'
import type { CallLimiter } from '../../limits/interface.ts'
import { limiterOfProcess, limitsOf } from '../../limits/process-limiter.ts'
import { type CallSettings, type ClientOptions, defaultsOf, withOptions } from './options.ts'
import { type Redactor, redactorOf } from '../../lib/redactor.ts'

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
  /** What their calls have cost, by operation; not rounded. */
  readonly ledger: Map<string, CreditSummary>
  /** Operations of which the service has announced the end. */
  readonly ending: Set<string>
  /** The user's prices by operation id, in credits. */
  readonly prices: Readonly<Record<string, number>>
  /** Surfaces that the user has set, by operation id; null for none. */
  readonly surfaces: Readonly<Record<string, string | null>>
  /** Undefined for the global fetch. */
  readonly fetch: Fetch | undefined
}

/**
 * Checks the options of a client and fills in defaults.
 *
 * @throws {ConfigurationError} for invalid options; the message contains no secret.
 */
export function resolveOptions(options: ClientOptions): { client: ClientSettings; defaults: CallSettings } {
  assertObject('options', options)
  const redactor = redactorOf(options)
  const own = { headers: userAgent(), logger: createLog(defaultLogger, redactor) }
  const defaults = withOptions(defaultsOf(own), options, 'client', redactor)
  const { fetch, limits = {}, limiter, prices = {} } = options
  const reachable = lacksPage(options.baseUrl) ? failingOptions(options, noPage) : options
  const baseUrl = resolveBaseUrl(reachable.baseUrl, redactor)
  const provider = resolveProvider(reachable)
  // A page without https may only call its own origin, without a credential.
  if (provider !== null && !isSafe(new URL(baseUrl))) {
    throw new ConfigurationError('baseUrl is a path in a page without https; use https')
  }
  const owner = ownerOf(reachable)
  const ownLimits = limitsOf(limits)
  if (limiter !== undefined)
    for (const name of Object.keys(ownLimits))
      throw new ConfigurationError(`limits.${name} contradicts limiter, which has the limits`)
  const client: ClientSettings = {
    baseUrl,
    owner,
    bodyFormat: serviceFormat,
    isProxy: provider === null || isPath(options.baseUrl),
    credential: new Credential(provider, redactor),
    redactor,
    limiter: limiter ?? limiterOfProcess(owner, baseUrl, ownLimits),
    surfaces: { ...limits.surfaces },
    ledger: new Map(),
    ending: new Set(),
    prices: { ...prices },
    fetch,
  }
  return { client, defaults }
}

const noPage = 'baseUrl is a path, which needs a page; on a server, pass a full URL'

/**
 * Options of a client whose calls fail with `message` before they are queued. A build of pages creates clients without
 * making calls.
 */
export function failingOptions<Options extends object>(
  options: Options,
  message: string,
): Options & Pick<ClientOptions, 'baseUrl' | 'apiKey' | 'auth'> {
  const auth = new NoCredential(new ConfigurationError(message))
  return { ...options, baseUrl: 'https://none.invalid', apiKey: undefined, auth }
}

/**
 * The source of a client's tokens: a provider, or the key itself; null for no credential.
 *
 * @throws {ConfigurationError}
 */
function resolveProvider(options: ClientOptions): AuthProvider | string | null {
  const { apiKey, auth, baseUrl, dangerouslyAllowBrowser = false } = options
  if (apiKey !== undefined && auth !== undefined)
    throw new ConfigurationError('pass either apiKey or auth, not both')
  if (auth === false) return null
  if (auth !== undefined) return assertMethod('auth', auth, 'token')
  if (apiKey === undefined) {
    if (isPath(baseUrl)) return null
    throw new ConfigurationError('apiKey is missing; pass apiKey, auth, or auth: false for a proxy')
  }
  if (inBrowser() && !dangerouslyAllowBrowser) {
    throw new ConfigurationError(
      'every visitor can read an apiKey in a browser; call a proxy, or set dangerouslyAllowBrowser',
    )
  }
  if (typeof apiKey === 'function') return { token: apiKey }
  assertToken(apiKey, 'apiKey')
  return apiKey
}

/**
 * Identifies the organization for shared limits. It outlives the client, so it must not contain the key. 64 bits distinguish
 * the keys of a process, but are too few to recover a key. The hash has no salt: edge workers forbid random numbers here, and
 * the service makes the keys, so users cannot provoke a collision.
 */
function ownerOf({ organization, apiKey, auth }: ClientOptions): string | object {
  if (organization !== undefined) return `organization ${organization}`
  return (
    (typeof apiKey === 'string' ? `key ${fnv1a(apiKey).toString(36)}` : apiKey) ?? (auth || 'no credential')
  )
}
