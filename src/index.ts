export { SocialSearch } from './client.ts'
export type {
  CallOptions,
  ClientOptions,
  LimitOptions,
  PagedOptions,
  RetryOptions,
  SchemaOption,
  SharedOptions,
} from './options.ts'

export { type Answer, type Transport, createTransport } from './core/transport.ts'
export { type Microblog, type MicroblogSearchPage, microblog } from './resources/microblog.ts'
export type {
  MicroblogCategory,
  MicroblogEngagements,
  MicroblogFilters,
  MicroblogPost,
  MicroblogSearchBody,
  MicroblogSearchMeta,
  MicroblogSearchParams,
} from './contract/microblog.ts'
export type { CursorPaging, ListShape, Operation, Price, Scope, Surface } from './contract/operation.ts'
export type { Check } from './contract/schema.ts'

export type { PageFields, PagedCall, WithResponse } from './core/paged-call.ts'
export type { InvalidItem, Validation } from './core/decode.ts'
export { CreditBudget } from './core/budget.ts'
export type { CreditSummary, Reservation } from './core/account.ts'
export type { Credits } from './core/ledger.ts'
export type { CallCredits } from './core/purchase.ts'
export type { AuthProvider } from './core/auth.ts'
export type { Fetch } from './core/http.ts'
export { SurfaceClosed } from './core/lane.ts'
export type { Lease, Limiter, Share, Ticket } from './core/limiter.ts'
export type { LogFields, LogLevel, Logger } from './core/logger.ts'
export type { Middleware, MiddlewareContext } from './core/middleware.ts'

export {
  ApiError,
  AuthenticationError,
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
} from './errors.ts'
export type {
  AnySocialSearchError,
  ApiErrorCode,
  Attempt,
  Charged,
  ClientErrorCode,
  ConnectionPhase,
  TimeoutPhase,
  UndocumentedCode,
} from './errors.ts'
export type { Issue } from './contract/issues.ts'
