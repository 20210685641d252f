import {
  type ApiErrorDetails,
  type ErrorContext,
  type TimeoutPhase,
  ApiError,
  ConfigurationError,
  ConnectionError,
  CreditBudgetError,
  RedirectError,
  type SocialSearchError,
  TimeoutError,
  apiErrorClasses,
  codeOf,
} from '../../errors/index.ts'
import { messageOf } from '../../lib/thrown.ts'
import { kindOfStatus, ruleFor } from '../http/failure-table.ts'
import { announcedWait, nextWait } from '../http/retry-wait.ts'
import { type Operation, effectOf } from '../../api/operation.ts'
import { explainNetworkError } from '../http/network-error.ts'
import type { Evidence } from './send.ts'
import type { Call, Failed, Success } from './call.ts'
import { errorOfEnd, timedOut } from './cancellation.ts'
import type { CallSettings } from '../options/options.ts'
import { jsonText, parsed } from '../../lib/json.ts'
import { itemsOf } from '../../api/list-items.ts'
import { costOf } from '../../api/price.ts'
import { type ErrorBody, readCharged, readCredits, readProxied, requestIdOf } from '../http/answer.ts'
import type { RawResponse } from '../http/fetch.ts'
import * as words from '../../errors/words.ts'
import { type ServiceErrorCode, codeOfStatus } from '../../api/error-envelope.ts'
import { maxMessageLength, issuesText, printable } from '../../api/issues.ts'
import type { Redactor } from '../../lib/redactor.ts'

/** What the meaning of an attempt depends on, besides the evidence. */
type Asked = Pick<Call, 'client' | 'operation' | 'settings' | 'timeoutMs' | 'record'>

type Answered = RawResponse & Pick<Evidence, 'sent' | 'at'>

/** What is known of a failure before it is decided what follows. Without `tookEffect`, the table says it. */
type Found = Pick<Failed, 'kind' | 'code' | 'toError'> & Partial<Failed>

/** Says what an attempt means. It changes nothing. */
export function readAnswer(call: Asked, evidence: Evidence, random = Math.random): Success | Failed {
  try {
    if (evidence.kind === 'answered' && isSuccess(evidence.response)) return readSuccess(call, evidence)
    return decide(call, find(call, evidence), evidence, random)
  } catch (error) {
    // A response that code of the user has made may throw when it is read.
    const reason = call.record.redactor.text(messageOf(error))
    return decide(call, noAnswer(reason), evidence, random)
  }
}

const isSuccess = ({ status }: Response): boolean => status >= 200 && status < 300

/** The failure of a call that something has ended. */
export function endedBy(reason: unknown, settings: CallSettings, phase: TimeoutPhase): Found {
  const toError = (context: ErrorContext) => errorOfEnd(reason, settings, context, phase)
  return { kind: 'final', code: codeOf(reason), toError }
}

/** What went wrong. */
function find(call: Asked, evidence: Evidence): Found {
  const { redactor } = call.record
  const { baseUrl } = call.client
  const { phase } = evidence
  switch (evidence.kind) {
    case 'aborted':
      return endedBy(evidence.reason, call.settings, phase)
    case 'late': {
      const toError = (context: ErrorContext) => timedOut('timeout', call.timeoutMs, phase, context)
      return { kind: phase === 'connect' ? 'unsent' : 'no-answer', code: 'timeout', toError }
    }
    case 'misused': {
      const message = redactor.text(messageOf(evidence.error))
      const toError = (context: ErrorContext) => new ConfigurationError(message, context)
      return { kind: 'final', code: 'configuration', toError }
    }
    case 'broken':
      return lostConnection(explainNetworkError(evidence.error, { baseUrl, redactor }, evidence.followed))
    case 'answered':
      return readErrorResponse(call, evidence)
  }
}

/** Reads an answer that is a success, and concludes from it what it has cost. */
function readSuccess({ client, operation, settings, record }: Asked, received: Answered): Success {
  const { redactor } = record
  const { response, complete } = received
  let { text } = received
  // An invalid body is reported later.
  let value = response.status !== 206 && complete ? parsed(text, client.bodyFormat) : undefined
  const clean = redactor.text(text)
  if (clean !== text) {
    // Pages end up in logs, and proxies pass them on. A text with gaps may be no JSON: a number or half an escape is gone.
    value = redactor.data(value)
    text = (value === undefined ? undefined : jsonText(value, client.bodyFormat)) ?? clean
  }
  const requestId = requestIdOf(value, redactor)
  // The service names its request, also in a body that breaks off. Any other success may come from a gateway.
  const isOwn = value === undefined ? /"requestId"\s*:\s*"[^"]/.test(text) : requestId !== undefined
  const spent = isOwn
    ? costOf(operation.price, value, () => itemsOf(operation, value, settings.paging))
    : null
  const { tookEffect, credits } = effectOfSuccess(operation, received, spent)
  return { ok: true, response, complete, text, value, requestId, tookEffect, credits }
}

/** @param spent What it has cost by its price; null if the body does not show it. */
function effectOfSuccess(
  operation: Operation,
  { response, sent }: Answered,
  spent: number | null,
): Pick<Success, 'tookEffect' | 'credits'> {
  if (operation.price.kind === 'free' && !spent) {
    const tookEffect = sent === null || effectOf(operation) === 'read' ? 'no' : 'unknown'
    return { tookEffect, credits: undefined }
  }
  const reported = readCredits(response.headers)
  if (reported !== null) return { tookEffect: reported.charged, credits: reported }
  if (spent === null) return { tookEffect: 'unknown', credits: undefined }
  return { tookEffect: 'yes', credits: { spent, uncertain: 0 } }
}

/** Reads an answer that is no success, and concludes from its sender whether the request took effect. */
function readErrorResponse(call: Asked, answered: Answered): Found {
  const { status, type } = answered.response
  // Other 3xx do not redirect, a 304 for example.
  if (type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    // The status is 0 in browsers.
    const toError = (context: ErrorContext) =>
      new RedirectError(words.redirected, { ...context, status: status || undefined })
    return { kind: 'final', code: 'redirect', toError }
  }
  if (status >= 200) return readErrorBody(call, answered)
  return noAnswer(`status ${status}`)
}

/** The sender of an answer says what its status means, and what the call may have cost. */
function readErrorBody(call: Asked, answered: Answered): Found {
  const { client, operation, record } = call
  const { response, text, sent, at } = answered
  const { status, headers } = response
  // The wait that an error announces is a number, of any length.
  const body = record.redactor.data(parsed(text))
  const announced = announcedWait(headers, body, at)
  const own = status < 400 ? null : client.bodyFormat.readError(body)
  // A proxy with this package says what the call cost.
  const reported = own && readCharged(body)
  const sender = { gateway: own === null || undefined, proxy: reported !== null || undefined }
  const tookEffect = reported && (sent === null || effectOf(operation) === 'read' ? 'no' : reported)
  const requestId = requestIdOf(body, record.redactor)
  const details = { requestId, ...detailsOf(call, answered, sender, own, announced) }
  return {
    ...{ code: details.code, requestId, announced },
    // What may have been charged is not sent again.
    kind: tookEffect !== null && tookEffect !== 'no' ? 'final' : kindOfStatus(status, sender, announced),
    ...(tookEffect !== null && { tookEffect }),
    credits: (sender.proxy && readCredits(headers)) || undefined,
    toError: (context) => {
      const all = { ...context, ...details }
      const ErrorClass = apiErrorClasses[status] ?? ApiError
      const passedOn = sender.proxy ? errorOfProxy(body, all) : undefined
      return passedOn ?? own?.toError?.(all) ?? new ErrorClass(all)
    },
  }
}

function detailsOf(
  { client, operation, record }: Asked,
  { response, text }: RawResponse,
  { gateway, proxy }: Pick<ApiErrorDetails, 'gateway' | 'proxy'>,
  own: ErrorBody | null,
  announced: number | null,
): ApiErrorDetails {
  const { status } = response
  const code = printable(own?.code ?? codeOfStatus(status), maxCodeLength)
  const { message = '', issues = [] } = own ?? {}
  // Issues name each invalid field; a message need not. That of a proxy says what happened behind it.
  const isTold = proxy || issues.length === 0
  const said = printable(isTold ? message : issuesText(issues), maxMessageLength)
  const what =
    own === null
      ? words.gatewayAnswered(status, describeGatewayBody(response, text, record.redactor))
      : words.serviceAnswered(status, code, said)
  // A path without an id always exists, so the address must be wrong.
  const isWrongAddress = status === 404 && operation.pathId === undefined && !client.baseUrl.endsWith('/v1')
  return {
    status,
    code: code as ServiceErrorCode,
    issues: own?.issues,
    gateway,
    proxy,
    message: proxy ? said : isWrongAddress ? `${what}; ${words.lacksVersion}` : what,
    retryAfter: announced === null ? undefined : announced / 1000,
    ...(status === 403 && !proxy && { requiredScopes: operation.scopes }),
  }
}

/** Errors of the client behind a proxy, which have the same class here. */
const proxied = { connection: ConnectionError, timeout: TimeoutError, redirect: RedirectError } as const

/** The error behind a proxy, as its client has it there; undefined for one that only the proxy has. */
function errorOfProxy(body: unknown, details: ApiErrorDetails): SocialSearchError | undefined {
  const { code, message } = details
  const { budget, phase } = readProxied(body)
  const own: string = code
  if (own === 'credit_budget') return budget && new CreditBudgetError({ ...budget, what: message }, details)
  // The service may have codes of these names, but tells no phase.
  if (typeof phase !== 'string' || !Object.hasOwn(proxied, own)) return undefined
  const facts = {
    ...details,
    status: undefined,
    phase: printable(phase, maxCodeLength) as never,
    reason: 'behind the proxy',
  }
  return new proxied[own as keyof typeof proxied](message, facts)
}

/** The failure of a request that was sent, and has no usable response. */
function noAnswer(reason: string): Found {
  return lostConnection({ kind: 'no-answer', message: words.unreadable(reason), phase: 'exchange', reason })
}

/** The failure of a connection. */
function lostConnection({ kind, message, phase, reason }: ReturnType<typeof explainNetworkError>): Found {
  const toError = (context: ErrorContext) => new ConnectionError(message, { ...context, phase, reason })
  return { kind, code: 'connection', toError, hasLeft: phase === 'exchange' }
}

/** Decides what follows from a failure: whether and when the call retries, and for how long its surface closes. */
export function decide(
  { operation, settings, client, record }: Asked,
  found: Found,
  { sent, leftMs }: Pick<Evidence, 'sent' | 'leftMs'>,
  random = Math.random,
): Failed {
  const { failures } = record
  const effect = effectOf(operation)
  const { attempts, mayTakeEffect, more } = ruleFor(found.kind, effect, settings.retry.retriesUnknown)
  const tookEffect = found.tookEffect ?? (mayTakeEffect && sent !== null ? 'unknown' : 'no')
  const refreshes = more === 'refreshes'
  const mayRefresh =
    refreshes &&
    attempts > 1 &&
    leftMs > 0 &&
    client.credential.refreshable &&
    !failures.some((earlier) => earlier.refreshes)
  const kind = refreshes && !mayRefresh ? 'final' : found.kind
  const announced = found.announced ?? null
  // An answer that was paid for is not bought again, also if the caller's schema refuses it.
  const wait =
    tookEffect === 'yes' ? null : nextWait([...failures, { kind, announced }], effect, settings.retry, random)
  return {
    ...{ ...found, ok: false, kind, tookEffect, announced, refreshes: mayRefresh },
    wait: wait !== null && wait >= leftMs ? null : wait,
    unsent: more === 'uncounted' || sent === null,
    refusedForMs: more === 'closes' ? announced || (wait ?? 0) : undefined,
  }
}

/** Longest code that an error repeats, in characters: it ends up in logs. */
const maxCodeLength = 64

/** The type of a body that is not the service's, and the first words of a page. Other bodies may hold paid data. */
export function describeGatewayBody({ headers }: Response, text: string, redactor: Redactor): string {
  const page = words.isPage(text) ? `: ${text}` : ''
  // Redacted first: half a secret would not be recognized.
  const start = redactor.text(`${headers.get('content-type') ?? 'no type'}${page}`).slice(0, 1000)
  return start
    .replaceAll(/(<[^>]*>|[\p{C}\s])+/gu, ' ')
    .slice(0, 120)
    .trim()
}
