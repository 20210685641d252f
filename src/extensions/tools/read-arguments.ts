import type { JsonSchema } from '../../api/schema/json-schema.ts'
import { isRecord } from '../../lib/json.ts'

/**
 * Arguments as the schema spells them. Clients of models send `null` for an optional argument that the model left out, JSON
 * text for an object, a list or a number, and one element for a list of one. Everything else stays as it is, so that the
 * check refuses what is wrong.
 */
export function readArguments(schema: JsonSchema, input: unknown): unknown {
  // A tool without required arguments may be called without any.
  if (input === undefined || input === null || input === '') return schema.required?.length ? input : {}
  return read(schema, input)
}

function read(schema: JsonSchema, given: unknown): unknown {
  const value = typeof given === 'string' ? fromText(schema, given) : given
  if (schema.type === 'array' && schema.items !== undefined) {
    const { items } = schema
    if (Array.isArray(value)) return value.map((item: unknown) => read(items, item))
    // An element of the wrong type is refused, by its own name.
    return isRecord(value) || value === null ? value : [read(items, value)]
  }
  if (schema.type !== 'object' || !isRecord(value)) return value
  const { properties = {}, required = [] } = schema
  const entries = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known === undefined) return [[name, part]]
    return part === null && !required.includes(name) ? [] : [[name, read(known, part)]]
  })
  return Object.fromEntries(entries)
}

/** The value that a text spells, if the schema asks for its type and for no text. */
function fromText({ type }: JsonSchema, text: string): unknown {
  if (type === undefined || type === 'string') return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  const found = Array.isArray(value) ? 'array' : typeof value
  return found === (type === 'integer' ? 'number' : type) ? value : text
}
