import { firstIssues } from '../../contract/issues.ts'
import { validate } from '../../contract/validate.ts'
import { type Attempt, InvalidResponseError, TimeoutError } from '../../errors.ts'
import { costOf } from '../credits/ledger.ts'
import { creditsHeader, readCredits } from '../http/proxy-protocol.ts'
import { maxBodyBytes } from '../http/send.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Answer, Call } from './call.ts'
import { type Decoded, decode } from './decode.ts'

/** A successful response, not parsed yet. */
export interface Received {
  readonly response: Response
  readonly text: string
  /** False if the body was cut off because it is too large. */
  readonly complete: boolean
  /**
   * `service`: fetch returned a success. `middleware`: a middleware answered and nothing was sent. `uncertain`: a
   * middleware returned a success after fetch failed.
   */
  readonly origin: 'service' | 'uncertain' | 'middleware'
}

/**
 * Parses and validates a success, and records its cost. The error for an unusable response has its body, since the
 * response may have been charged.
 */
export async function readAnswer(
  call: Call,
  entry: Attempt,
  received: Received,
): Promise<Answer | AttemptFailure> {
  const { operation, settings, purchase, attempts } = call
  const { redactor, dialect, validation, schema, paging } = settings
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
  const decoded: Decoded | AttemptFailure =
    value === undefined
      ? unreadable(response.status, text, complete)
      : isPlain && validate(operation.response, value).length === 0
        ? { ok: true, body: value, invalid: null }
        : await decodeInTime(call, entry, value)
  if (decoded instanceof AttemptFailure) return decoded
  if (!decoded.ok) {
    const error = new InvalidResponseError(redactor.text(decoded.message), {
      ...call.context(entry.charged),
      requestId,
      issues: firstIssues(decoded.issues, (text) => redactor.text(text)),
      body: value ?? text,
    })
    return new AttemptFailure(error, entry.charged, 'unreadable')
  }
  const durationMs = Math.round(entry.duration)
  call.log('debug', 'answered', { status: response.status, durationMs, requestId })
  const { body, invalid } = decoded
  const credits = { spent: purchase.spent, uncertain: purchase.uncertain }
  return { response, redactor, text, parsed: value, requestId, body, invalid, attempts, credits }
}

/** Records the cost of a success. `body` is undefined if the service may not have sent it. */
function account(call: Call, entry: Attempt, { response, origin }: Received, body: unknown): void {
  const { operation, purchase, settings } = call
  if (!call.metered || origin === 'middleware') return
  const isReported = origin === 'service' && response.headers.has(creditsHeader)
  const reported = isReported ? readCredits(response.headers) : null
  if (reported !== null) {
    purchase.settle(reported.spent, reported.uncertain)
    entry.charged = reported.charged
    return
  }
  const cost = origin === 'service' && body !== undefined ? costOf(operation, body, settings.paging) : null
  if (cost === null) purchase.doubt()
  else purchase.settle(cost)
  // With a fixed price, the success alone proves the charge.
  const isKnown = cost !== null || operation.price.kind === 'perRequest'
  entry.charged = origin === 'service' && isKnown ? 'yes' : 'unknown'
}

/** The caller's schema may be slow; it must not outlast the call. */
async function decodeInTime(call: Call, entry: Attempt, value: unknown): Promise<Decoded | AttemptFailure> {
  try {
    return await call.race(() => decode(call.operation, value, call.settings))
  } catch (error) {
    if (!(error instanceof TimeoutError)) return new AttemptFailure(error, entry.charged)
    return { ok: false, message: 'the deadline passed while the answer was checked', issues: [] }
  }
}

function unreadable(status: number, text: string, complete: boolean): Decoded {
  const message = !complete
    ? `the answer is larger than ${maxBodyBytes} bytes and was cut off`
    : status === 206
      ? 'the answer is partial (206)'
      : text === ''
        ? `the answer is empty (${status})`
        : 'the answer is not JSON'
  return { ok: false, message, issues: [] }
}
