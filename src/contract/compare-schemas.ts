import { type Finding, finding } from './difference.ts'
import { readSchema } from './read-schema.ts'
import { own } from './resolve.ts'
import { type Shape, boundKeywords, commonTypes, fieldsOf } from './shape.ts'

/** What two schemas describe. */
export interface Described {
  /** Whether to compare further fields: requests may refuse them, responses may always have more. */
  side: 'request' | 'response'
  /** The description, for its references. */
  document: unknown
}

/**
 * Compares a schema of this package with one of the description; undefined stands for none. It descends only as deep as
 * this package's schema, so an endless schema does no harm.
 */
export function compareSchemas(
  path: string,
  ours: unknown,
  theirs: unknown,
  described: Described,
): Finding[] {
  if (ours === undefined) return theirs === undefined ? [] : [unknownField(path, theirs)]
  const assumed = readSchema(ours, null)
  if (theirs === undefined) return [finding('field_missing', path, assumed.types ?? null, null)]
  const published = readSchema(theirs, described.document)
  const findings = [
    ...(published.unread ?? []).map(([keyword, value]) =>
      finding('unreadable', `${path}.${keyword}`, null, value),
    ),
    ...compareValues(path, assumed, published),
  ]
  // A changed type is already reported, so its fields or items are not.
  if (assumed.types && published.types && commonTypes(assumed.types, published.types).length === 0)
    return findings
  if (described.side === 'request')
    findings.push(...changed('extra_fields', path, !assumed.names, !published.names))
  return [
    ...findings,
    ...compareFields(path, assumed, published, described),
    ...compareSchemas(`${path}[]`, assumed.items, published.items, described),
  ]
}

function changed(kind: Finding['kind'], path: string, assumed: unknown, published: unknown): Finding[] {
  const isEqual = JSON.stringify(assumed) === JSON.stringify(published)
  return isEqual ? [] : [finding(kind, path, assumed, published)]
}

function compareValues(path: string, ours: Shape, theirs: Shape): Finding[] {
  return [
    ...changed('type', path, ours.types ?? null, theirs.types ?? null),
    ...changed('enum', path, ours.values ?? null, theirs.values ?? null),
    ...boundKeywords.flatMap((keyword) =>
      changed('bound', `${path}.${keyword}`, ours[keyword] ?? null, theirs[keyword] ?? null),
    ),
    ...changed('default', path, only(ours.defaults), only(theirs.defaults)),
  ]
}

function compareFields(path: string, ours: Shape, theirs: Shape, described: Described): Finding[] {
  const names = new Set([...fieldsOf(ours), ...fieldsOf(theirs)])
  const required = new Set(theirs.required)
  return [...names].flatMap((name) => {
    const at = `${path}.${name}`
    const isRequired = required.has(name)
    const schema = ours.properties?.get(name)
    const published = theirs.properties?.has(name) ? theirs.properties.get(name) : isRequired || undefined
    const isCommon = schema !== undefined && published !== undefined
    return [
      ...(isCommon ? changed('required', at, ours.required?.includes(name) ?? false, isRequired) : []),
      ...compareSchemas(at, schema, published, described),
    ]
  })
}

/** Reports an unreadable schema once, without its parts: there may be many. */
function unknownField(path: string, schema: unknown): Finding {
  return finding('field_unknown', path, null, own(schema, 'type') ?? own(schema, '$ref') ?? null)
}

function only(values: readonly unknown[] = []): unknown {
  return values.length < 2 ? (values[0] ?? null) : values
}
