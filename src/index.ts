export type {
  Cached,
  ObservedAttempt,
  ObservedBudget,
  ObservedCall,
  ObservedStart,
  Observer,
  Wait,
} from './core/options/types.ts'
export type {
  AnswerCache,
  CacheUse,
  CallOptions,
  ExpectedItemsOption,
  ClientOptions,
  CommonOptions,
  LimitOptions,
  OpenListOptions,
  PagedOptions,
  RetryOptions,
  SchemaOption,
  Validation,
} from './core/options/types.ts'

export { SocialSearch } from './client.ts'

export { type Transport, createTransport } from './core/call/transport.ts'
export type { ClientStatus } from './core/call/open-calls.ts'
export type { InvalidItem } from './core/call/call.ts'
export type { CreditRates } from './resources/description.ts'
export * from './resources/feeds.ts'
export * from './resources/listeners.ts'
export * from './resources/mentions.ts'
export * from './resources/microblog.ts'
export type {
  MaybeSchema,
  OpenList,
  OpenPage,
  OpenParams,
  Output,
  SchemaOrType,
} from './resources/methods.ts'
export * from './resources/organization.ts'
export * from './resources/professionalnet.ts'
export type { Endpoint } from './resources/request.ts'
export * from './resources/technews.ts'
export type { OpenBody, OpenRecord } from './api/endpoints/undocumented.ts'

export type { PagingOverride } from './api/list-items.ts'
export type { OperationId, ParamsOf } from './api/operations.ts'
export type { Scope } from './api/operation.ts'

export type { ApiCall, WithResponse } from './core/pages/api-call.ts'
export type { PageFields, PagedCall } from './core/pages/paged-call.ts'
export type { WalkState } from './core/pages/next-page.ts'

export {
  type Budget,
  type BudgetOutlook,
  CreditBudget,
  type CreditSummary,
  type Credits,
  type Reservation,
} from './core/credits/budget.ts'
export type { Quote, QuoteOptions } from './core/credits/price.ts'
export type { AuthProvider } from './core/http/credential.ts'
export type { AttemptAhead, GivenHeaders, HeadersOption } from './core/http/headers.ts'
export type { Fetch } from './core/http/fetch.ts'
export type { LeveledLogger, LogFields, Logger } from './lib/logger.ts'
export type { Period } from './lib/period.ts'
export type { CallLimiter, Lease, LeaseOutcome, Limits, QueueRequest, QueueWait } from './limits/interface.ts'

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
export type {
  AnySocialSearchError,
  ApiErrorCode,
  Applied,
  Attempt,
  CallCredits,
  Charged,
  ClientErrorCode,
  ConnectionPhase,
  ErrorContext,
  RefusedBudget,
  TimeoutPhase,
  UndocumentedCode,
} from './errors/index.ts'
export type { ServiceErrorCode } from './api/error-envelope.ts'
export type { Issue } from './api/issues.ts'
/** What the option `schema` takes: a schema of zod, Valibot, ArkType and others. */
export type { StandardSchemaV1 } from '@standard-schema/spec'
