import { firstIssues } from '../../api/issues.ts'
import { check } from '../../api/schema/check.ts'
import { InvalidResponseError, TimeoutError } from '../../errors/index.ts'
import type { CallCredits } from '../credits/ledger.ts'
import { maxBodyBytes } from '../http/send.ts'
import { Failure } from '../retry/failure.ts'
import { type CallResult, type Situation, errorContext } from './call.ts'
import { Ended } from './cancellation.ts'
import { describeGatewayBody } from './error-message.ts'
import { errorOfEnd, makeFailure } from './failures.ts'
import type { ParsedSuccess } from './outcome.ts'
import { type Validated, validateBody } from './validate-body.ts'

/** Checks and transforms a success, as the caller asks. The failure of one that is not valid has the body that was paid for. */
export async function checkAnswer(
  at: Situation,
  success: ParsedSuccess,
  credits: CallCredits,
): Promise<CallResult | Failure> {
  const { call, redactor, attempts } = at
  const { operation, settings } = call
  const { validation, schema, paging } = settings
  const { response, text, value, requestId } = success
  // The common case, without a promise.
  const isPlain = validation === 'strict' && schema === undefined && paging === undefined
  const validated: Validated | Failure =
    value === undefined
      ? { ok: false, message: whyUnusable(at, success), issues: [] }
      : isPlain && check(operation.response, value).length === 0
        ? { ok: true, body: value, invalid: null }
        : await validateInTime(at, value)
  if (validated instanceof Failure) return validated
  if (validated.ok) {
    const { body, invalid } = validated
    return { response, redactor, text, parsed: value, requestId, body, invalid, attempts, credits }
  }
  const issues = firstIssues(validated.issues, (text) => redactor.text(text))
  const context = { ...errorContext(at), requestId, issues }
  const error = new InvalidResponseError(redactor.text(validated.message), context)
  return makeFailure(at, error, 'unreadable')
}

function whyUnusable({ redactor }: Situation, { response, text, complete }: ParsedSuccess): string {
  const { status } = response
  if (!complete) return `the response is larger than ${maxBodyBytes} bytes and was cut off`
  if (status === 206) return 'the response is partial (206)'
  if (text === '') return `the response is empty (${status})`
  return `the response is not JSON (${status}, ${describeGatewayBody(response, text, redactor)})`
}

/** The caller's schema may be slow; it must not outlast the call. */
async function validateInTime(at: Situation, value: unknown): Promise<Validated | Failure> {
  const { operation, settings, cancellation } = at.call
  try {
    return await cancellation.race(() => validateBody(operation, value, settings))
  } catch (error) {
    const failed = errorOfEnd(at, error)
    if (!(error instanceof Ended) || !(failed instanceof TimeoutError)) return makeFailure(at, failed)
    return { ok: false, message: 'the deadline passed while the response was checked', issues: [] }
  }
}
