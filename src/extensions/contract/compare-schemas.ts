import { type Finding, finding } from './difference.ts'
import { type PlainSchema, bounds, commonTypes, plainSchema, union } from './plain-schema.ts'
import { own } from './resolve.ts'

/** What two schemas describe. */
export interface Described {
  /** Requests may refuse further fields; responses may always have more. */
  isRequest: boolean
  /** The description, for its references. */
  document: unknown
}

/**
 * Compares a schema of this package with one of the description; undefined stands for none. It descends only as deep as
 * this package's schema, so an endless schema does no harm.
 */
export function compareSchemas(at: string, ours: unknown, theirs: unknown, about: Described): Finding[] {
  if (ours === undefined && theirs === undefined) return []
  // Reports the schema once, without its parts: there may be many.
  if (ours === undefined)
    return [finding('field_unknown', at, null, own(theirs, 'type') ?? own(theirs, '$ref'))]
  const a = plainSchema(ours, null)
  if (theirs === undefined) return [finding('field_missing', at, a.types, null)]
  const b = plainSchema(theirs, about.document)
  const values = [
    ...(b.unread ?? []).map(([keyword, value]) => finding('unreadable', `${at}.${keyword}`, null, value)),
    ...changed('type', at, a.types, b.types),
    ...changed('enum', at, a.values, b.values),
    ...bounds.flatMap((keyword) => changed('bound', `${at}.${keyword}`, a[keyword], b[keyword])),
    ...changed('default', at, single(a.defaults), single(b.defaults)),
  ]
  // A changed type is already reported, so its fields or items are not.
  if (a.types && b.types && commonTypes(a.types, b.types).length === 0) return values
  const required = new Set(b.required)
  return [
    ...values,
    ...(about.isRequest ? changed('extra_fields', at, !a.names, !b.names) : []),
    ...union(fieldsOf(a), fieldsOf(b)).flatMap((name) => {
      const isRequired = required.has(name)
      const schema = a.properties?.get(name)
      const published = b.properties?.has(name) ? b.properties.get(name) : isRequired || undefined
      const isCommon = schema !== undefined && published !== undefined
      const wasRequired = a.required?.includes(name) === true
      return [
        ...(isCommon ? changed('required', `${at}.${name}`, wasRequired, isRequired) : []),
        ...compareSchemas(`${at}.${name}`, schema, published, about),
      ]
    }),
    ...compareSchemas(`${at}[]`, a.items, b.items, about),
  ]
}

/** The names of the properties that a schema describes or requires. */
export function fieldsOf({ properties, required = [] }: PlainSchema): string[] {
  return union([...(properties?.keys() ?? [])], required)
}

function changed(kind: Finding['kind'], at: string, assumed: unknown, published: unknown): Finding[] {
  const isEqual = JSON.stringify(assumed) === JSON.stringify(published)
  return isEqual ? [] : [finding(kind, at, assumed, published)]
}

function single(values: readonly unknown[] = []): unknown {
  return values.length < 2 ? (values[0] ?? undefined) : values
}
