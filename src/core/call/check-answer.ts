import { check } from '../../api/schema/check.ts'
import { TimeoutError } from '../../errors/index.ts'
import type { CallCredits } from '../credits/ledger.ts'
import { Failure } from '../retry/failure.ts'
import type { CallResult, Situation } from './call.ts'
import { Ended } from './cancellation.ts'
import { type ParsedSuccess, errorOfEnd, failureOfInvalid, makeFailure, whyUnusable } from './outcome.ts'
import { type Validated, validateBody } from './validate-body.ts'

/** Checks and transforms a success, as the caller asks. */
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
      ? whyUnusable(at, success)
      : isPlain && check(operation.response, value).length === 0
        ? { ok: true, body: value, invalid: null }
        : await validateInTime(at, value)
  if (validated instanceof Failure) return validated
  if (!validated.ok) return failureOfInvalid(at, requestId, validated)
  const { body, invalid } = validated
  return { response, redactor, text, parsed: value, requestId, body, invalid, attempts, credits }
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
