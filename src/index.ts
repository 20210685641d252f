export type {
  AnyCallOptions,
  CallOptions,
  CeilingOption,
  ClientOptions,
  LimitOptions,
  OpenListOptions,
  PagedOptions,
  RetryOptions,
  SchemaOption,
  SharedOptions,
  Validation,
  Wait,
} from './core/options/types.ts'
export type { PagingOverride } from './api/list-items.ts'
export {
  type Lease,
  type Limiter,
  type Limits,
  type Share,
  type Ticket,
  SurfaceClosed,
} from './limits/limiter.ts'
export { SocialSearch } from './client.ts'

export type { Answer } from './core/call/call.ts'
export { type Transport, createTransport } from './core/call/transport.ts'
export type { CreditRates } from './resources/description.ts'
export { type Feeds, feeds } from './resources/feeds.ts'
export { type Listeners, listeners } from './resources/listeners.ts'
export { type Mentions, mentions } from './resources/mentions.ts'
export { type Microblog, type MicroblogSearchPage, microblog } from './resources/microblog.ts'
export type { OpenPage } from './resources/methods.ts'
export { type Organization, organization } from './resources/organization.ts'
export {
  type IndustriesPage,
  type Professionalnet,
  type ProfessionalnetCompany,
  type ProfessionalnetIndustries,
  type ProfessionalnetPerson,
  type ProfessionalnetPosts,
  type ProfessionalnetPostsPage,
  professionalnet,
} from './resources/professionalnet.ts'
export { type Technews, technews } from './resources/technews.ts'
export type { OpenBody, OpenParams, OpenRecord } from './api/undocumented.ts'
export type { PostComment, PostCommentsBody, PostCommentsParams } from './api/professionalnet/comments.ts'
export type {
  Company,
  CompanyGetBody,
  CompanyGetParams,
  CompanyLocation,
} from './api/professionalnet/company.ts'
export type { IndustriesListBody, IndustriesListParams, Industry } from './api/professionalnet/industries.ts'
export type {
  ProfessionalnetActor,
  ProfessionalnetArticle,
  ProfessionalnetContentType,
  ProfessionalnetDocument,
  ProfessionalnetPoll,
  ProfessionalnetPost,
  ProfessionalnetPostsSearchBody,
  ProfessionalnetPostsSearchParams,
  ProfessionalnetSocialDetails,
  ProfessionalnetVideo,
} from './api/professionalnet/posts.ts'
export type {
  MicroblogCategory,
  MicroblogEngagements,
  MicroblogFilters,
  MicroblogPost,
  MicroblogSearchBody,
  MicroblogSearchMeta,
  MicroblogSearchParams,
} from './api/microblog.ts'
export type { CreditRateName } from './api/credits.ts'
export type { OperationId } from './api/operations.ts'
export type { Operation, Paging, Price, Scope, Surface } from './api/operation.ts'
export type { Schema } from './api/schema/schema.ts'

export type { ApiCall, WithResponse } from './core/pages/api-call.ts'
export type { PageFields, PagedCall } from './core/pages/paged-call.ts'
export type { WalkState } from './core/pages/walk-state.ts'
export type { ClientStatus, SurfaceStatus } from './core/call/open-calls.ts'
export type { InvalidItem } from './core/call/decode.ts'
export { type Budget, CreditBudget, type CreditSummary, type Reservation } from './core/credits/budget.ts'
export type { CallCredits, Credits } from './core/credits/ledger.ts'
export type { Quote, QuoteOptions } from './core/credits/quote.ts'
export type { AuthProvider } from './core/http/credential.ts'
export type { Fetch } from './core/http/send.ts'
export type { LogFields, LogLevel, Logger } from './lib/logger.ts'
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
  OAuthError,
  PaginationError,
  PermissionDeniedError,
  QueueFullError,
  RateLimitError,
  ReauthorizationRequiredError,
  RedirectError,
  ServiceUnavailableError,
  SocialSearchError,
  TimeoutError,
  TokenStoreError,
  UpstreamError,
  ValidationError,
  isSocialSearchError,
} from './errors/index.ts'
export type {
  AnySocialSearchError,
  ApiErrorCode,
  ApiErrorDetails,
  Attempt,
  Charged,
  ClientErrorCode,
  ConnectionPhase,
  ErrorContext,
  OAuthStep,
  ReauthorizationReason,
  TimeoutPhase,
  UndocumentedCode,
} from './errors/index.ts'
export type { Issue } from './api/issues.ts'
