import { format, resolveConfig } from 'prettier'
import { jsonSchemaOf } from '../../src/api/schema/json-schema.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import type { Declarations } from './declarations.ts'
import { paramTexts } from './fields.ts'

/** The module of the docstrings of all params, for the tools of language models. */
export async function renderToolTexts(declarations: Declarations, file: string): Promise<string> {
  const documented = (operations as readonly Operation[]).filter(({ documented }) => documented)
  const texts = documented.map(({ id, request }) => [
    id,
    paramTexts(jsonSchemaOf(request), declarations.typeOf(id, 'request')),
  ])
  const code = `// Written by \`npm run docs\` from the docstrings of the params.

/** What the params of documented operations mean, by operation and path. */
export const allParamTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = ${JSON.stringify(Object.fromEntries(texts))}
`
  return format(code, { ...(await resolveConfig(file)), parser: 'typescript' })
}
