import { type Issue, issuesText } from '../api/issues.ts'
import { count } from '../lib/count.ts'
import { utcText } from '../lib/period.ts'
import {
  type Applied,
  type CallCredits,
  type Charged,
  type ConnectionPhase,
  type RefusedBudget,
  type TimeoutPhase,
  mayFitLater,
} from './facts.ts'

// What errors of calls say of a request, its answer and its cost: a text for each sentence, or a function that makes it of facts which
// the error has as fields. What is wrong with an option, a saved state or a code of the user stands where that is checked.

/** What a message says besides what happened: fields of its error. */
export interface CallFacts {
  readonly operation?: string | undefined
  readonly code?: string
  readonly requestId?: string | undefined
  readonly charged: Charged
  readonly applied?: Applied | undefined
  readonly credits: CallCredits
  readonly body?: unknown
  readonly status?: number | undefined
  /** Seconds. */
  readonly retryAfter?: number | undefined
  readonly phase?: string | undefined
  readonly requiredScopes?: readonly string[] | undefined
  readonly gateway?: true | undefined
  readonly proxy?: true | undefined
}

/** The message of an error: which call, what happened, what it cost, and what to do. */
export function fullMessage(what: string, facts: CallFacts): string {
  const { operation } = facts
  const sentences = [what, costText(facts), whatToDo(facts)].filter(Boolean)
  const text = sentences.map((each) => (each.endsWith('.') ? each : `${each}.`)).join(' ')
  return (operation ? `${operation}: ` : '') + (sentences.length > 1 ? text : what)
}

/** What to do now, as far as it follows from facts; empty if what happened says it. */
export function whatToDo(facts: CallFacts): string {
  const { code, charged, applied, requestId, body, retryAfter, phase, gateway, status = 0 } = facts
  if (isPage(body)) return 'Check the base URL'
  if (body) return 'Check `error.body` before you retry'
  if (code === 'pagination') return 'Use the pages you have'
  if (applied === 'unknown') return 'Check before you retry'
  if (gateway && refusesAlways(status)) return afterRefusal(status, facts)
  if (charged === 'unknown') return 'Retry only if you can pay again'
  if (retryAfter) return `Retry in ${Math.ceil(retryAfter)} s`
  // Whoever names the request has been reached.
  if (!requestId && phase === 'connect') return 'Check the base URL and the network'
  if (!requestId && phase === 'tls') return 'Check the base URL and the certificate'
  if (phase || status === 429 || status >= 500) return 'Retry later'
  // What happened says what a server of OAuth refuses.
  return status < 400 || code === 'oauth' ? '' : afterRefusal(status, facts)
}

/** Whether a status says that the same request will be refused again. */
const refusesAlways = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 429].includes(status)

/** What to do after a status that says no. An undocumented 403 of a gateway may be one of the service. */
function afterRefusal(status: number, { gateway, proxy, requiredScopes = [] }: CallFacts): string {
  if (status === 401) return gateway || proxy ? 'Sign in again' : 'Sign in again, or replace `apiKey`'
  if (status === 404) return gateway ? 'Check the base URL' : 'Check the id and the base URL'
  const scopes = requiredScopes.join(' and ')
  if (scopes && gateway) return `Use a key with ${scopes}, or ask whoever runs the proxy to allow the request`
  if (scopes) return `Use a key with ${scopes}, whose owner has the permission`
  if (gateway || (proxy && status === 403)) return 'Ask whoever runs the proxy to allow the request'
  return status === 403 ? '' : 'Correct the request'
}

/** Whether a body is a page for people, such as that of a login. */
export const isPage = (body: unknown): boolean => typeof body === 'string' && /^\s*</.test(body)

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
): string => issuesText(issues, subject) + (option === undefined ? '' : `; to send it anyway, use ${option}`)

/** @param names What its reader calls the budget, and an option or a param of the call. */
export function budgetTooLow(
  refusal: RefusedBudget,
  names: { readonly budget: string; readonly option: (name: string) => string },
): string {
  const { needed, remaining, reserved = 0, bound, resetsAt } = refusal
  const until = resetsAt ? ` until ${utcText(resetsAt)}` : ''
  const others = mayFitLater(refusal) ? ` and ${reserved} reserved by other calls; retry when they end` : ''
  const hint =
    bound === undefined
      ? ''
      : bound === null
        ? `; pass ${names.option('expectedItems')} if you expect fewer (it does not limit the charge)`
        : `; the smallest ${names.option(bound.param)} is ${bound.least}`
  return `it may cost ${count(needed, 'credit')} and ${names.budget} has ${remaining} left${until}${others}${hint}`
}

export const budgetUnavailable = (reason: string, temporary: boolean): string =>
  `the budget is unavailable: ${reason}${temporary ? '; retry later' : ''}`

export const clientClosed = (what: 'client' | 'limiter'): string => `the ${what} is closed; create another`

export const limitReached = 'rate limit reached'

/** @param lack What code of the user should have given. */
export const noAnswerOf = (lack: string, ms: number): string => `${lack} within ${ms} ms`

export const failedHeaders = (reason: string): string => `your headers function failed: ${reason}`

/** @param isFree Free calls are not stored. */
export const notCached = (isFree: boolean): string =>
  `${isFree ? 'free calls are not stored' : 'the cache has no answer to these params'}; leave out \`cache\` to send it`

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
  body: 'before the response ended',
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
  if (isUnprocessed) return `${host} did not process the request (${reason})`
  const hint = '; the server may refuse this origin (CORS)'
  return `the connection failed after the request was sent (${reason})${isInPage ? hint : ''}`
}

export const unreadable = (reason: string): string => `the response cannot be read (${reason})`

export const redirected = 'the response is a redirect; check baseUrl'

/** What the statuses mean that the service documents. */
const meanings: Readonly<Record<number, string>> = {
  400: 'the service refused the request',
  401: 'the service refused the key',
  403: 'not permitted',
  404: 'not found',
  429: limitReached,
  502: 'the search provider is not answering',
  503: 'temporarily unavailable',
}

/** @param message What the service says itself. */
export function serviceAnswered(status: number, code: string, message: string): string {
  const meaning = meanings[status]
  const what = meaning ? `${meaning} (${status})` : `the service answered ${status}`
  const said = message || (meaning ? '' : code)
  return said ? `${what}: ${said}` : what
}

export const gatewayAnswered = (status: number, described?: string): string =>
  `a proxy may have answered ${status}${described === undefined ? '' : ` (${described})`}`

export const lacksVersion = 'baseUrl lacks /v1'

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

export const checkedTooLate = 'the deadline passed before the check'

// What is wrong with pages.

export const wrongPage = (asked: number, got: string): string => `asked for page ${asked}, got page ${got}`

export const samePage = 'the page repeats the last one'

export const pageLoop = 'the next page was already fetched'

export const noCursor = 'meta.nextCursor is missing, though meta.hasMore is true'

export const noHasMore = (found: string): string => `expected meta.hasMore, found ${found}; pass paging.next`

export const wrongNext = 'paging.next failed, or returned no JSON'
