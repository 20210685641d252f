import { isRecord } from '../lib/is-record.ts'
import { lookUp } from './resolve.ts'
import { type Shape, both, boundKeywords, settled } from './shape.ts'

/** Maximum number of parts read of one schema, since a hostile schema could be endless. */
const maxParts = 200

/** Annotations, which accept and refuse nothing; `format` is one of them in this dialect. */
const annotations = new Set([
  ...['title', 'description', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly', 'format'],
  ...['externalDocs', 'xml', 'discriminator', '$comment', '$defs', '$schema'],
])

const types = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']

/**
 * Reads a schema as one shape: local references, `allOf`, and alternatives that are null or lists of values count as parts
 * of it.
 */
export function readSchema(schema: unknown, document: unknown): Shape {
  return settled(readPart(schema, { document, left: { parts: maxParts }, refs: new Set() }))
}

interface Reading {
  document: unknown
  /** Shared by all parts of a schema. */
  left: { parts: number }
  /** References on the way to this part; following one again would loop. */
  refs: Set<unknown>
}

function readPart(schema: unknown, reading: Reading): Shape {
  reading.left.parts -= 1
  if (reading.left.parts === -1) return cannotRead('$ref', 'more parts than can be read')
  if (schema === true || reading.left.parts < 0) return {}
  if (!isRecord(schema)) return cannotRead('schema', schema)
  const shape = Object.entries(schema)
    .map(([keyword, value]) => readKeyword(keyword, value, schema, reading) ?? cannotRead(keyword, value))
    .reduce<Shape>(both, {})
  // Unlike `additionalProperties`, it accepts the properties of all parts of this schema.
  const isWhole = schema['unevaluatedProperties'] === false
  return isWhole ? both(shape, { names: [...(shape.properties?.keys() ?? [])] }) : shape
}

/** Reads one keyword; null if it cannot be compared. */
function readKeyword(
  keyword: string,
  value: unknown,
  schema: Record<string, unknown>,
  reading: Reading,
): Shape | null {
  if (annotations.has(keyword) || keyword.startsWith('x-')) return {}
  switch (keyword) {
    case '$ref': {
      const target = lookUp(reading.document, value)
      if (target === undefined) return null
      if (reading.refs.has(value)) return {}
      reading.refs.add(value)
      return readPart(target, reading)
    }
    case 'allOf':
      return Array.isArray(value) ? value.map((part) => readPart(part, reading)).reduce(both, {}) : null
    case 'type': {
      const list: unknown[] = Array.isArray(value) ? value : [value]
      return list.every((each) => types.includes(each as string)) ? { types: list as string[] } : null
    }
    case 'const':
      return valuesOf([value])
    case 'enum':
      return Array.isArray(value) ? valuesOf(value as unknown[]) : null
    case 'default':
      return isPlain(value) ? { defaults: [value] } : null
    case 'properties':
      return isRecord(value) ? { properties: new Map(Object.entries(value)) } : null
    case 'required':
      return isTexts(value) ? { required: value } : null
    case 'additionalProperties':
    case 'unevaluatedProperties':
      if (isRecord(value)) return Object.keys(value).length === 0 ? {} : null
      if (typeof value !== 'boolean') return null
      if (value || keyword === 'unevaluatedProperties') return {}
      // Refuses also the properties of other parts.
      return { names: Object.keys(isRecord(schema['properties']) ? schema['properties'] : {}) }
    case 'items':
      return isRecord(value) || value === true ? { items: value } : null
    case 'uniqueItems':
      return value === false ? {} : null
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) ? readAlternatives(value as unknown[], keyword === 'oneOf', reading) : null
  }
  return (boundKeywords as string[]).includes(keyword) && Number.isFinite(value) ? { [keyword]: value } : null
}

/** Reads alternatives if, apart from null, they are one schema or lists of values. */
function readAlternatives(
  alternatives: readonly unknown[],
  isExclusive: boolean,
  reading: Reading,
): Shape | null {
  if (alternatives.length > maxParts) return null
  const shapes = alternatives.map((each) =>
    settled(readPart(each, { ...reading, refs: new Set(reading.refs) })),
  )
  // `oneOf` refuses a value that two of its parts allow.
  const allowed = shapes.flatMap(({ types, values }) => [
    ...(values ?? []),
    ...((types?.includes('null') ?? true) ? [null] : []),
  ])
  if (isExclusive && new Set(allowed).size < allowed.length) return null
  const rest = shapes.filter(({ types, unread }) => types?.join() !== 'null' || unread !== undefined)
  const [first] = rest
  if (first === undefined) return shapes[0] ?? null
  const whole = rest.length === 1 ? first : listOf(rest)
  if (whole?.types === undefined || rest.length === shapes.length) return whole
  return { ...whole, types: [...whole.types, 'null'] }
}

/** Combines alternatives that are all lists of values into one list; otherwise null. */
function listOf(shapes: readonly Shape[]): Shape | null {
  const refused = ['unread', 'defaults', ...boundKeywords] as const
  const isList = (shape: Shape) =>
    shape.values !== undefined && shape.types?.length !== 0 && refused.every((field) => !(field in shape))
  if (!shapes.every(isList)) return null
  return {
    types: shapes.flatMap(({ types }) => types ?? []),
    values: [...new Set(shapes.flatMap(({ values }) => values ?? []))],
  }
}

/**
 * Reads a list of texts, numbers or booleans; lists of objects are not compared. Null counts as a type, not as a value.
 */
function valuesOf(values: readonly unknown[]): Shape | null {
  if (!values.every(isPlain)) return null
  const others = values.filter((value) => value !== null)
  return { types: values.map(typeOf), ...(others.length > 0 && { values: others }) }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function cannotRead(keyword: string, value: unknown): Shape {
  return { unread: [[keyword, value]] }
}
