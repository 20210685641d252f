import { catalogOperations, planetsCreate } from '../../src/api/catalog/operations.ts'
import { jsonSchemaOf } from '../../src/api/schema/json-schema.ts'
import type { Operation } from '../../src/api/operation.ts'
import type { Declarations, Documented } from './declarations.ts'
import { fieldTable } from './fields.ts'
import { code, sentence } from './words.ts'

/** What neither the operations nor the docstrings say. */
const notes = [
  '## Ids',
  'Ids are 64-bit integers, which can be larger than a safe `number`. Responses have them as `bigint`; you can send either. `JSON.stringify` refuses a `bigint`: write it as a string, and read it back with `BigInt(text)`.',
  '## Errors',
  'If the catalog describes an error, the call rejects with a `ProblemError`: an `ApiError` with `type`, `title` and `detail`. This includes 403 and 404, so test `error.status` instead of the class.',
  '## Callbacks',
  'The catalog sends requests to the two callback URLs of a planet. Receive them as [events](../events.md), with one receiver for each URL. Their method, payload and signing are not documented.',
]

/** The page of the catalog: its calls and their common shape. */
export function catalogPage(declarations: Declarations): string {
  const client = declarations.exported('extensions/catalog/client.ts', 'CatalogClient')
  const planet = declarations.exported('api/catalog/planet.ts', 'Planet')
  const shape = fieldTable(jsonSchemaOf(planetsCreate.request), planet, 'required')
  return [
    '# Catalog',
    sentence(client.text),
    ...(catalogOperations as readonly Operation[]).map((operation) =>
      section(operation, declarations.member(operation.id, client)),
    ),
    '## Fields of a planet',
    planet.text,
    shape,
    ...notes,
  ].join('\n\n')
}

function section({ id, method, path, errors }: Operation, member: Documented): string {
  const args = member.parameters().flatMap(({ name, optional }) => (optional ? [] : [name]))
  return [
    `## ${id}`,
    sentence(member.text),
    `\`\`\`ts\nconst result = await catalog.${id}(${args.join(', ')})\n\`\`\``,
    `- Request: ${code(`${method} ${path}`)}\n- Errors: ${errors ? `${errors.join(', ')}, each a ${code('ProblemError')}` : 'not documented'}`,
  ].join('\n\n')
}
