import { check, itemSchemaOf } from '../../api/schema/check.ts'
import { isRecord } from '../../lib/is-record.ts'
import { type Issue, dotPath, firstIssues } from '../../api/issues.ts'
import type { Operation } from '../../api/operation.ts'
import { missingItems } from '../../api/list-items.ts'
import type { CallSettings } from '../options/settings.ts'
import { applySchema } from '../../api/schema/apply-schema.ts'

/** An item that failed validation. */
export interface InvalidItem {
  /** Index in the list that the service sent. */
  index: number
  item: unknown
  issues: Issue[]
}

export type Validated =
  /** `invalid` is null unless `validation` is `lenient`. */
  | { readonly ok: true; readonly body: unknown; readonly invalid: readonly InvalidItem[] | null }
  | { readonly ok: false; readonly message: string; readonly issues: readonly Issue[] }

const schemaMismatch = 'the response does not fit the schema of the call'

type Checks = Pick<CallSettings, 'validation' | 'schema' | 'paging'>

/** Validates a parsed body. A schema may transform the data; `lenient` moves invalid items to `invalid`. */
export async function validateBody(operation: Operation, body: unknown, checks: Checks): Promise<Validated> {
  const { validation, paging } = checks
  const property = typeof paging?.items === 'string' ? paging.items : operation.list
  const list: unknown = property !== undefined && isRecord(body) ? body[property] : undefined
  const isList = Array.isArray(list)
  // With `lenient`, items are validated one by one below.
  const shape = validation === 'lenient' && isList ? { ...(body as object), [property ?? '']: [] } : body
  const issues = validation === 'off' ? [] : check(operation.response, shape)
  if (issues.length > 0) return { ok: false, message: 'the response is not of the documented shape', issues }
  return isList
    ? validateItems(operation, body as object, property ?? '', list, checks)
    : validateWhole(operation, body, property, checks)
}

/** A body without the list that the call asks for, or of an operation without one. */
async function validateWhole(
  operation: Operation,
  body: unknown,
  property: string | undefined,
  { validation, schema, paging }: Checks,
): Promise<Validated> {
  if (schema === undefined)
    return { ok: true, body, invalid: validation === 'lenient' && property !== undefined ? [] : null }
  if (property !== undefined) {
    const message = `${schemaMismatch}: ${missingItems(operation, body, paging)}`
    return { ok: false, message, issues: [] }
  }
  const { value, issues } = await applySchema(schema, body)
  return issues.length > 0
    ? { ok: false, message: schemaMismatch, issues }
    : { ok: true, body: value, invalid: null }
}

async function validateItems(
  { response }: Operation,
  body: object,
  property: string,
  list: readonly unknown[],
  { validation, schema }: Checks,
): Promise<Validated> {
  const lenient = validation === 'lenient'
  const itemSchema = lenient ? itemSchemaOf(response, property) : undefined
  const items: unknown[] = []
  const invalid: InvalidItem[] = []
  for (const [index, item] of list.entries()) {
    const issues = itemSchema ? check(itemSchema, item) : []
    const checked =
      issues.length > 0 || schema === undefined ? { value: item, issues } : await applySchema(schema, item)
    if (checked.issues.length === 0) items.push(checked.value)
    else invalid.push({ index, item, issues: firstIssues(checked.issues) })
  }
  if (lenient || invalid.length === 0)
    return { ok: true, body: { ...body, [property]: items }, invalid: lenient ? invalid : null }
  const issues = invalid.flatMap(({ index, issues }) =>
    issues.map(({ path, message }) => ({
      path: dotPath(path === '' ? [property, index] : [property, index, path]),
      message,
    })),
  )
  return { ok: false, message: schemaMismatch, issues }
}
