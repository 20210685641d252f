import { itemSchemaOf } from '../../api/schema/check.ts'
import { type JsonSchema, jsonSchemaOf } from '../../api/schema/json-schema.ts'
import type { Operation } from '../../api/operation.ts'
import { type OperationId, operationOf } from '../../api/operations.ts'
import { assertOptions } from '../../errors/check-options.ts'
import { valueAt } from '../../lib/value-at.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { jsonOf } from './record-json.ts'

/** Type of a column in a Parquet file. CSV ignores it. */
export type ColumnType = 'text' | 'number' | 'boolean'

/** A column of an export. */
export interface Column {
  /** Names of nested fields, joined by dots: `engagements.viewsCount`. */
  path: string
  /** Default `text`. */
  type?: ColumnType | undefined
}

/** Options of an export with columns. */
export interface ColumnOptions {
  /** The columns in their order, as paths (`engagements.viewsCount`) or with a type: `fieldsOf('microblog.search')`. */
  fields: readonly (string | Column)[]
}

const columnTypes = ['text', 'number', 'boolean']

/**
 * The documented fields of a call's records, as columns. They are the same for every export.
 *
 * @throws {ConfigurationError} if the service does not document the fields.
 * @example
 * toCsv({ fields: fieldsOf('microblog.search') })
 */
export function fieldsOf(id: OperationId): Column[] {
  const operation = operationOf(id)
  if (operation === undefined) throw new ConfigurationError(`unknown operation ${id}`)
  const { documented, response, list } = operation
  const item = list === undefined ? response : itemSchemaOf(response, list)
  if (!documented || item === undefined)
    throw new ConfigurationError(`the service does not document the fields of ${id}; name them in fields`)
  return columnsOf(jsonSchemaOf(item), [])
}

/** @throws {ConfigurationError} for a path that the service does not document, so that a typo buys nothing. */
export function assertDocumented({ id, documented }: Operation, paths: readonly string[]): void {
  if (!documented) return
  const known = fieldsOf(id as OperationId).map(({ path }) => path)
  const unknown = paths.find((path) => !known.some((each) => each === path || each.startsWith(`${path}.`)))
  if (unknown !== undefined)
    throw new ConfigurationError(`unknown field ${unknown} of ${id}; expected one of ${known.join(', ')}`)
}

function columnsOf({ type, properties }: JsonSchema, names: readonly string[]): Column[] {
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, schema]) => columnsOf(schema, [...names, name]))
  const single = typeof type === 'object' ? type[0] : type
  const isNumber = single === 'number' || single === 'integer'
  return [{ path: names.join('.'), type: isNumber ? 'number' : single === 'boolean' ? 'boolean' : 'text' }]
}

/** A checked column; `names` are the parts of its path. */
export interface ReadyColumn {
  readonly path: string
  readonly names: readonly string[]
  readonly type: ColumnType
}

/** @throws {ConfigurationError} */
export function resolveColumns(options: ColumnOptions): ReadyColumn[] {
  assertOptions(options, { fields: true })
  const { fields } = options
  if (!Array.isArray(fields) || fields.length === 0)
    throw new ConfigurationError('`fields` must be a list of one or more fields')
  const columns = fields.map((field: string | Column): ReadyColumn => {
    const { path, type = 'text' } = typeof field === 'string' ? { path: field } : field
    if (typeof path !== 'string' || path.split('.').includes(''))
      throw new ConfigurationError('each field must be a path such as engagements.viewsCount')
    if (!columnTypes.includes(type))
      throw new ConfigurationError(`the type of ${path} must be one of ${columnTypes.join(', ')}`)
    return { path, names: path.split('.'), type }
  })
  const repeated = columns.find(
    ({ path }, index) => columns.findIndex((each) => each.path === path) !== index,
  )
  if (repeated !== undefined) throw new ConfigurationError(`fields has ${repeated.path} twice`)
  return columns
}

/** The value of a cell: plain values unchanged, lists joined, other objects as JSON; null for a missing value. */
export function cellOf(
  record: unknown,
  names: readonly string[],
  separator = '|',
): string | number | boolean | null {
  const value = valueAt(record, names)
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (!Array.isArray(value)) return jsonOf(value)
  const isPlain = value.every((item) => typeof item !== 'object' || item === null)
  return isPlain ? value.map((item) => String(item ?? '')).join(separator) : jsonOf(value)
}
