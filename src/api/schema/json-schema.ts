import * as z from 'zod/mini'
import type { Schema } from './schema.ts'

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'

/** The part of JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1) that describes requests and responses. */
export interface JsonSchema {
  /** Absent if every value is allowed. */
  readonly type?: JsonType | readonly [JsonType, 'null']
  /** `#`: the whole schema. */
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  /** False if other properties are refused. */
  readonly additionalProperties?: boolean
  readonly items?: JsonSchema
  readonly maxItems?: number
  readonly enum?: readonly string[]
  /** In Unicode code points. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  /** `int64`: an integer of 64 bits, as a bigint or as a number that holds it exactly. */
  readonly format?: string
  readonly default?: string | number
  readonly deprecated?: boolean
}

const converted = new WeakMap<Schema, JsonSchema>()

/** Converts a schema to JSON Schema, once. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  const known = converted.get(schema)
  if (known !== undefined) return known
  const found: Record<string, unknown> = z.toJSONSchema(described(schema), {
    // With `output`, zod would close objects that may have further fields.
    io: 'input',
    // Their metadata describes what zod cannot convert.
    unrepresentable: 'any',
    override: ({ jsonSchema }) => simplify(jsonSchema),
  })
  delete found['$schema']
  converted.set(schema, found)
  return found
}

/** The schema that describes a value; a pipe only adds a check before it. */
function described(schema: Schema): z.core.$ZodType {
  const given = schema as z.core.$ZodType
  return given instanceof z.ZodMiniPipe ? given.def.out : given
}

function simplify(schema: Record<string, unknown>): void {
  // zod bounds every integer by the exact numbers; the service documents no such bound.
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  // Objects are open unless they say that they are closed.
  if (typeof schema['additionalProperties'] === 'object') delete schema['additionalProperties']
  const [given, other] = (schema['anyOf'] ?? []) as { type?: unknown }[]
  if (given !== undefined && other?.type === 'null') {
    delete schema['anyOf']
    Object.assign(schema, given, { type: [given.type, 'null'] })
  }
}
