import { firstIssues } from '../../api/issues.ts'
import { check } from '../../api/schema/check.ts'
import { type ErrorContext, InvalidResponseError, codeOf } from '../../errors/index.ts'
import { within } from '../../lib/abort.ts'
import type { Redactor } from '../../lib/redactor.ts'
import { maxBodyBytes } from '../http/send.ts'
import type { Call, CallResult } from './call.ts'
import { isEnded } from './cancellation.ts'
import { describeGatewayBody } from '../failures/error-message.ts'
import { userCodeMs } from '../options/defaults.ts'
import type { Found, Success } from './verdict.ts'
import { type Validated, validateBody } from './validate-body.ts'

/** What a call gets of its answer: the body and what belongs to it. */
export type Checked = Omit<CallResult, 'attempts' | 'credits' | 'cached'>

/** Checks and transforms a success, as the caller asks. The failure of one that is not valid has the body that was paid for. */
export async function checkAnswer(
  call: Pick<Call, 'operation' | 'settings' | 'cancellation'>,
  success: Omit<Success, 'ok' | 'credits'>,
  redactor: Redactor,
): Promise<Checked | Found> {
  const { operation, settings } = call
  const { validation, schema, paging } = settings
  const { response, text, value, requestId, effect } = success
  const paid = { effect, body: value ?? text }
  // The common case, without a promise.
  const isPlain = validation === 'strict' && schema === undefined && paging === undefined
  const validated: Validated | Found =
    value === undefined
      ? { ok: false, message: whyUnusable(success, redactor), issues: [] }
      : isPlain && check(operation.response, value).length === 0
        ? { ok: true, body: value, invalid: null }
        : await validateInTime(call, value)
  if ('toError' in validated) return { ...validated, ...paid }
  if (validated.ok) {
    const { body, invalid } = validated
    return { response, redactor, text, parsed: value, requestId, body, invalid }
  }
  const issues = firstIssues(validated.issues, (text) => redactor.text(text))
  const message = redactor.text(validated.message)
  const toError = (context: ErrorContext) =>
    new InvalidResponseError(message, { ...context, requestId, issues })
  return { ...paid, kind: 'unreadable', code: 'invalid_response', requestId, toError }
}

function whyUnusable(
  { response, text, complete }: Pick<Success, 'response' | 'text' | 'complete'>,
  redactor: Redactor,
): string {
  const { status } = response
  if (!complete) return `the response is larger than ${maxBodyBytes} bytes and was cut off`
  if (status === 206) return 'the response is partial (206)'
  if (text === '') return `the response is empty (${status})`
  return `the response is not JSON (${status}, ${describeGatewayBody(response, text, redactor)})`
}

/** The caller's schema may be slow, or never end; it gets a minute. */
async function validateInTime(
  { operation, settings, cancellation }: Pick<Call, 'operation' | 'settings' | 'cancellation'>,
  value: unknown,
): Promise<Validated | Found> {
  const work = () => validateBody(operation, value, settings)
  const message = `the schema of the call took more than ${userCodeMs} ms`
  try {
    return await within(userCodeMs, work, () => ({ ok: false, message, issues: [] }), cancellation.signal)
  } catch (error) {
    if (!isEnded(error)) return { kind: 'final', code: codeOf(error), toError: () => error }
    if (error.code === 'timeout')
      return { ok: false, message: 'the deadline passed while the response was checked', issues: [] }
    return { kind: 'final', code: error.code, toError: (context) => error.toError(context, 'body') }
  }
}
