import { jsonSchemaOf } from '../../src/api/schema/json-schema.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import type { Declarations } from './declarations.ts'
import { paramTexts } from './fields.ts'

/** What the params of documented operations mean, by operation and path: for the tools of language models. */
export function toolTexts(declarations: Declarations): Record<string, Record<string, string>> {
  const documented = (operations as readonly Operation[]).filter(({ documented }) => documented)
  return Object.fromEntries(
    documented.map(({ id, request }) => [
      id,
      paramTexts(jsonSchemaOf(request), declarations.typeOf(id, 'request')),
    ]),
  )
}
