import * as z from 'zod/mini'
import { notesOf } from './build.ts'
import { schemas } from './index.ts'
import type { JsonSchema } from '../validate.ts'

/** The keywords that `validate()` supports. */
const keywords = new Set([
  ...['type', '$ref', 'properties', 'required', 'additionalProperties', 'items', 'maxItems', 'enum'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'format', 'default', 'deprecated'],
])

/**
 * Converts all schemas to JSON Schema.
 *
 * @throws {Error} if a schema has a keyword that `validate()` does not support.
 */
export function jsonSchemas(): [name: string, parts: [part: string, schema: JsonSchema][]][] {
  return Object.entries<Readonly<Record<string, z.ZodMiniType>>>(schemas).map(([name, parts]) => [
    name,
    Object.entries(parts).map(([part, schema]) => [part, jsonSchemaOf(schema)]),
  ])
}

function jsonSchemaOf(schema: z.ZodMiniType): JsonSchema {
  const found: Record<string, unknown> = z.toJSONSchema(schema, {
    // With `output`, zod would close objects that may have further fields.
    io: 'input',
    // Notes describe what zod cannot convert.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => complete(jsonSchema, notesOf(zodSchema)),
  })
  delete found['$schema']
  return found
}

function complete(schema: Record<string, unknown>, notes: object | undefined): void {
  Object.assign(schema, notes)
  // zod bounds every integer by the exact numbers; the service documents no such bound.
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  const [given, other] = (schema['anyOf'] ?? []) as { type?: unknown }[]
  if (given !== undefined && other?.type === 'null') {
    delete schema['anyOf']
    Object.assign(schema, given, { type: [given.type, 'null'] })
  }
  const unknown = Object.keys(schema).filter((keyword) => !keywords.has(keyword) && keyword !== '$schema')
  if (unknown.length > 0) throw new Error(`validate() does not support ${unknown.join(', ')}`)
}
