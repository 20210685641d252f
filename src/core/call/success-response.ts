import { check } from '../../api/schema/check.ts'
import { firstIssues } from '../../api/issues.ts'
import { type Attempt, type Charged, InvalidResponseError, TimeoutError } from '../../errors/index.ts'
import { isInstance } from '../../lib/thrown.ts'
import { costOf } from '../credits/ledger.ts'
import { creditsHeader, readCredits } from '../http/proxy-protocol.ts'
import { type Received, maxBodyBytes } from '../http/send.ts'
import { Failure } from '../retry/failure.ts'
import type { Answer, Call } from './call.ts'
import { type Validated, validateBody } from './validate-body.ts'
import { describeForeign } from './error-response.ts'

/** A success, parsed; its texts and data are redacted. */
export interface Success extends Received {
  /** Undefined if the text is not JSON. */
  readonly value: unknown
  readonly requestId: string | undefined
  /** Whether a hook answered, or replaced what the service sent. */
  readonly byHook: boolean
}

export function isSuccess({ status }: Response): boolean {
  return status >= 200 && status < 300
}

/** Parses and redacts a success, whether it is usable or not. */
export function parseSuccess({ client }: Call, received: Received): Success {
  const { redactor, dialect } = client
  const { response, complete } = received
  let { text } = received
  let value: unknown
  try {
    if (response.status !== 206 && complete) value = dialect.parse(text)
  } catch {
    // Reported later: the parser's own error would quote the body.
  }
  if (redactor.containsSecret(text)) {
    // Pages end up in logs, and proxies pass them on.
    value = redactor.data(value)
    text = redactor.text(text)
  }
  return { response, complete, text, value, requestId: redactor.requestId(value), byHook: false }
}

/** Parses a success, and accounts for it before anything else is done with it. */
export function settleSuccess(call: Call, entry: Attempt, received: Received): Success {
  const success = parseSuccess(call, received)
  const { value, text, requestId } = success
  if (requestId !== undefined) entry.requestId = requestId
  // A body without the service's request id may come from a proxy.
  const isFree = call.operation.price.kind === 'free'
  if (!isFree) entry.charged = charge(call, received, requestId === undefined ? undefined : value)
  call.settled = { risk: isFree ? call.risk : entry.charged, body: value ?? text }
  return success
}

/** Records the cost of a success. `body` is undefined if the service may not have sent it. */
function charge({ operation, purchase, settings }: Call, { response }: Received, body: unknown): Charged {
  const reported = response.headers.has(creditsHeader) ? readCredits(response.headers) : null
  if (reported !== null) {
    purchase.settle(reported.spent, reported.uncertain)
    return reported.charged
  }
  const cost = body === undefined ? null : costOf(operation, body, settings.paging)
  if (cost === null) purchase.doubt()
  else purchase.settle(cost)
  // With a fixed price, the success alone proves the charge.
  return cost !== null || operation.price.kind === 'perRequest' ? 'yes' : 'unknown'
}

/**
 * Validates a success. The error for an unusable response has its body, since the response may have been charged.
 *
 * @throws {Failure} if the response is not usable.
 */
export async function readAnswer(call: Call, entry: Attempt, success: Success): Promise<Answer> {
  const { operation, settings, purchase, attempts } = call
  const { redactor } = call.client
  const { validation, schema, paging } = settings
  const { response, text, value, requestId, complete } = success
  // The common case, without a promise.
  const isPlain = validation === 'strict' && schema === undefined && paging === undefined
  const validated: Validated =
    value === undefined
      ? notJson(response.status, text, complete, describeForeign(response, text, redactor))
      : isPlain && check(operation.response, value).length === 0
        ? { ok: true, body: value, invalid: null }
        : await validateInTime(call, call.risk, value)
  if (!validated.ok) {
    const failure = unusable(call, call.risk, validated, requestId, value ?? text)
    // Another attempt could pay again, and meet the same hook.
    throw success.byHook ? new Failure(failure.error, failure.risk) : failure
  }
  const durationMs = Math.round(entry.duration)
  call.log('debug', 'answered', { status: response.status, durationMs, requestId })
  const { body, invalid } = validated
  const credits = { spent: purchase.spent, uncertain: purchase.uncertain }
  return { response, redactor, text, parsed: value, requestId, body, invalid, attempts, credits }
}

/** The failure of a success that is not valid. The error has the body that was paid for, also if a hook replaced it. */
export function unusable(
  call: Call,
  risk: Charged,
  { message, issues }: Validated & { ok: false },
  requestId: string | undefined,
  body: unknown,
): Failure {
  const { redactor } = call.client
  const context = call.context(risk)
  const error = new InvalidResponseError(redactor.text(message), {
    ...context,
    requestId,
    issues: firstIssues(issues, (text) => redactor.text(text)),
    body: context.body ?? body,
  })
  return new Failure(error, risk, 'unreadable')
}

/** The caller's schema may be slow; it must not outlast the call. */
export async function validateInTime(call: Call, risk: Charged, value: unknown): Promise<Validated> {
  try {
    return await call.race(() => validateBody(call.operation, value, call.settings))
  } catch (error) {
    if (!isInstance(error, TimeoutError)) throw new Failure(error, risk)
    return { ok: false, message: 'the deadline passed while the response was checked', issues: [] }
  }
}

/** The failure of a success that cannot be read for another reason, such as a hook. */
export function unreadable(call: Call, message = 'the response cannot be read'): Failure {
  return new Failure(new InvalidResponseError(message, call.context()), call.risk)
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
