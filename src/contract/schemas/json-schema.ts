import * as z from 'zod/mini'
import { notesOf } from './build.ts'
import { schemas } from './index.ts'
import type { JsonSchema } from '../validate.ts'

/** All that `validate()` knows. */
const keywords = new Set([
  ...['type', '$ref', 'properties', 'required', 'additionalProperties', 'items', 'maxItems', 'enum'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'format', 'default', 'deprecated'],
])

/**
 * All schemas as JSON Schema.
 *
 * @throws {Error} If one says something that `validate()` does not know.
 */
export function jsonSchemas(): [name: string, parts: [part: string, schema: JsonSchema][]][] {
  return Object.entries<Readonly<Record<string, z.ZodMiniType>>>(schemas).map(([name, parts]) => [
    name,
    Object.entries(parts).map(([part, schema]) => [part, jsonSchemaOf(schema)]),
  ])
}

function jsonSchemaOf(schema: z.ZodMiniType): JsonSchema {
  const found: Record<string, unknown> = z.toJSONSchema(schema, {
    // Objects that may have further fields are open on this side alone.
    io: 'input',
    // What JSON Schema has no word for is said in a note.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => complete(jsonSchema, notesOf(zodSchema)),
  })
  delete found['$schema']
  return found
}

function complete(schema: Record<string, unknown>, notes: object | undefined): void {
  Object.assign(schema, notes)
  // An integer without bounds of its own gets those of exact numbers, which nobody documents.
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  const [given, other] = (schema['anyOf'] ?? []) as { type?: unknown }[]
  if (given !== undefined && other?.type === 'null') {
    delete schema['anyOf']
    Object.assign(schema, given, { type: [given.type, 'null'] })
  }
  const unknown = Object.keys(schema).filter((keyword) => !keywords.has(keyword) && keyword !== '$schema')
  if (unknown.length > 0) throw new Error(`validate() does not know ${unknown.join(', ')}`)
}
