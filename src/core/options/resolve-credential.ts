import type { ClientOptions } from './types.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { assertMethod } from '../../errors/assert.ts'
import { type AuthProvider, assertToken } from '../http/credential.ts'
import { isPath } from '../http/base-url.ts'
import { inBrowser } from '../../lib/browser.ts'

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

/** Identifies the organization for shared limits. It outlives the client, so it must not contain the key. */
export function ownerOf({ organization, apiKey, auth }: ClientOptions): string | object {
  if (organization !== undefined) return `organization ${organization}`
  return (typeof apiKey === 'string' ? `key ${hashOf(apiKey)}` : apiKey) ?? (auth || 'no credential')
}

/**
 * FNV-1a. 64 bits distinguish the keys of a process, but are too few to recover a key. It has no salt: edge workers
 * forbid random numbers here, and the service makes the keys, so users cannot provoke a collision.
 */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const character of text) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.charCodeAt(0))) * 0x100000001b3n)
  }
  return hash.toString(36)
}
