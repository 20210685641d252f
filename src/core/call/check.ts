import { type Issue, dotPath, firstIssues } from '../../api/issues.ts'
import { applySchema, check, itemSchemaOf } from '../../api/schema/check.ts'
import { type ErrorContext, InvalidResponseError, TimeoutError } from '../../errors/index.ts'
import * as words from '../../errors/words.ts'
import { within } from '../../lib/abort.ts'
import type { Redactor } from '../../lib/redactor.ts'
import { maxBodyBytes } from '../http/fetch.ts'
import type { Call, Answer, Failed, InvalidItem, Success } from './call.ts'
import { decide, describeGatewayBody, endedBy } from './read-answer.ts'
import { type CallSettings, userCodeMs } from '../options/options.ts'
import { hasLongIntegers, isRecord, parsed } from '../../lib/json.ts'
import type { Operation } from '../../api/operation.ts'
import { missingItems } from '../../api/list-items.ts'

/**
 * Checks and transforms a success, as the caller asks. One that is not valid fails with the body that was paid for.
 *
 * @param sent When the request was sent.
 */
export async function checkAnswer(
  call: Call,
  success: Omit<Success, 'ok' | 'credits'>,
  sent: string | null = null,
): Promise<Answer | Failed> {
  const { operation, record } = call
  const { redactor } = record
  const { response, text, requestId, tookEffect } = success
  const isEmpty = isEmptySuccess(operation, success)
  // It lacks what every body of the service has.
  const settings: CallSettings = isEmpty ? { ...call.settings, validation: 'off' } : call.settings
  const value = isEmpty ? {} : withDocumentedNumbers(operation, text, success.value)
  const facts = { requestId, tookEffect, body: value ?? text }
  const left = () => ({ sent, leftMs: call.cancellation.sendBy - performance.now() })
  let validated: Validated
  try {
    validated =
      value === undefined
        ? refused(whyUnusable(success, redactor))
        : await validateInTime({ ...call, settings }, value)
  } catch (reason) {
    return decide(call, { ...endedBy(reason, settings, 'body'), ...facts }, left())
  }
  if (validated.ok) {
    const { body, invalid } = validated
    return { response, text, parsed: value, requestId, body, invalid, record }
  }
  const issues = firstIssues(validated.issues, (text) => redactor.text(text))
  const message = redactor.text(validated.message)
  const toError = (context: ErrorContext) =>
    new InvalidResponseError(message, { ...context, requestId, issues })
  return decide(call, { kind: 'unreadable', code: 'invalid_response', toError, ...facts }, left())
}

/** A number that the service documents is one, whatever its digits; only in other fields do they all count. */
function withDocumentedNumbers(operation: Operation, text: string, value: unknown): unknown {
  if (value === undefined || !operation.documented || !hasLongIntegers(text)) return value
  return [value, parsed(text)].find((body) => check(operation.response, body).length === 0) ?? value
}

/** Whether a success says all by its status. */
function isEmptySuccess(
  { mayBeEmpty, method }: Operation,
  { response, text, complete }: Pick<Success, 'response' | 'text' | 'complete'>,
): boolean {
  return mayBeEmpty === true && complete && text === '' && (method === 'DELETE' || response.status === 204)
}

function whyUnusable(
  { response, text, complete }: Pick<Success, 'response' | 'text' | 'complete'>,
  redactor: Redactor,
): string {
  const { status } = response
  if (!complete) return words.tooLarge(maxBodyBytes)
  if (status === 206) return words.partial
  if (text === '') return words.empty(status)
  return words.notJson(status, describeGatewayBody(response, text, redactor))
}

/** The caller's schema may be slow, or never end; it gets a minute. @throws the reason, if the caller or `close()` ends the call before. */
async function validateInTime(
  { operation, settings, cancellation }: Pick<Call, 'operation' | 'settings' | 'cancellation'>,
  value: unknown,
): Promise<Validated> {
  const work = () => validateBody(operation, value, settings)
  if (settings.schema === undefined) return work()
  try {
    return await within(userCodeMs, work, () => refused(words.slowSchema(userCodeMs)), cancellation.signal)
  } catch (reason) {
    const isLate = reason instanceof TimeoutError && reason !== settings.signal?.reason
    if (isLate) return refused(words.checkedTooLate)
    throw reason
  }
}

type Validated =
  | ({ readonly ok: true } & Pick<Answer, 'body' | 'invalid'>)
  | { readonly ok: false; readonly message: string; readonly issues: readonly Issue[] }

const refused = (message: string, issues: readonly Issue[] = []): Validated => ({
  ok: false,
  message,
  issues,
})

/** Validates a parsed body. A schema may transform the data; `lenient` moves invalid items to `invalid`. */
export async function validateBody(
  operation: Operation,
  body: unknown,
  settings: Pick<CallSettings, 'validation' | 'schema' | 'paging'>,
): Promise<Validated> {
  const { validation, schema, paging } = settings
  const property = typeof paging?.items === 'string' ? paging.items : operation.list
  const list: unknown = property !== undefined && isRecord(body) ? body[property] : undefined
  const isList = Array.isArray(list)
  const isLenient = validation === 'lenient'
  // With `lenient`, items are validated one by one below.
  const shape = isLenient && isList ? { ...(body as object), [property ?? '']: [] } : body
  const issues = validation === 'off' ? [] : check(operation.response, shape)
  if (issues.length > 0) return refused(words.wrongShape, issues)
  if (isList && (isLenient || schema !== undefined))
    return validateItems(operation, body as object, property ?? '', list, settings)
  if (schema === undefined)
    return { ok: true, body, invalid: isLenient && property !== undefined ? [] : null }
  if (property !== undefined) return refused(words.wrongSchema(missingItems(operation, body, paging)))
  const { value, issues: found } = await applySchema(schema, body)
  return found.length > 0 ? refused(words.wrongSchema(), found) : { ok: true, body: value, invalid: null }
}

/** The service documents pages of up to 1,000 items. A body with more invalid items than this is not a page. */
const maxInvalid = 10_000

async function validateItems(
  { response }: Operation,
  body: object,
  property: string,
  list: readonly unknown[],
  { validation, schema }: Pick<CallSettings, 'validation' | 'schema'>,
): Promise<Validated> {
  const lenient = validation === 'lenient'
  const itemSchema = lenient ? itemSchemaOf(response, property) : undefined
  const items: unknown[] = []
  const invalid: InvalidItem[] = []
  for (const [index, item] of list.entries()) {
    if (invalid.length > maxInvalid) break
    const issues = itemSchema ? check(itemSchema, item) : []
    const checked =
      issues.length > 0 || schema === undefined ? { value: item, issues } : await applySchema(schema, item)
    if (checked.issues.length === 0) items.push(checked.value)
    else invalid.push({ index, item, issues: firstIssues(checked.issues) })
  }
  if (invalid.length <= (lenient ? maxInvalid : 0))
    return { ok: true, body: { ...body, [property]: items }, invalid: lenient ? invalid : null }
  const issues = invalid.flatMap(({ index, issues }) =>
    issues.map(({ path, message }) => ({
      path: dotPath(path === '' ? [property, index] : [property, index, path]),
      message,
    })),
  )
  return refused(schema === undefined ? words.wrongShape : words.wrongSchema(), issues)
}
