import { type ErrorContext, SocialSearchError, nameClasses } from './base.ts'
import { mustAuthorize } from './words.ts'

/**
 * Why a user must authorize again. `no_tokens`: the store is empty. `no_refresh_token`: `offline_access` was not granted.
 * `refused`: the authorization server rejected the refresh token. `lost`: the response to a refresh was lost, so the token
 * may be used up.
 */
export type ReauthorizationReason = 'no_tokens' | 'no_refresh_token' | 'refused' | 'lost'

/**
 * The user must authorize the client again. Calls work again after the next successful `exchange`.
 *
 * @example
 * if (error instanceof ReauthorizationRequiredError) console.log('sign in again:', error.reason)
 */
export class ReauthorizationRequiredError extends SocialSearchError {
  declare readonly code: 'reauthorization_required'
  /** Why the tokens no longer work. */
  declare readonly reason: ReauthorizationReason

  constructor(reason: ReauthorizationReason, context?: ErrorContext) {
    super('reauthorization_required', mustAuthorize(reason), context, { reason })
  }
}

/** The phase of the OAuth client: reading the server's metadata, the user's callback, getting tokens, renewing them. */
export type OAuthStep = 'discovery' | 'authorization' | 'exchange' | 'refresh'

export interface OAuthErrorDetails {
  step: OAuthStep
  reason: string
  processed: 'no' | 'unknown'
  status?: number | undefined
  /** Seconds. */
  retryAfter?: number | undefined
}

/**
 * The authorization server refused, was unreachable, or sent an invalid response.
 *
 * @example
 * if (error instanceof OAuthError) console.error(error.step, error.reason)
 */
export class OAuthError extends SocialSearchError {
  declare readonly code: 'oauth'
  /** The phase that failed. */
  declare readonly step: OAuthStep
  /**
   * The server's own code, such as `access_denied` or `invalid_client`; otherwise `unreachable`, `timeout`,
   * `invalid_callback` or `invalid_response`.
   */
  declare readonly reason: string
  /** Whether the server may have acted on the request: issued tokens, or used up the code. */
  declare readonly processed: 'no' | 'unknown'
  /** HTTP status, if there was an answer. */
  declare readonly status?: number
  /** Seconds until a retry is welcome, if the server announced it. */
  declare readonly retryAfter?: number

  constructor(text: string, details: OAuthErrorDetails, context?: ErrorContext) {
    const { step, reason, processed, status, retryAfter } = details
    super('oauth', `${step}: ${text}`, context, { step, reason, processed, status, retryAfter })
  }
}

/**
 * The client cannot read or write a token store. The message contains no token.
 *
 * @example
 * if (error instanceof TokenStoreError) console.error(error.message)
 */
export class TokenStoreError extends SocialSearchError {
  declare readonly code: 'token_store'

  constructor(text: string, context?: ErrorContext) {
    super('token_store', text, context)
  }
}

nameClasses({ ReauthorizationRequiredError, OAuthError, TokenStoreError })
