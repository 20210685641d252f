import * as z from 'zod/mini'
import { isRecord } from './is-record.ts'
import type { Operation } from './operation.ts'
import { type Check, notesOf } from './schema.ts'

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export interface JsonSchema {
  [keyword: string]: unknown
}

/** The JSON Schema of what a check accepts; a new one at each call. */
export function jsonSchemaOf(check: Check): JsonSchema {
  const schema: JsonSchema = z.toJSONSchema(check.schema() as z.ZodMiniType, {
    // What is sent and what comes back are both looked at before anything is parsed. Objects that may have further
    // fields are open on this side alone.
    io: 'input',
    // What JSON Schema has no word for is said in a note.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => complete(jsonSchema, notesOf(zodSchema)),
  })
  delete schema['$schema']
  return schema
}

/** The JSON Schema of an operation's answer, with that of the items in its list. */
export function responseSchemaOf({ response, list }: Pick<Operation, 'response' | 'list'>): JsonSchema {
  const schema = jsonSchemaOf(response)
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const array = list === undefined ? undefined : properties[list.property]
  if (isRecord(array) && list?.item) array['items'] = jsonSchemaOf(list.item)
  return schema
}

function complete(schema: JsonSchema, notes: object | undefined): void {
  Object.assign(schema, notes)
  // An integer without bounds of its own gets those of exact numbers, which nobody documents.
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  // A record of anything is an object, and no more need be said.
  const { additionalProperties } = schema
  if (isRecord(additionalProperties) && Object.keys(additionalProperties).length === 0) {
    delete schema['additionalProperties']
    delete schema['propertyNames']
  }
}
