/**
 * The door to the core for the other entry points of this package. Everything else that they import is public. It is no entry
 * point itself.
 */

// To wrap calls, as the cache and tracers do.
export type { Answer, Call, Send, Wrap } from './core/call/call.ts'
export { Cancellation } from './core/call/cancellation.ts'
export { checkAnswer } from './core/call/check.ts'
export { waitReasons } from './core/call/open-calls.ts'
export { type Wrapping, wrap } from './core/call/wraps.ts'
export {
  type CallSettings,
  type AnswerCache,
  defaultTimeoutMs,
  type CommonOptions,
} from './core/options/options.ts'

// To make calls, as the proxy, tools, the command and clients of other APIs do.
export { ClientTransport, clientTransport, isTransport } from './core/call/transport.ts'
export { resolveOptions } from './core/options/client-settings.ts'
export { attemptHeader } from './core/http/headers.ts'
export { ApiCall } from './core/pages/api-call.ts'
export { PagedCall } from './core/pages/paged-call.ts'

// Requests and pages, before and after a call.
export { type Composed, composeRequest, copyOf, withExtra } from './core/call/compose-request.ts'
export { contextOf, errorContext, newRecord } from './core/call/call.ts'
export { nextStep } from './core/pages/walk.ts'

// Credits and budgets.
export {
  type PeriodAccount,
  type PeriodBook,
  type PeriodOptions,
  accountOf,
  addTo,
  clockReason,
  isCreditBudget,
  isLow,
  keepAccount,
  mostOf,
  resolvePeriod,
  rounded,
  untold,
} from './core/credits/budget.ts'
export type { CallCredits } from './errors/facts.ts'
export { quoteOf } from './core/credits/quote.ts'

// HTTP and retries, on which OAuth builds.
export { type Failing, announcedWait, nextWait } from './core/http/retry-wait.ts'
export { isSafe, resolveBaseUrl } from './core/http/base-url.ts'
export { assertToken } from './core/http/credential.ts'
export { explainNetworkError } from './core/http/network-error.ts'
export { type BodyFormat, creditsHeader, requestIdOf } from './core/http/answer.ts'
export { callFetch, initOf, readText, send } from './core/http/fetch.ts'
export { FollowedRequest } from './core/http/undici.ts'

// Limits, on which shared limits build.
export {
  type CallLimiter,
  type Permit,
  type Limits,
  type QueueWait,
  type QueueRequest,
} from './limits/interface.ts'
export { LocalLimiter } from './limits/local-limiter.ts'
export { type SentRequest, arrivalOf, driftMs, marginMs } from './limits/surface-pace.ts'
export { type Slot, SurfaceQueue } from './limits/surface-queue.ts'
