import type { Limits } from '../core/limits/limiter.ts'
import { organizationLimits } from '../contract/limits.ts'
import { assertOptions, milliseconds, shown, wholeNumber } from '../core/lib/assert.ts'
import { ConfigurationError } from '../errors.ts'

/** Options of a {@link WebLocksLimiter}. */
export interface WebLocksOptions {
  /** A label for the organization: limiters of one origin with the same label keep its limits together. */
  organization: string
  /** The organization's limits, where they are not the documented ones; the same for all its limiters. */
  limits?: Partial<Limits> | undefined
}

/**
 * Turns what a user passed into what tabs have in common.
 *
 * @throws {ConfigurationError} for anything that cannot work.
 */
export function resolveOptions(options: WebLocksOptions): { name: string; limits: Limits } {
  assertOptions(options, { organization: true, limits: true })
  const { organization, limits = {} } = options
  if (typeof organization !== 'string' || organization === '') {
    throw new ConfigurationError(`organization must be a text that is not empty, got ${shown(organization)}`)
  }
  assertOptions(limits, organizationLimits, 'limits')
  const { inFlight, perMinute, windowMs } = { ...organizationLimits, ...limits }
  return {
    name: clubName(organization),
    limits: {
      inFlight: wholeNumber('limits.inFlight', inFlight),
      perMinute: wholeNumber('limits.perMinute', perMinute),
      windowMs: milliseconds('limits.windowMs', windowMs),
    },
  }
}

/** What the locks and the channel of an organization are called: the same in all tabs, and without its label. */
export function clubName(organization: string): string {
  // FNV-1a with 64 bits: a name is needed at once, and digests of the platform take their time.
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(organization)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  }
  return `social-search-sdk/1/${hash.toString(16)}`
}
