import { check } from '../../api/schema/check.ts'
import { firstIssues } from '../../api/issues.ts'
import { type Attempt, type Charged, InvalidResponseError, TimeoutError } from '../../errors/index.ts'
import { costOf } from '../credits/ledger.ts'
import { parsed } from '../../lib/json.ts'
import { creditsHeader, readCredits } from '../http/proxy-protocol.ts'
import { maxBodyBytes } from '../http/send.ts'
import { Failure } from '../retry/failure.ts'
import type { Answer, Call } from './call.ts'
import type { Received } from './exchange.ts'
import { type Validated, validateBody } from './validate-body.ts'
import { describeForeign } from './error-response.ts'

/**
 * Parses and validates a success, and records its cost. The error for an unusable response has its body, since the
 * response may have been charged.
 *
 * @throws {Failure} if the response is not usable.
 */
export async function readAnswer(call: Call, entry: Attempt, received: Received): Promise<Answer> {
  const { operation, settings, purchase, attempts } = call
  const { redactor, dialect } = call.client
  const { validation, schema, paging } = settings
  const { response, complete } = received
  let { text } = received
  let value: unknown
  try {
    if (response.status !== 206 && complete) value = dialect.parse(text)
  } catch {
    // Reported below: the parser's own error would quote the body.
  }
  if (redactor.containsSecret(text)) {
    // Pages end up in logs, and proxies pass them on.
    value = redactor.data(value)
    text = redactor.text(text)
  }
  const requestId = redactor.requestId(value)
  if (requestId !== undefined) entry.requestId = requestId
  // A body without the service's request id may come from a proxy.
  account(call, entry, received, requestId === undefined ? undefined : value)

  // The common case, without a promise.
  const isPlain = validation === 'strict' && schema === undefined && paging === undefined
  const validated: Validated =
    value === undefined
      ? notJson(response.status, text, complete, describeForeign(response, text, redactor))
      : isPlain && check(operation.response, value).length === 0
        ? { ok: true, body: value, invalid: null }
        : await validateInTime(call, entry.charged, value)
  if (!validated.ok) throw unusable(call, entry.charged, validated, requestId, value ?? text)
  const durationMs = Math.round(entry.duration)
  call.log('debug', 'answered', { status: response.status, durationMs, requestId })
  const { body, invalid } = validated
  const credits = { spent: purchase.spent, uncertain: purchase.uncertain }
  return { response, redactor, text, parsed: value, requestId, body, invalid, attempts, credits }
}

/** Records the cost of a success. `body` is undefined if the service may not have sent it. */
function account(call: Call, entry: Attempt, { response, fetchedStatus }: Received, body: unknown): void {
  const { operation, purchase, settings } = call
  // A hook that answers costs nothing.
  if (operation.price.kind === 'free' || fetchedStatus === null) return
  const isFetched = fetchedStatus >= 200 && fetchedStatus < 300
  const isReported = isFetched && response.headers.has(creditsHeader)
  const reported = isReported ? readCredits(response.headers) : null
  if (reported !== null) {
    purchase.settle(reported.spent, reported.uncertain)
    entry.charged = reported.charged
    return
  }
  const cost = isFetched && body !== undefined ? costOf(operation, body, settings.paging) : null
  if (cost === null) purchase.doubt()
  else purchase.settle(cost)
  // With a fixed price, the success alone proves the charge.
  const isKnown = cost !== null || operation.price.kind === 'perRequest'
  entry.charged = isFetched && isKnown ? 'yes' : 'unknown'
}

/** The failure of a success that is not valid. */
export function unusable(
  call: Call,
  charged: Charged,
  { message, issues }: Validated & { ok: false },
  requestId: string | undefined,
  body: unknown,
): Failure {
  const { redactor } = call.client
  const risk = call.stake === 'write' ? call.risk : charged
  const error = new InvalidResponseError(redactor.text(message), {
    ...call.context(risk),
    requestId,
    issues: firstIssues(issues, (text) => redactor.text(text)),
    body,
  })
  return new Failure(error, risk, 'unreadable')
}

/** The caller's schema may be slow; it must not outlast the call. */
export async function validateInTime(call: Call, charged: Charged, value: unknown): Promise<Validated> {
  try {
    return await call.race(() => validateBody(call.operation, value, call.settings))
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw new Failure(error, charged)
    return { ok: false, message: 'the deadline passed while the response was checked', issues: [] }
  }
}

function notJson(status: number, text: string, complete: boolean, told: string): Validated {
  const message = !complete
    ? `the response is larger than ${maxBodyBytes} bytes and was cut off`
    : status === 206
      ? 'the response is partial (206)'
      : text === ''
        ? `the response is empty (${status})`
        : `the response is not JSON (${status}, ${told})`
  return { ok: false, message, issues: [] }
}

/** The failure of a success that cannot be read for another reason, such as a hook: it may have been charged. */
export function unreadable(
  call: Call,
  entry: Attempt,
  { text }: Received,
  message = 'the response cannot be read',
): Failure {
  const { redactor, dialect } = call.client
  const risk = entry.charged === 'no' ? call.risk : entry.charged
  const body = redactor.data(parsed(text, dialect)) ?? redactor.text(text)
  const error = new InvalidResponseError(message, { ...call.context(risk), body })
  return new Failure(error, risk, 'final')
}
