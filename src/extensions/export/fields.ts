import { itemSchemaOf } from '../../api/schema/check.ts'
import { type JsonSchema, jsonSchemaOf } from '../../api/schema/json-schema.ts'
import type { Operation } from '../../api/operation.ts'
import { type OperationId, operationOf } from '../../api/operations.ts'
import { isRecord, valueAt, wellFormedJson } from '../../lib/json.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { describeValue } from '../../errors/check-options.ts'

/**
 * The paths of the documented fields of a call's records, such as `engagements.viewsCount`.
 *
 * @throws {ConfigurationError} if the service does not document the fields.
 * @example
 * toCsv({ fields: fieldsOf('microblog.search') })
 */
export function fieldsOf(id: OperationId): string[] {
  const operation = operationOf(id)
  if (operation === undefined) throw new ConfigurationError(`unknown operation ${id}`)
  if (operation.documented) return columnsOf(operation).map(({ path }) => path)
  throw new ConfigurationError(`the service does not document the fields of ${id}; name them in \`fields\``)
}

/** A field without parts. */
export interface Column {
  readonly path: string
  readonly type: 'text' | 'number' | 'boolean'
}

/** The documented fields of an operation's records. */
export function columnsOf({ documented, response, list }: Operation): readonly Column[] {
  const item = list === undefined ? response : itemSchemaOf(response, list)
  return documented && item !== undefined ? columnsIn(jsonSchemaOf(item), []) : []
}

function columnsIn({ type, properties }: JsonSchema, names: readonly string[]): Column[] {
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, schema]) => columnsIn(schema, [...names, name]))
  const single = typeof type === 'object' ? type[0] : type
  const isNumber = single === 'number' || single === 'integer'
  return [{ path: names.join('.'), type: isNumber ? 'number' : single === 'boolean' ? 'boolean' : 'text' }]
}

/** @throws {ConfigurationError} for a path that the service does not document, so that a typo buys nothing. */
export function assertDocumented({ id, documented }: Operation, paths: readonly string[]): void {
  if (!documented) return
  const known = fieldsOf(id as OperationId)
  const unknown = paths.find((path) => !known.some((each) => each === path || each.startsWith(`${path}.`)))
  if (unknown !== undefined)
    throw new ConfigurationError(`unknown field ${unknown} of ${id}; expected one of ${known.join(', ')}`)
}

/** @throws {ConfigurationError} for fields that cannot be columns. */
export function assertFields(fields: readonly string[]): void {
  if (!Array.isArray(fields) || fields.length === 0)
    throw new ConfigurationError('`fields` must be a list of one or more fields')
  for (const path of fields as readonly unknown[])
    if (typeof path !== 'string' || path.split('.').includes(''))
      throw new ConfigurationError('each field must be a path such as engagements.viewsCount')
  const paths = fields as readonly string[]
  const repeated = paths.find((path, index) => paths.indexOf(path) !== index)
  if (repeated !== undefined) throw new ConfigurationError(`fields has ${repeated} twice`)
}

/** The value of a cell: plain values unchanged, lists joined, other objects as JSON; null for a missing value. */
export function cellOf(record: unknown, path: string, separator = '|'): string | number | boolean | null {
  // Columns of the user's own have any names, such as `No.` or `engagements.viewsCount`.
  const isName = isRecord(record) && Object.hasOwn(record, path)
  const value = isName ? record[path] : valueAt(record, path.split('.'))
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (!Array.isArray(value)) return jsonOf(value)
  const isPlain = value.every((item) => typeof item !== 'object' || item === null)
  return isPlain ? value.map((item) => String(item ?? '')).join(separator) : jsonOf(value)
}

/**
 * The JSON text of a record, or of a part of one, without halves of characters. The output of a schema of yours may be anything.
 *
 * @throws {ConfigurationError} for a value that is not JSON.
 */
export function jsonOf(value: unknown): string {
  const text = wellFormedJson(value)
  if (text === undefined)
    throw new ConfigurationError(`a record cannot be written as JSON, got ${describeValue(value)}`)
  return text
}
