// Types that a program meets, but rarely has to name: of fields, of what functions take and return. The reference lists them last.

export type {
  Cached,
  ObservedAttempt,
  ObservedBudget,
  ObservedCall,
  ObservedStart,
} from './core/options/observer.ts'
export type {
  AnswerCache,
  CacheUse,
  ExpectedItemsOption,
  OpenListOptions,
  SchemaOption,
  Validation,
} from './core/options/options.ts'
export type { LimitOptions } from './limits/process-limiter.ts'
export type { ClientStatus } from './core/call/open-calls.ts'
export type { InvalidItem } from './core/call/call.ts'
export type { CreditRates } from './resources/description.ts'
export type {
  MaybeSchema,
  OpenList,
  OpenPage,
  OpenParams,
  Output,
  SchemaOrType,
} from './resources/methods.ts'
export type { OpenBody } from './api/endpoints/undocumented.ts'
export type { ParamsOf } from './api/operations.ts'
export type { WithResponse } from './core/pages/api-call.ts'
export type { PageFields } from './core/pages/paged-call.ts'
export type { BudgetOutlook, CreditSummary } from './core/credits/budget.ts'
export type { QuoteOptions } from './core/credits/quote.ts'
export type { AttemptAhead, GivenHeaders, HeadersOption } from './core/http/headers.ts'
export type { LeveledLogger, LogFields } from './lib/logger.ts'
export type { CallLimiter, Permit, RequestOutcome, QueueRequest, QueueWait } from './limits/interface.ts'
export type {
  Applied,
  CallCredits,
  ConnectionPhase,
  ErrorContext,
  RefusedBudget,
  TimeoutPhase,
  UndocumentedCode,
} from './errors/index.ts'
