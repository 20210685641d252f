import * as z from 'zod/mini'
import { isNear } from '../../lib/is-near.ts'
import type { Schema } from './schema.ts'

/** The fields of an object, also of an optional one; none of another schema. */
function fieldsOf(schema: unknown): Readonly<Record<string, unknown>> {
  if (schema instanceof z.ZodMiniOptional) return fieldsOf(schema.def.innerType)
  return schema instanceof z.ZodMiniObject ? schema.shape : {}
}

/** The path that an unknown one may stand for: the field is spelled alike, or stands in an object beside it. */
export function suggestPath(schema: Schema, path: string): string | undefined {
  const parents = path.split('.')
  const name = parents.pop() ?? ''
  const fields = parents.reduce<unknown>((parent, each) => fieldsOf(parent)[each], schema)
  const known = Object.entries(fieldsOf(fields))
  const inside = known.find(([, field]) => Object.hasOwn(fieldsOf(field), name))
  if (inside !== undefined) return [...parents, inside[0], name].join('.')
  const near = known.find(([field]) => isNear(name.toLowerCase(), field.toLowerCase()))
  return near && [...parents, near[0]].join('.')
}
