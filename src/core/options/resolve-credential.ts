import type { ClientOptions } from './types.ts'
import { ConfigurationError } from '../../errors.ts'
import { assertMethod } from '../lib/assert.ts'
import { type AuthProvider, assertToken } from '../http/credential.ts'
import { isPath } from '../http/base-url.ts'
import { inBrowser } from '../lib/browser.ts'

/**
 * Reads where a client's tokens come from: a provider, or the key itself; null for a client without a credential.
 *
 * @throws {ConfigurationError}
 */
export function resolveProvider(options: ClientOptions): AuthProvider | string | null {
  const { apiKey, auth, baseUrl, dangerouslyAllowBrowser = false } = options
  if (apiKey !== undefined && auth !== undefined)
    throw new ConfigurationError('pass either apiKey or auth, not both')
  if (auth === false) return null
  if (auth !== undefined) {
    assertMethod('auth', auth, 'token')
    return auth
  }
  if (apiKey === undefined) {
    if (isPath(baseUrl)) return null
    throw new ConfigurationError('apiKey is missing; pass apiKey, auth, or auth: false for a proxy')
  }
  if (inBrowser() && !dangerouslyAllowBrowser) {
    throw new ConfigurationError(
      'an apiKey in a browser can be read by everybody; call a proxy, or set dangerouslyAllowBrowser',
    )
  }
  if (typeof apiKey === 'function') return { token: apiKey }
  assertToken(apiKey, 'apiKey')
  return apiKey
}

/** What stands for the organization when limits are shared. */
export function ownerOf({ organization, apiKey, auth }: ClientOptions): string | object {
  if (organization !== undefined) return `organization ${organization}`
  return (typeof apiKey === 'string' ? `key ${apiKey}` : apiKey) ?? (auth || 'no credential')
}

/**
 * Options of a client that can be made, and fails each call with the message before anything is queued or sent. Where
 * pages are built, clients are made that make no call there.
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
