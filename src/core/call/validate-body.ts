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

/** Validates a parsed body. A schema may transform the data; `lenient` moves invalid items to `invalid`. */
export async function validateBody(
  operation: Operation,
  body: unknown,
  { validation, schema, paging }: Pick<CallSettings, 'validation' | 'schema' | 'paging'>,
): Promise<Validated> {
  const { list, response } = operation
  const property = typeof paging?.items === 'string' ? paging.items : list
  const sent = property !== undefined && isRecord(body) ? body[property] : undefined
  const lenient = validation === 'lenient'
  // With `lenient`, items are validated one by one below.
  const shape = lenient && Array.isArray(sent) ? { ...(body as object), [property ?? '']: [] } : body
  const issues = validation === 'off' ? [] : check(response, shape)
  if (issues.length > 0) return { ok: false, message: 'the response is not of the documented shape', issues }
  if (property === undefined || !Array.isArray(sent)) {
    if (schema === undefined)
      return { ok: true, body, invalid: lenient && property !== undefined ? [] : null }
    const message = `${schemaMismatch}: ${missingItems(operation, body, paging)}`
    if (property !== undefined) return { ok: false, message, issues: [] }
    const { value, issues } = await applySchema(schema, body)
    if (issues.length > 0) return { ok: false, message: schemaMismatch, issues }
    return { ok: true, body: value, invalid: null }
  }

  const itemSchema = lenient ? itemSchemaOf(response, property) : undefined
  const items: unknown[] = []
  const invalid: InvalidItem[] = []
  for (const [index, item] of (sent as unknown[]).entries()) {
    const issues = itemSchema ? check(itemSchema, item) : []
    const checked =
      issues.length > 0 || schema === undefined ? { value: item, issues } : await applySchema(schema, item)
    if (checked.issues.length === 0) items.push(checked.value)
    else invalid.push({ index, item, issues: firstIssues(checked.issues) })
  }
  if (invalid.length > 0 && !lenient) {
    const issues = invalid.flatMap(({ index, issues }) =>
      issues.map(({ path, message }) => ({
        path: dotPath(path === '' ? [property, index] : [property, index, path]),
        message,
      })),
    )
    return { ok: false, message: schemaMismatch, issues }
  }
  return { ok: true, body: { ...(body as object), [property]: items }, invalid: lenient ? invalid : null }
}
