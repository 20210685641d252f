import type { ClientOptions } from './types.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { assertMethod } from '../../errors/assert.ts'
import { type AuthProvider, assertToken } from '../http/credential.ts'
import { isPath } from '../http/base-url.ts'
import { inBrowser } from '../../lib/browser.ts'
import { hashOf } from '../../lib/hash.ts'

/**
 * The source of a client's tokens: a provider, or the key itself; null for no credential.
 *
 * @throws {ConfigurationError}
 */
export function resolveProvider(options: ClientOptions): AuthProvider | string | null {
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
export function ownerOf({ organization, apiKey, auth }: ClientOptions): string | object {
  if (organization !== undefined) return `organization ${organization}`
  return (
    (typeof apiKey === 'string' ? `key ${hashOf(apiKey).toString(36)}` : apiKey) ?? (auth || 'no credential')
  )
}
