import { isRecord } from '../../lib/is-record.ts'
import { lookUp } from './resolve.ts'

/** Maximum number of parts read of one schema, since a hostile schema could be endless. */
const maxParts = 200

/** Annotations accept and refuse nothing; `format` is one of them in this dialect. */
const annotation =
  /^(title|description|examples?|deprecated|readOnly|writeOnly|format|externalDocs|xml|discriminator|\$comment|\$defs|\$schema|x-.*)$/

const jsonTypes = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']

/** The bounds that are compared, each with the function that returns the tighter of two. */
const tighter = {
  ...{ minLength: Math.max, maxLength: Math.min, minItems: Math.max, maxItems: Math.min },
  ...{ minimum: Math.max, maximum: Math.min, exclusiveMinimum: Math.max, exclusiveMaximum: Math.min },
}

export const bounds = Object.keys(tighter) as (keyof typeof tighter)[]

/** What a schema says, however it is written. An absent field allows everything. */
export type PlainSchema = { [Bound in keyof typeof tighter]?: number | undefined } & {
  types?: string[]
  /** Allowed values other than null. */
  values?: unknown[]
  /** Several if parts of a schema contradict each other. */
  defaults?: unknown[]
  properties?: Map<string, unknown>
  required?: string[]
  /** The names of the only allowed properties. */
  names?: string[]
  items?: unknown
  /** Keywords that cannot be compared, with their values. */
  unread?: [keyword: string, value: unknown][]
}

/** Combines a field of two schemas that apply to the same value. */
const combined: { [Field in keyof PlainSchema]-?: (a: never, b: never) => unknown } = {
  ...tighter,
  ...{ types: commonTypes, values: common, names: common },
  ...{ defaults: union, required: union, unread: union, items: allOf },
  properties: (a: Map<string, unknown>, b: Map<string, unknown>) =>
    new Map([...a, ...[...b].map(([k, each]) => [k, a.has(k) ? allOf(a.get(k), each) : each] as const)]),
}

function both(a: PlainSchema, b: PlainSchema): PlainSchema {
  const whole: Record<string, unknown> = { ...a }
  for (const field of Object.keys(b) as (keyof PlainSchema)[]) {
    const [x, y] = [a[field], b[field]]
    whole[field] = x === undefined || y === undefined ? (x ?? y) : combined[field](x as never, y as never)
  }
  return whole
}

function allOf(...schemas: unknown[]): unknown {
  return { allOf: schemas }
}

function common<T>(a: readonly T[], b: readonly T[]): T[] {
  const others = new Set(b)
  return a.filter((each) => others.has(each))
}

export function union<T>(a: readonly T[], b: readonly T[]): T[] {
  return [...new Set([...a, ...b])]
}

/** The types that two lists have in common; an integer is a number. */
export function commonTypes(a: readonly string[], b: readonly string[]): string[] {
  const all = (types: readonly string[]) => [...types, ...(types.includes('number') ? ['integer'] : [])]
  return common(all(a), all(b))
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** What a keyword says; false if its value cannot be compared. */
const readers: Record<string, (value: unknown) => PlainSchema | false> = {
  ...Object.fromEntries(
    bounds.map((bound) => [bound, (value) => Number.isFinite(value) && { [bound]: value }]),
  ),
  const: (value) => valuesOf([value]),
  enum: (value) => Array.isArray(value) && valuesOf(value),
  type(value) {
    const types = [value].flat() as string[]
    return types.every((each) => jsonTypes.includes(each)) && { types }
  },
  default: (value) => isScalar(value) && { defaults: [value] },
  properties: (value) => isRecord(value) && { properties: new Map(Object.entries(value)) },
  required: (value) => isTexts(value) && { required: value },
  additionalProperties: (value) => isOpenOrClosed(value) && {},
  unevaluatedProperties: (value) => isOpenOrClosed(value) && {},
  items: (value) => (isRecord(value) || value === true) && { items: value },
  uniqueItems: (value) => value === false && {},
}

/**
 * Reads a schema in its plain form: local references, `allOf`, and alternatives that are null or lists of values become
 * one. Properties and items stay as they are written.
 */
export function plainSchema(given: unknown, document: unknown): PlainSchema {
  let left = maxParts
  return settled(readPart(given, new Set()))

  /** @param refs References on the way to this part; following one again would loop. */
  function readPart(schema: unknown, refs: Set<unknown>): PlainSchema {
    left -= 1
    if (left === -1) return cannotRead('$ref', 'more parts than can be read')
    if (schema === true || left < 0) return {}
    if (!isRecord(schema)) return cannotRead('schema', schema)
    let whole: PlainSchema = {}
    for (const [keyword, value] of Object.entries(schema))
      whole = both(whole, readKeyword(keyword, value, refs) || cannotRead(keyword, value))
    const { additionalProperties, unevaluatedProperties, properties } = schema
    // It refuses the properties of other parts, too; the other keyword accepts those of all parts of this schema.
    if (additionalProperties === false)
      whole = both(whole, { names: Object.keys(isRecord(properties) ? properties : {}) })
    if (unevaluatedProperties === false) whole = both(whole, { names: [...(whole.properties?.keys() ?? [])] })
    return whole
  }

  function readKeyword(keyword: string, value: unknown, refs: Set<unknown>): PlainSchema | false {
    if (annotation.test(keyword)) return {}
    if (keyword === '$ref') {
      const target = lookUp(document, value)
      return target !== undefined && (refs.has(value) ? {} : readPart(target, refs.add(value)))
    }
    const reader = Object.hasOwn(readers, keyword) && readers[keyword]
    if (reader) return reader(value)
    if (!/^(all|any|one)Of$/.test(keyword) || !Array.isArray(value)) return false
    if (keyword === 'allOf') return value.map((part) => readPart(part, refs)).reduce(both, {})
    if (value.length > maxParts) return false
    const parts = value.map((part) => settled(readPart(part, new Set(refs))))
    return readAlternatives(parts, keyword === 'oneOf')
  }
}

/** Combines alternatives that, apart from null, are one schema or lists of values. */
function readAlternatives(parts: PlainSchema[], isExclusive: boolean): PlainSchema | false {
  // `oneOf` refuses a value that two of its parts allow.
  const allowed = parts.flatMap(({ types = ['null'], values = [] }) => [
    ...values,
    ...(types.includes('null') ? [null] : []),
  ])
  if (isExclusive && new Set(allowed).size < allowed.length) return false
  const rest = parts.filter(({ types, unread }) => types?.join() !== 'null' || unread !== undefined)
  if (rest.length === 0) return parts[0] ?? false
  const [whole = false] = rest.length === 1 ? rest : [listOf(rest)]
  if (!whole || whole.types === undefined || rest.length === parts.length) return whole
  return { ...whole, types: [...whole.types, 'null'] }
}

function listOf(parts: PlainSchema[]): PlainSchema | false {
  const refused = ['unread', 'defaults', ...bounds] as const
  const isList = (part: PlainSchema) =>
    part.values && part.types?.length !== 0 && refused.every((field) => part[field] === undefined)
  const values = parts.flatMap(({ values = [] }) => values)
  return parts.every(isList) && { types: parts.flatMap(({ types = [] }) => types), values: union(values, []) }
}

/** Reads a list of scalars; lists of objects are not compared. Null counts as a type, not as a value. */
function valuesOf(given: readonly unknown[]): PlainSchema | false {
  const types = given.map((each) =>
    each === null ? 'null' : Number.isInteger(each) ? 'integer' : typeof each,
  )
  const values = given.filter((each) => each !== null)
  return given.every(isScalar) && { types, ...(values.length > 0 && { values }) }
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function isOpenOrClosed(value: unknown): boolean {
  return typeof value === 'boolean' || (isRecord(value) && Object.keys(value).length === 0)
}

function cannotRead(keyword: string, value: unknown): PlainSchema {
  return { unread: [[keyword, value]] }
}

/** Writes types, values, properties and bounds in the one way in which they compare. */
function settled(given: PlainSchema): PlainSchema {
  const { types, values, properties, minLength = 0, minItems = 0 } = given
  const names = given.names && new Set(given.names)
  const isNumber = types?.includes('number') === true
  const plain: PlainSchema = {
    ...given,
    ...(types && {
      types: union(types, [])
        .filter((each) => !isNumber || each !== 'integer')
        .toSorted(),
    }),
    ...(values && { values: values.toSorted() }),
    // A closed part refuses the properties of the other parts.
    ...(names && { properties: new Map([...(properties ?? [])].filter(([name]) => names.has(name))) }),
    // Every length is at least 0.
    minLength: minLength > 0 ? minLength : undefined,
    minItems: minItems > 0 ? minItems : undefined,
  }
  if (isNumber || !types?.includes('integer')) return plain
  const { minimum = -Infinity, exclusiveMinimum: above = -Infinity } = given
  const { maximum = Infinity, exclusiveMaximum: below = Infinity } = given
  const least = Math.max(minimum, Math.floor(above) + 1)
  const most = Math.min(maximum, Math.ceil(below) - 1)
  return {
    ...plain,
    ...{ exclusiveMinimum: undefined, exclusiveMaximum: undefined },
    // Every exact integer is within these bounds.
    minimum: least > Number.MIN_SAFE_INTEGER ? least : undefined,
    maximum: most < Number.MAX_SAFE_INTEGER ? most : undefined,
  }
}
