import type { ServiceErrorCode } from '../api/error-envelope.ts'
import { type Issue, summary } from '../api/issues.ts'
import { count } from '../lib/count.ts'
import type { Applied, Charged, ConnectionPhase, CallCredits, RefusedBudget, TimeoutPhase } from './facts.ts'

// What errors of calls say of a request, its answer and its cost: a text for each sentence, or a function that makes it of facts which
// the error has as fields. What is wrong with an option, a saved state or a code of the user stands where that is checked.

/** What a message says besides what happened. */
export interface CallFacts {
  readonly operation?: string | undefined
  /** Seconds. */
  readonly retryAfter?: unknown
  readonly charged: Charged
  readonly applied?: Applied | undefined
  readonly credits: CallCredits
  readonly body?: unknown
}

/** The message of an error: which call, what happened, when to try again, what it cost, and what trying again may cost. */
export function fullMessage(what: string, { operation, retryAfter, body, ...facts }: CallFacts): string {
  const prefix = operation === undefined ? '' : `${operation}: `
  const cost = costText(facts)
  const wait = retryAfter === undefined ? '' : `; retry in ${Math.ceil(Number(retryAfter))} s`
  const again = [facts.applied, facts.charged].includes('unknown') ? '; a retry may repeat it' : ''
  const advice = body ? `${cost ? '; t' : 'T'}he answer is in \`error.body\`` : again
  return prefix + what + wait + (cost || advice ? `. ${cost}${advice}.` : '')
}

/** What a call has cost, or may have; empty if it cost nothing. */
export function costText({
  charged,
  applied,
  credits,
}: Pick<CallFacts, 'charged' | 'applied' | 'credits'>): string {
  if (applied === 'unknown') return 'The change may have been applied'
  if (charged === 'no') return ''
  const { spent, uncertain } = credits
  if (charged === 'unknown' && spent === 0)
    return `You may have been charged${uncertain > 0 ? ` ${count(uncertain, 'credit')}` : ''}`
  return `You were charged ${count(spent, 'credit')}${uncertain > 0 ? `, and may have been charged ${uncertain} more` : ''}`
}

export const notSent = (what: string): string => `not sent: ${what}`

// What happened before anything was sent.

export const invalidRequest = (
  issues: readonly Issue[],
  subject: string,
  option: string | undefined,
): string => summary(issues, subject) + (option === undefined ? '' : `; to send it anyway, use ${option}`)

/** @param names What its reader calls the budget, and an option or a param of the call. */
export function budgetTooLow(
  { needed, remaining, reserved = 0, bound }: RefusedBudget,
  names: { readonly budget: string; readonly option: (name: string) => string },
): string {
  const others =
    needed <= remaining + reserved
      ? ` and ${reserved} reserved for calls in progress; retry when they end`
      : ''
  const hint =
    bound === undefined
      ? ''
      : bound === null
        ? `; pass ${names.option('expectedItems')} if you expect fewer (it does not limit the charge)`
        : `; the smallest ${names.option(bound.param)} is ${bound.least}`
  return `it may cost ${count(needed, 'credit')} and ${names.budget} has ${remaining} left${others}${hint}`
}

export const budgetUnavailable = (reason: string, temporary: boolean): string =>
  `the budget is unavailable${temporary ? ' for now' : ''}: ${reason}`

export const clientClosed = (what: 'client' | 'limiter'): string => `the ${what} is closed`

export const limitReached = 'rate limit reached'

/** @param lack What code of the user should have given. */
export const noAnswerOf = (lack: string, ms: number): string => `${lack} within ${ms} ms`

export const failedHeaders = (reason: string): string => `your headers function failed: ${reason}`

/** @param isFree Free calls are not stored. */
export const notCached = (isFree: boolean): string =>
  isFree ? 'free calls are not stored' : 'the cache has no answer to these params'

/** Why the tokens of a user no longer work. */
const lackOfTokens = {
  no_tokens: 'the store has no tokens',
  no_refresh_token: 'the access token has expired, and the store has no refresh token',
  refused: 'the authorization server refused the refresh token',
  lost: 'the response to a refresh was lost, or its process ended first, and the refresh token may be used up',
}

export const mustAuthorize = (reason: keyof typeof lackOfTokens): string =>
  `the user has to authorize again: ${lackOfTokens[reason]}`

// What happened to a request.

const whileWaiting: Readonly<Record<TimeoutPhase, string>> = {
  queue: 'in the queue',
  connect: 'while connecting',
  headers: 'before the response began',
  body: 'before the response was complete',
  wait: 'between two attempts',
}

/** @param option The one that set the time. */
export const timePassed = (
  option: 'timeout' | 'deadline' | 'maxQueueWait',
  ms: number,
  phase: TimeoutPhase,
): string => `the \`${option}\` of ${ms} ms passed ${whileWaiting[phase]}`

/** @param isUnprocessed The server promises that it has not processed the request. */
export function connectionFailed(
  phase: ConnectionPhase,
  host: string,
  reason: string,
  isUnprocessed: boolean,
  isInPage: boolean,
): string {
  if (phase === 'connect') return `cannot reach ${host} (${reason})`
  if (phase === 'tls') return `no trusted TLS connection to ${host} (${reason})`
  if (isUnprocessed) return `${host} refused the request and did not process it (${reason})`
  const hint = '; a page does not say why: the server may be down, or refuse this origin (CORS)'
  return `the connection failed after the request was sent (${reason})${isInPage ? hint : ''}`
}

export const noResponse = (status: number): string => `no response (status ${status})`

export const unreadable = (reason: string): string => `the response cannot be read (${reason})`

export const redirected = 'the response is a redirect; check baseUrl'

/** What the documented codes mean, and statuses without such a code. */
const meanings: Readonly<Record<ServiceErrorCode | 403 | 404 | 503, string>> = {
  validation_error: 'the service refused the request',
  unauthorized: 'the service refused the key',
  rate_limited: limitReached,
  upstream_error: 'the search provider is not answering',
  // A gateway may answer so to any call.
  professionalnet_unavailable: 'temporarily unavailable',
  403: 'not permitted',
  404: 'no such id or path',
  503: 'temporarily unavailable',
}

/** @param message What the service says itself. */
export function serviceAnswered(status: number, code: string, message: string): string {
  const key = [code, status].find((each) => Object.hasOwn(meanings, each))
  const meaning = key && meanings[key as ServiceErrorCode]
  const what = meaning === undefined ? `the service answered ${status}` : `${meaning} (${status})`
  const said = message || (meaning === undefined ? code : '')
  return said === '' ? what : `${what}: ${said}`
}

/** @param described The type of the body, and the first words of a page. */
export const gatewayAnswered = (status: number, described?: string): string =>
  `a proxy may have answered ${status}${described === undefined ? '' : ` (${described})`}`

export const lacksVersion = 'check baseUrl: it lacks /v1'

export const lacksScope = (scopes: readonly string[]): string =>
  `the credential may lack ${scopes.join(' or ')}, or its owner the permission`

// What is wrong with a response that may be paid for.

export const tooLarge = (bytes: number): string =>
  `the response is larger than ${bytes} bytes and was cut off`

export const partial = 'the response is partial (206)'

export const empty = (status: number): string => `the response is empty (${status})`

export const notJson = (status: number, described: string): string =>
  `the response is not JSON (${status}, ${described})`

export const wrongShape = 'the response is not of the documented shape'

/** @param lack Undefined if issues say it. */
export const wrongSchema = (lack?: string): string =>
  `the response does not fit your schema${lack === undefined ? '' : `: ${lack}`}`

export const slowSchema = (ms: number): string => `your schema took more than ${ms} ms`

export const checkedTooLate = 'the deadline passed while the response was checked'

// What is wrong with pages.

export const wrongPage = (asked: number, got: string): string => `asked for page ${asked}, got page ${got}`

export const samePage = 'the page has the same items as the previous page'

export const pageLoop = 'the next page was already fetched'

export const noCursor = 'meta.hasMore is true, but meta.nextCursor is missing'

export const noHasMore = (found: string): string => `expected meta.hasMore, found ${found}; pass paging.next`

export const wrongNext = 'paging.next threw an error or returned params that are not JSON'
