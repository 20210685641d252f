import { type OAuthScope, audiencePath } from '../../api/operation.ts'
import {
  assertFunction,
  assertMethod,
  assertOptions,
  nonEmptyText,
  requireOption,
} from '../../errors/check-options.ts'
import type { Fetch } from '../../index.ts'
import { isSafe, resolveBaseUrl } from '../../extend.ts'
import { Redactor } from '../../lib/redactor.ts'
import { inBrowser } from '../../lib/runtime.ts'
import { type ReauthorizationReason, ConfigurationError } from '../../errors/index.ts'
import { type SharedStore, memoryStore } from '../shared/index.ts'
import { isRecord, parsed } from '../../lib/json.ts'

/** URLs of an authorization server: https, or http on a loopback address. */
export interface OAuthEndpoints {
  /** The page that asks users for authorization. */
  authorization: string
  /** The endpoint that issues tokens. */
  token: string
}

/** How a confidential client sends its secret: in the `Authorization` header, or in the form. */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post'

/** Options of an OAuth client. */
export interface OAuthClientOptions {
  /** The authorization server's issuer. Without `endpoints`, they come from its metadata. */
  issuer?: string | undefined
  /** The endpoints of a server without metadata. Add `issuer` if its responses contain one (`iss`). */
  endpoints?: OAuthEndpoints | undefined
  /** The id that the authorization server gave your client. */
  clientId: string
  /** The secret of a confidential client. Not for browsers, where anyone can read it. */
  clientSecret?: string | undefined
  /**
   * Default: `client_secret_post` if the metadata lists it and not `client_secret_basic`; otherwise
   * `client_secret_basic`.
   */
  clientAuthentication?: ClientAuthentication | undefined
  /** The registered URL that the server sends users back to. */
  redirectUri: string
  /** The service's base URL, as for `SocialSearch`. Tokens work for this service only. */
  baseUrl: string
  /** Scopes to request; `offline_access` brings a refresh token. */
  scopes: readonly OAuthScope[]
  /** Where to keep the tokens, a store of `social-search-sdk/shared`. Default: in memory. */
  store?: SharedStore | undefined
  /** The fetch function to use. Default: the global `fetch`. */
  fetch?: Fetch | undefined
}

/** Checked options with defaults. */
export type CheckedOptions = ReturnType<typeof checkedOptions>

/** @throws {ConfigurationError} for invalid options; the message contains no secret. */
export function checkedOptions(options: OAuthClientOptions) {
  assertOptions(options, {
    ...{ issuer: true, endpoints: true, clientId: true, clientSecret: true, clientAuthentication: true },
    ...{ redirectUri: true, baseUrl: true, scopes: true, store: true, fetch: true },
  })
  const { issuer, endpoints, clientId, clientSecret, redirectUri, scopes, fetch, clientAuthentication } =
    options
  const { store = memoryStore() } = options
  if (issuer === undefined && endpoints === undefined)
    throw new ConfigurationError('pass issuer, or endpoints for a server without metadata')
  if (issuer !== undefined) serverUrl('issuer', issuer)
  if (endpoints !== undefined) {
    serverUrl('endpoints.authorization', endpoints.authorization)
    serverUrl('endpoints.token', endpoints.token)
  }
  nonEmptyText('clientId', clientId)
  if (clientSecret !== undefined) nonEmptyText('clientSecret', clientSecret)
  const isKnown = [undefined, 'client_secret_basic', 'client_secret_post'].includes(clientAuthentication)
  requireOption(
    clientAuthentication,
    isKnown,
    "clientAuthentication must be 'client_secret_basic' or 'client_secret_post'",
  )
  if (clientSecret !== undefined && inBrowser())
    throw new ConfigurationError('every visitor can read a clientSecret in a browser; leave it out')
  if (!URL.canParse(redirectUri)) throw new ConfigurationError('redirectUri is not a URL')
  if (!Array.isArray(scopes) || scopes.length === 0)
    throw new ConfigurationError('`scopes` must be a list of one or more scopes')
  assertMethod('store', store, 'update')
  if (fetch !== undefined) assertFunction('fetch', fetch)
  const resource = new URL(resolveBaseUrl(options.baseUrl, new Redactor())).origin + audiencePath
  return { ...options, store, resource, scope: [...new Set(scopes)].join(' ') }
}

/**
 * Checks a URL of the authorization server: codes and tokens are sent there, so it must use TLS or a loopback address.
 *
 * @throws {ConfigurationError}
 */
export function serverUrl(name: string, value: unknown): void {
  if (typeof value !== 'string' || !URL.canParse(value)) throw new ConfigurationError(`${name} is not a URL`)
  const url = new URL(value)
  if (!isSafe(url))
    throw new ConfigurationError(
      `${name} must be https unless it is a loopback address, got ${url.protocol}//${url.host}`,
    )
}

/** The tokens of one authorization, as plain JSON. `accessToken` and `refreshToken` are secrets. */
export interface TokenSet {
  readonly accessToken: string
  /** Present if `offline_access` was granted, until the session ends. */
  readonly refreshToken?: string | undefined
  /** When the tokens were requested, in milliseconds of this machine's clock. */
  readonly obtainedAt: number
  /** When the access token expires, in milliseconds of this machine's clock; absent if the server did not say. */
  readonly expiresAt?: number | undefined
  /**
   * When a process began to send the refresh token, in milliseconds of the store's clock; absent once the response is known. After
   * a minute, that process has died, and the refresh token may be used up.
   */
  readonly refreshSentAt?: number | undefined
  /** Why the session ended; absent while it lasts. No process sends its access token any more. */
  readonly endReason?: ReauthorizationReason | undefined
}

/** The tokens in a text of a store: null if it is empty, undefined if it is not a set of tokens. */
export function tokensIn(text = ''): TokenSet | null | undefined {
  if (text === '') return null
  const tokens = parsed(text)
  const { accessToken, obtainedAt, refreshToken = accessToken } = isRecord(tokens) ? tokens : {}
  const areTexts = [accessToken, refreshToken].every((token) => typeof token === 'string' && token !== '')
  return areTexts && Number.isFinite(obtainedAt) ? (tokens as TokenSet) : undefined
}
