export type {
  CallOptions,
  ClientOptions,
  ObservedAttempt,
  ObservedCall,
  Observer,
  PagedOptions,
  Wait,
} from './core/options/types.ts'

export { SocialSearch } from './client.ts'

export { type Transport, createTransport } from './core/call/transport.ts'
export type { CreditRates } from './resources/description.ts'
export * from './resources/feeds.ts'
export * from './resources/listeners.ts'
export * from './resources/mentions.ts'
export * from './resources/microblog.ts'
export type { OpenPage } from './resources/methods.ts'
export * from './resources/organization.ts'
export * from './resources/professionalnet.ts'
export * from './resources/technews.ts'
export type { OpenBody, OpenRecord } from './api/undocumented.ts'

export type { OperationId } from './api/operations.ts'
export type { Scope } from './api/operation.ts'

export type { ApiCall, WithResponse } from './core/pages/api-call.ts'
export type { PagedCall } from './core/pages/paged-call.ts'
export type { WalkState } from './core/pages/resume.ts'

export {
  type Budget,
  type BudgetOutlook,
  CreditBudget,
  type CreditSummary,
  type Reservation,
} from './core/credits/budget.ts'
export type { Credits } from './core/credits/ledger.ts'
export type { Quote } from './core/credits/quote.ts'
export type { AuthProvider } from './core/http/credential.ts'
export type { Fetch } from './core/http/send.ts'
export type { Logger } from './lib/logger.ts'

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
export type { AnySocialSearchError, Attempt, Charged } from './errors/index.ts'
export type { Issue } from './api/issues.ts'
