import type { Issue } from '../api/issues.ts'
import type { Scope } from '../api/operation.ts'
import { type ApiErrorCode, type ErrorContext, SocialSearchError, nameClasses } from './base.ts'

export interface ApiErrorDetails extends ErrorContext {
  status: number
  code: ApiErrorCode
  message: string
  issues?: readonly Issue[] | undefined
  /** Seconds. */
  retryAfter?: number | undefined
  requiredScopes?: readonly Scope[] | undefined
  gateway?: true | undefined
  proxy?: true | undefined
}

/**
 * The service, or a proxy in front of it, answered with an error status.
 *
 * @example
 * if (error instanceof ApiError) console.error(error.status, error.code, error.requestId)
 */
export class ApiError extends SocialSearchError {
  /** What happened; stable: `switch` on it. */
  declare readonly code: ApiErrorCode
  /** HTTP status. */
  declare readonly status: number
  /** The invalid fields, up to a hundred; empty if the service named none. */
  declare readonly issues: readonly Issue[]
  /** Seconds to wait before you try again, if the service said so. */
  declare readonly retryAfter?: number
  /** On a 403: the scopes that the call needs. */
  declare readonly requiredScopes?: readonly Scope[]
  /** True if a proxy or firewall may have answered in place of the service. */
  declare readonly gateway?: true
  /** True if your own proxy, made with this package, has answered. */
  declare readonly proxy?: true

  constructor(details: ApiErrorDetails) {
    const { code, message, status, issues = [], retryAfter, requiredScopes, gateway, proxy } = details
    const own = { status, issues, retryAfter, requiredScopes, gateway, proxy }
    super(code, message, details, own)
  }
}

/**
 * 400: the service refused the request; `issues` names the fields.
 *
 * @example
 * if (error instanceof ValidationError) for (const { path, message } of error.issues) console.error(path, message)
 */
export class ValidationError extends ApiError {}

/**
 * 401: the key or token is missing, invalid or revoked.
 *
 * @example
 * if (error instanceof AuthenticationError) console.error('replace the key', error.requestId)
 */
export class AuthenticationError extends ApiError {}

/**
 * 403: the key lacks a scope, or the member behind it lacks a permission.
 *
 * @example
 * if (error instanceof PermissionDeniedError) console.error('the key needs', error.requiredScopes)
 */
export class PermissionDeniedError extends ApiError {}

/**
 * 404: the path or id does not exist.
 *
 * @example
 * const mention = await client.mentions.get('men_1').catch((error: unknown) => {
 *   if (error instanceof NotFoundError) return null
 *   throw error
 * })
 */
export class NotFoundError extends ApiError {}

/**
 * 429: the rate limit is used up, and the wait is longer than the call allows. Try again after `retryAfter` seconds.
 *
 * @example
 * if (error instanceof RateLimitError) later(error.retryAfter) // seconds
 */
export class RateLimitError extends ApiError {}

/**
 * 502: the service's data provider failed.
 *
 * @example
 * if (error instanceof UpstreamError) later()
 */
export class UpstreamError extends ApiError {}

/**
 * 503: the service, or a part of it, is temporarily unavailable.
 *
 * @example
 * if (error instanceof ServiceUnavailableError) later(error.retryAfter) // seconds
 */
export class ServiceUnavailableError extends ApiError {}

/** The error class of each status; other statuses are an `ApiError`. */
export const apiErrorClasses: Readonly<Record<number, new (details: ApiErrorDetails) => ApiError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  429: RateLimitError,
  502: UpstreamError,
  503: ServiceUnavailableError,
}

nameClasses({
  ApiError,
  ValidationError,
  AuthenticationError,
  PermissionDeniedError,
  NotFoundError,
  RateLimitError,
  UpstreamError,
  ServiceUnavailableError,
})
