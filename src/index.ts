export type {
  CallOptions,
  ClientOptions,
  LimitOptions,
  ObservedAttempt,
  ObservedCall,
  ObservedStart,
  Observer,
  PagedOptions,
  SharedOptions,
  Wait,
} from './core/options/types.ts'

export {
  type Lease,
  type Limiter,
  type Limits,
  type Share,
  type Ticket,
  SurfaceClosed,
} from './limits/interface.ts'
export { SocialSearch } from './client.ts'

export { type Transport, createTransport } from './core/call/transport.ts'
export type { CreditRates } from './resources/description.ts'
export { type Feeds, feeds } from './resources/feeds.ts'
export { type Listeners, listeners } from './resources/listeners.ts'
export { type Mentions, mentions } from './resources/mentions.ts'
export { type Microblog, type MicroblogSearchPage, microblog } from './resources/microblog.ts'
export type { OpenPage } from './resources/methods.ts'
export { type Organization, organization } from './resources/organization.ts'
export {
  type ProfessionalnetIndustriesPage,
  type Professionalnet,
  type ProfessionalnetPostsPage,
  professionalnet,
} from './resources/professionalnet.ts'
export { type Technews, technews } from './resources/technews.ts'
export type { OpenBody, OpenParams, OpenRecord } from './api/undocumented.ts'
export type {
  ProfessionalnetComment,
  ProfessionalnetPostsCommentsBody,
  ProfessionalnetPostsCommentsParams,
} from './api/professionalnet/comments.ts'
export type {
  ProfessionalnetCompany,
  ProfessionalnetCompanyGetBody,
  ProfessionalnetCompanyGetParams,
} from './api/professionalnet/company.ts'
export type {
  ProfessionalnetIndustriesListParams,
  ProfessionalnetIndustry,
} from './api/professionalnet/industries.ts'
export type {
  ProfessionalnetActor,
  ProfessionalnetPost,
  ProfessionalnetPostsSearchParams,
} from './api/professionalnet/posts.ts'
export type {
  MicroblogCategory,
  MicroblogEngagements,
  MicroblogFilters,
  MicroblogPost,
  MicroblogSearchBody,
  MicroblogSearchParams,
} from './api/microblog.ts'

export type { OperationId } from './api/operations.ts'
export type { Scope } from './api/operation.ts'

export type { ApiCall, WithResponse } from './core/pages/api-call.ts'
export type { PagedCall } from './core/pages/paged-call.ts'
export type { WalkState } from './core/pages/walk-state.ts'
export type { ClientStatus } from './core/call/open-calls.ts'

export { type Budget, CreditBudget, type Reservation } from './core/credits/budget.ts'
export type { Credits } from './core/credits/ledger.ts'
export type { Quote } from './core/credits/quote.ts'
export type { AuthProvider } from './core/http/credential.ts'
export type { Fetch } from './core/http/send.ts'
export type { Logger } from './lib/logger.ts'
export type { Hooks } from './core/http/hooks.ts'

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
  QueueFullError,
  RateLimitError,
  RedirectError,
  ServiceUnavailableError,
  SocialSearchError,
  TimeoutError,
  UpstreamError,
  ValidationError,
  isSocialSearchError,
} from './errors/index.ts'
export type { AnySocialSearchError, ApiErrorCode, Applied, Attempt, Charged } from './errors/index.ts'
export type { Issue } from './api/issues.ts'
