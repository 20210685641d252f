import { assertOptions, nonEmptyText } from '../errors/assert.ts'
import { type Limits, resolveLimits } from '../limits/limiter.ts'

/** Options of a {@link WebLocksLimiter}. */
export interface WebLocksOptions {
  /** A label for the organization: limiters of one origin with the same label share its limits. */
  organization: string
  /** The organization's limits, if they differ from the documented ones. Pass the same to all its limiters. */
  limits?: Partial<Limits> | undefined
}

/**
 * Checks the options and fills in defaults.
 *
 * @throws {ConfigurationError} for invalid options.
 */
export function resolveOptions(options: WebLocksOptions): { name: string; limits: Limits } {
  assertOptions(options, { organization: true, limits: true })
  const organization = nonEmptyText('organization', options.organization)
  return { name: channelName(organization), limits: resolveLimits(options.limits) }
}

/** The name of an organization's channel and the prefix of its locks: the same in all tabs, without its label. */
export function channelName(organization: string): string {
  // 64-bit FNV-1a: the name is needed synchronously, and the platform's digests are asynchronous.
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(organization)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  }
  // The number changes with the messages.
  return `social-search-sdk/2/${hash.toString(16)}`
}
