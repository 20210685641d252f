import { assertOptions, nonEmptyText } from '../errors/check-options.ts'
import { hashOf } from '../lib/hash.ts'
import { type Limits, resolveLimits } from '../limits/interface.ts'

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
  // The number changes with the messages.
  return `social-search-sdk/3/${hashOf(organization).toString(16)}`
}
