import { isRecord } from '../../src/lib/json.ts'

/** What a description says, one fact each: `request.query.maxLength` is `200`. */
export type Facts = Map<string, string>

type Schema = Record<string, unknown>

/** Keywords that accept and refuse nothing. */
const annotation =
  /^(title|description|examples?|deprecated|readOnly|writeOnly|format|externalDocs|xml|discriminator|\$comment|\$defs|\$schema|x-.*)$/

/** The target of a local reference (`#/components/…`). */
export function lookUp(document: unknown, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined
  return ref
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value: unknown, name) => own(value, name), document)
}

/** The value of an own property, so that a name such as `constructor` finds nothing inherited. */
export function own(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/**
 * Adds what a schema says, whichever way it is written. Only requests refuse extra fields: responses may always have more.
 */
export function addSchema(facts: Facts, at: string, given: unknown, document: unknown): void {
  const isRequest = !at.startsWith('response')
  add(at, given, new Set())

  function add(at: string, given: unknown, above: ReadonlySet<unknown>): void {
    const refs = new Set(above)
    const { type, properties, required, items, additionalProperties, ...others } = plain(given, refs)
    const types = [type ?? 'any'].flat().map(String).toSorted()
    facts.set(at, types.join(' or '))
    for (const [keyword, value] of Object.entries(others))
      facts.set(`${at}.${keyword}`, JSON.stringify(Array.isArray(value) ? value.toSorted() : value))
    const isClosed = additionalProperties === false
    if (isRequest && types.includes('object'))
      facts.set(`${at}.extra fields`, isClosed ? 'refused' : 'accepted')
    const needed = Array.isArray(required) ? required.map(String) : []
    const fields = isRecord(properties) ? Object.keys(properties) : []
    for (const name of new Set([...fields, ...needed])) {
      add(`${at}.${name}`, own(properties, name) ?? true, refs)
      facts.set(`${at}.${name}.required`, needed.includes(name) ? 'yes' : 'no')
    }
    if (items !== undefined) add(`${at}[]`, items, refs)
  }

  /** Follows references, and writes the parts and alternatives of a schema as one where that is possible. */
  function plain(schema: unknown, refs: Set<unknown>): Schema {
    if (!isRecord(schema)) return schema === true ? {} : { schema }
    let whole: Schema = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (annotation.test(keyword)) continue
      whole = merged(whole, part(keyword, value, refs))
    }
    return simplified(whole)
  }

  function part(keyword: string, value: unknown, refs: Set<unknown>): Schema {
    if (keyword === '$ref') {
      const target = lookUp(document, value)
      // What contains itself is described as deep as it is new.
      if (target === undefined || refs.has(value)) return { $ref: value }
      refs.add(value)
      return plain(target, refs)
    }
    if (keyword === 'const') return typed([value])
    if (keyword === 'enum' && Array.isArray(value)) return typed(value)
    if (keyword === 'unevaluatedProperties') return { additionalProperties: value }
    if (!Array.isArray(value)) return { [keyword]: value }
    if (keyword === 'allOf') return value.map((each) => plain(each, refs)).reduce(merged, {})
    if (keyword !== 'anyOf' && keyword !== 'oneOf') return { [keyword]: value }
    const parts = value.map((each) => plain(each, refs))
    const rest = parts.filter(({ type }) => String(type) !== 'null')
    const [only] = rest
    const isNullable = rest.length < parts.length
    const isList = rest.every((each) => 'enum' in each && Object.keys(each).length <= 2)
    if (rest.length !== 1 && !isList) return { [keyword]: value }
    const one = rest.length === 1 ? only : typed(rest.flatMap((each) => each['enum']))
    return { ...one, ...(isNullable && { type: [own(one, 'type') ?? 'any', 'null'].flat() }) }
  }
}

/** Combines two parts that apply to the same value. A keyword that they set differently has both values. */
function merged(a: Schema, b: Schema): Schema {
  const whole = { ...a }
  for (const [keyword, value] of Object.entries(b)) {
    const known = a[keyword]
    if (known === undefined || JSON.stringify(known) === JSON.stringify(value)) whole[keyword] = value
    else if (keyword === 'required') whole[keyword] = [...new Set([known, value].flat())]
    else if (keyword === 'properties') whole[keyword] = mergedFields(known as Schema, value as Schema)
    else {
      const common = [known].flat().filter((each) => [value].flat().includes(each))
      whole[keyword] = keyword === 'type' && common.length > 0 ? common : [known, value].flat()
    }
  }
  return whole
}

function mergedFields(a: Schema, b: Schema): Schema {
  const common = Object.keys(b).filter((name) => Object.hasOwn(a, name))
  return { ...a, ...b, ...Object.fromEntries(common.map((name) => [name, { allOf: [a[name], b[name]] }])) }
}

/** A list of values. Null counts as a type. */
function typed(values: unknown[]): Schema {
  const types = values.map((each) =>
    each === null ? 'null' : Number.isInteger(each) ? 'integer' : typeof each,
  )
  const type = [...new Set(types)]
  return { type: type.length === 1 ? type[0] : type, enum: values.filter((each) => each !== null) }
}

/** Omits bounds that exclude nothing, and gives integers inclusive ones. */
function simplified(schema: Schema): Schema {
  const isInteger = [schema['type']].flat().includes('integer')
  const inclusive = ([keyword, value]: [string, unknown]): [string, unknown] =>
    isInteger && /^exclusive/.test(keyword)
      ? keyword === 'exclusiveMinimum'
        ? ['minimum', Number(value) + 1]
        : ['maximum', Number(value) - 1]
      : [keyword, value]
  const isEmpty = ([keyword, value]: [string, unknown]): boolean =>
    (/^min(Length|Items)$/.test(keyword) && value === 0) ||
    (isInteger && /^m(in|ax)imum$/.test(keyword) && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER) ||
    (keyword === 'enum' && Array.isArray(value) && value.length === 0)
  return Object.fromEntries(
    Object.entries(schema)
      .map(inclusive)
      .filter((each) => !isEmpty(each)),
  )
}
