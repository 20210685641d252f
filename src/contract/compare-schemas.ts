import type { Finding } from './difference.ts'
import { readSchema } from './read-schema.ts'
import { own } from './resolve.ts'
import { type Shape, boundKeywords, commonTypes, fieldsOf } from './shape.ts'

/** Two versions of a schema. */
export interface Pair {
  path: string
  /** Schemas of this package; a value must fit all of them. */
  ours: readonly unknown[]
  /** Schemas of the description; a value must fit all of them. */
  theirs: readonly unknown[]
  /** Whether to compare further fields: requests may refuse them, responses may always have more. */
  side: 'request' | 'response'
}

/** Compares two schemas. It descends only as deep as this package's schema, so an endless schema does no harm. */
export function compareSchemas(pair: Pair, document: unknown): Finding[] {
  const { path, side } = pair
  const ours = readSchema(pair.ours, null)
  const theirs = readSchema(pair.theirs, document)
  const unread = theirs.unread.map(([keyword, published]): Finding => ({
    kind: 'unreadable',
    path: `${path}.${keyword}`,
    assumed: null,
    published,
  }))
  const findings = [...unread, ...compareValues(path, ours, theirs)]
  // A changed type is already reported, so its fields or items are not.
  if (commonTypes(ours.types, theirs.types)?.length === 0) return findings
  const [assumed, published] = [ours.names === null, theirs.names === null]
  if (side === 'request' && assumed !== published)
    findings.push({ kind: 'extra_fields', path, assumed, published })
  return [
    ...findings,
    ...compareFields(pair, ours, theirs, document),
    ...compareItems(pair, ours, theirs, document),
  ]
}

function compareValues(path: string, ours: Shape, theirs: Shape): Finding[] {
  const findings: Finding[] = []
  const compare = (kind: Finding['kind'], path: string, assumed: unknown, published: unknown): void => {
    if (JSON.stringify(assumed) !== JSON.stringify(published))
      findings.push({ kind, path, assumed, published })
  }
  compare('type', path, ours.types, theirs.types)
  compare('enum', path, parsed(ours.values), parsed(theirs.values))
  for (const keyword of boundKeywords)
    compare('bound', `${path}.${keyword}`, ours.bounds[keyword] ?? null, theirs.bounds[keyword] ?? null)
  compare('default', path, only(parsed(ours.defaults)), only(parsed(theirs.defaults)))
  return findings
}

function compareFields({ path, side }: Pair, ours: Shape, theirs: Shape, document: unknown): Finding[] {
  const names = new Set([...fieldsOf(ours), ...fieldsOf(theirs)])
  return [...names].flatMap((name): Finding[] => {
    const at = {
      path: `${path}.${name}`,
      ours: ours.properties.get(name),
      theirs: theirs.properties.get(name),
    }
    if (at.ours === undefined) return [unknownField(at.path, at.theirs ?? [])]
    if (at.theirs === undefined && !theirs.required.has(name)) return [missingField(at.path, at.ours)]
    const [assumed, published] = [ours.required.has(name), theirs.required.has(name)]
    return [
      ...(assumed === published ? [] : [{ kind: 'required', path: at.path, assumed, published } as const]),
      ...compareSchemas({ path: at.path, ours: at.ours, theirs: at.theirs ?? [], side }, document),
    ]
  })
}

function compareItems({ path, side }: Pair, ours: Shape, theirs: Shape, document: unknown): Finding[] {
  const at = `${path}[]`
  if (ours.items.length === 0 && theirs.items.length === 0) return []
  if (ours.items.length === 0) return [unknownField(at, theirs.items)]
  if (theirs.items.length === 0) return [missingField(at, ours.items)]
  return compareSchemas({ path: at, ours: ours.items, theirs: theirs.items, side }, document)
}

function missingField(path: string, schemas: readonly unknown[]): Finding {
  return { kind: 'field_missing', path, assumed: readSchema(schemas, null).types, published: null }
}

/** Reports an unreadable schema once, without its parts: there may be many. */
function unknownField(path: string, [schema]: readonly unknown[]): Finding {
  const published = own(schema, 'type') ?? own(schema, '$ref') ?? null
  return { kind: 'field_unknown', path, assumed: null, published }
}

function parsed(values: readonly string[] | null): unknown[] | null {
  return values?.map((value): unknown => JSON.parse(value)) ?? null
}

/** A value of `enum`, compared by its JSON text. */
function only(values: unknown[] | null): unknown {
  return values !== null && values.length < 2 ? (values[0] ?? null) : values
}
