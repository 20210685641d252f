import { organizationLimits } from '../api/limits.ts'
import { ConfigurationError } from '../errors/index.ts'
import type { Limits } from './interface.ts'
import { LocalLimiter } from './local-limiter.ts'

/**
 * Limiters by label, or hash of a key, and base URL. They outlive their clients: a program that makes a client for each job
 * must count the requests of earlier jobs, and what is an error must not depend on when garbage is collected.
 */
const byLabel = new Map<string, LocalLimiter>()
const byProvider = new WeakMap<object, typeof byLabel>()

/**
 * The limiter of one organization in this process.
 *
 * @param owner Identifies the organization: a label, the hash of a key, or the object that provides its tokens.
 * @throws {ConfigurationError} if another client of the organization had other limits.
 */
export function limiterOfProcess(
  owner: string | object,
  baseUrl: string,
  limits: Partial<Limits> = {},
): LocalLimiter {
  const isLabel = typeof owner === 'string'
  const limiters = isLabel ? byLabel : (byProvider.get(owner) ?? new Map<string, LocalLimiter>())
  if (!isLabel) byProvider.set(owner, limiters)
  const key = isLabel ? `${owner} ${baseUrl}` : baseUrl
  const limiter = limiters.get(key) ?? new LocalLimiter(limits, organizationLimits)
  limiters.set(key, limiter)
  for (const [name, own] of Object.entries(limits)) {
    const other = limiter.limits[name as keyof Limits]
    if (other !== own)
      throw new ConfigurationError(
        `limits.${name} is ${other} in another client of this organization, got ${own}`,
      )
  }
  return limiter
}
