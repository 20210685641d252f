export type { Observer, Wait } from './core/options/observer.ts'
export type { RetryOptions } from './core/http/retry-wait.ts'
export type { CallOptions, ClientOptions, CommonOptions, PagedOptions } from './core/options/options.ts'

export { SocialSearch } from './client.ts'

export { type Transport, createTransport } from './core/call/transport.ts'
export * from './resources/feeds.ts'
export * from './resources/listeners.ts'
export * from './resources/mentions.ts'
export * from './resources/microblog.ts'
export * from './resources/organization.ts'
export * from './resources/professionalnet.ts'
export type { Endpoint } from './resources/request.ts'
export * from './resources/technews.ts'
export type { OpenRecord } from './api/endpoints/undocumented.ts'

export type { PagingOverride } from './api/list-items.ts'
export type { OperationId } from './api/operations.ts'
export type { Scope } from './api/operation.ts'

export type { ApiCall } from './core/pages/api-call.ts'
export type { PagedCall } from './core/pages/paged-call.ts'
export type { WalkState } from './core/pages/walk.ts'

export { type Budget, CreditBudget, type Credits, type Reservation } from './core/credits/budget.ts'
export type { Quote } from './core/credits/quote.ts'
export type { AuthProvider } from './core/http/credential.ts'
export type { Fetch } from './core/http/fetch.ts'
export type { Logger } from './lib/logger.ts'
export type { Period } from './lib/period.ts'
export type { Limits } from './limits/interface.ts'

export {
  ApiError,
  AuthenticationError,
  BudgetUnavailableError,
  ClosedError,
  ConfigurationError,
  ConnectionError,
  CreditBudgetError,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
  PaginationError,
  PermissionDeniedError,
  RateLimitError,
  RedirectError,
  ServiceUnavailableError,
  SocialSearchError,
  TimeoutError,
  UpstreamError,
  ValidationError,
  isSocialSearchError,
} from './errors/index.ts'
export type { AnySocialSearchError, ApiErrorCode, Attempt, Charged, ClientErrorCode } from './errors/index.ts'
export type { ServiceErrorCode } from './api/error-envelope.ts'
export type { Issue } from './api/issues.ts'

/** What the option `schema` takes: a schema of zod, Valibot, ArkType and others. */
export type { StandardSchemaV1 } from '@standard-schema/spec'

export type * from './rarely-named.ts'
