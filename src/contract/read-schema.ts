import { isRecord } from '../lib/is-record.ts'
import { lookUp } from './resolve.ts'
import { type Bound, type Shape, anything, boundKeywords, both } from './shape.ts'

/** Maximum number of parts read of one schema, since a hostile schema could be endless. */
const maxParts = 200

/** Annotations, which accept and refuse nothing; `format` is one of them in this dialect. */
const annotations = new Set([
  ...['title', 'description', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly', 'format'],
  ...['externalDocs', 'xml', 'discriminator', '$comment', '$defs', '$schema'],
])

const types = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']

/**
 * Combines schemas that apply to the same value: local references, `allOf`, and alternatives that are null or lists of
 * values.
 */
export function readSchema(schemas: readonly unknown[], document: unknown): Shape {
  return settled(readParts(schemas, { document, left: { parts: maxParts }, refs: new Set() }))
}

interface Reading {
  document: unknown
  /** Shared by all parts of a schema. */
  left: { parts: number }
  /** References on the way to this part; following one again would loop. */
  refs: Set<unknown>
}

function readParts(schemas: readonly unknown[], reading: Reading): Shape {
  const pending = [...schemas]
  const unread: [string, unknown][] = []
  let shape = anything
  /** Whether properties that no part names are refused. */
  let isWhole = false
  while (pending.length > 0) {
    if (reading.left.parts-- <= 0) return both(shape, cannotRead('$ref', 'more parts than can be read'))
    const schema = pending.pop()
    const isFirst = pending.length === 0 && shape.properties.size === 0
    if (schema === true) continue
    if (!isRecord(schema)) {
      unread.push(['schema', schema])
      continue
    }
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$ref') {
        const target = lookUp(reading.document, value)
        if (target === undefined) unread.push([keyword, value])
        else if (!reading.refs.has(value)) pending.push(target)
        reading.refs.add(value)
      } else if (keyword === 'allOf' && Array.isArray(value)) {
        pending.push(...(value as unknown[]).slice(0, maxParts + 1))
      } else if (isFirst && keyword === 'unevaluatedProperties' && value === false) {
        isWhole = true
      } else {
        const part = readKeyword(keyword, value, schema, reading)
        if (part === null) unread.push([keyword, value])
        else if (part !== anything) shape = both(shape, { ...anything, ...part })
      }
    }
  }
  return both(shape, { ...anything, unread, names: isWhole ? new Set(shape.properties.keys()) : null })
}

/** Reads one keyword; null if it cannot be compared. */
function readKeyword(
  keyword: string,
  value: unknown,
  schema: Record<string, unknown>,
  reading: Reading,
): Partial<Shape> | null {
  if (annotations.has(keyword) || keyword.startsWith('x-')) return anything
  switch (keyword) {
    case 'type': {
      const list: unknown[] = Array.isArray(value) ? value : [value]
      return list.every((each) => types.includes(each as string)) ? { types: list as string[] } : null
    }
    case 'const':
      return valuesOf([value])
    case 'enum':
      return Array.isArray(value) ? valuesOf(value as unknown[]) : null
    case 'default':
      return isPlain(value) ? { defaults: [JSON.stringify(value)] } : null
    case 'properties':
      return isRecord(value)
        ? { properties: new Map(Object.entries(value).map(([name, schema]) => [name, [schema]])) }
        : null
    case 'required':
      return isTexts(value) ? { required: new Set(value) } : null
    case 'additionalProperties':
    case 'unevaluatedProperties':
      if (isRecord(value)) return Object.keys(value).length === 0 ? anything : null
      if (typeof value !== 'boolean') return null
      // Applies only to the properties of the same part, so it refuses those of other parts.
      return value ? anything : { names: namesOf(schema['properties']) }
    case 'items':
      return isRecord(value) || value === true ? { items: [value] } : null
    case 'uniqueItems':
      return value === false ? anything : null
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) ? readAlternatives(value as unknown[], keyword === 'oneOf', reading) : null
  }
  const isBound = boundKeywords.includes(keyword as Bound)
  return isBound && Number.isFinite(value) ? { bounds: { [keyword]: value as number } } : null
}

/** Reads alternatives if, apart from null, they are one schema or lists of values. */
function readAlternatives(
  alternatives: readonly unknown[],
  isExclusive: boolean,
  reading: Reading,
): Shape | null {
  if (alternatives.length > maxParts) return null
  const shapes = alternatives.map((each) =>
    settled(readParts([each], { ...reading, refs: new Set(reading.refs) })),
  )
  // `oneOf` refuses a value that two of its parts allow.
  const allowed = shapes.flatMap(plainValuesOf)
  if (isExclusive && new Set(allowed).size < allowed.length) return null
  const isNull = ({ types, unread }: Shape) => types?.join() === 'null' && unread.length === 0
  const rest = shapes.filter((shape) => !isNull(shape))
  const [first] = rest
  if (first === undefined) return shapes[0] ?? null
  const whole = rest.length === 1 ? first : listOf(rest)
  if (whole?.types == null || rest.length === shapes.length) return whole
  return { ...whole, types: [...new Set([...whole.types, 'null'])] }
}

/** Combines alternatives that are all lists of values into one list; otherwise null. */
function listOf(shapes: readonly Shape[]): Shape | null {
  const isList = ({ types, values, unread, bounds, defaults }: Shape) =>
    values !== null && types?.length !== 0 && [unread, defaults, Object.keys(bounds)].flat().length === 0
  if (!shapes.every(isList)) return null
  return {
    ...anything,
    types: [...new Set(shapes.flatMap(({ types }) => types ?? []))],
    values: [...new Set(shapes.flatMap(({ values }) => values ?? []))],
  }
}

/** The listed values of a shape, with null if it is allowed; each as JSON. */
function plainValuesOf({ types, values }: Shape): string[] {
  return [...(values ?? []), ...((types?.includes('null') ?? true) ? ['null'] : [])]
}

function namesOf(properties: unknown): ReadonlySet<string> {
  return new Set(isRecord(properties) ? Object.keys(properties) : [])
}

/**
 * Reads a list of texts, numbers or booleans; lists of objects are not compared. Null counts as a type, not as a value.
 */
function valuesOf(values: readonly unknown[]): Partial<Shape> | null {
  if (!values.every(isPlain)) return null
  const texts = values.filter((value) => value !== null).map((value) => JSON.stringify(value))
  return { types: [...new Set(values.map(typeOf))], ...(texts.length > 0 && { values: texts }) }
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
  return { ...anything, unread: [[keyword, value]] }
}

/** Normalizes a shape, so that two ways to write the same do not differ. */
function settled(shape: Shape): Shape {
  const isNumber = shape.types?.includes('number') ?? false
  return {
    ...shape,
    types: shape.types?.filter((type) => !isNumber || type !== 'integer').toSorted() ?? null,
    values: shape.values?.toSorted() ?? null,
    bounds: settledBounds(shape.bounds, !isNumber && (shape.types?.includes('integer') ?? false)),
  }
}

function settledBounds(given: Shape['bounds'], whole: boolean): Shape['bounds'] {
  const bounds = { ...given }
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = bounds
  if (whole && exclusiveMinimum !== undefined) {
    bounds.minimum = Math.max(minimum, Math.floor(exclusiveMinimum) + 1)
    delete bounds.exclusiveMinimum
  }
  if (whole && exclusiveMaximum !== undefined) {
    bounds.maximum = Math.min(maximum, Math.ceil(exclusiveMaximum) - 1)
    delete bounds.exclusiveMaximum
  }
  // Every length is at least 0, and every exact integer within these bounds.
  if ((bounds.minLength ?? 1) <= 0) delete bounds.minLength
  if ((bounds.minItems ?? 1) <= 0) delete bounds.minItems
  if (whole && (bounds.minimum ?? 0) <= Number.MIN_SAFE_INTEGER) delete bounds.minimum
  if (whole && (bounds.maximum ?? 0) >= Number.MAX_SAFE_INTEGER) delete bounds.maximum
  return bounds
}
