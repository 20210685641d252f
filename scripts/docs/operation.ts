import { serviceErrorStatus } from '../../src/api/error-envelope.ts'
import { jsonSchemaOf } from '../../src/api/schema/json-schema.ts'
import type { Operation } from '../../src/api/operation.ts'
import { apiErrorClasses } from '../../src/errors/index.ts'
import type { Declarations } from './declarations.ts'
import { sampleOf } from './sample.ts'
import { fieldTable } from './fields.ts'
import { capitalized, code, priceOf, scopesOf, sentence, table, walkOf } from './words.ts'

/** The status for a credential that lacks a scope; every operation that needs a scope may return it. */
const denied = 403

/** The section of one operation. */
export function operationSection(operation: Operation, declarations: Declarations): string {
  const { id, summary, documented } = operation
  return [
    `## ${id}`,
    sentence(summary),
    `\`\`\`ts\n${example(operation, declarations)}\n\`\`\``,
    facts(operation),
    ...(documented
      ? [requestPart(operation, declarations), responsePart(operation, declarations)]
      : [openPart(operation, declarations)]),
    ...samplePart(operation),
    errorPart(operation, declarations),
  ].join('\n\n')
}

function example(operation: Operation, declarations: Declarations): string {
  const { id, list, paging, documented } = operation
  const call = callOf(operation, declarations)
  if (list && paging) {
    const item = list.replace(/ies$/, 'y').replace(/s$/, '')
    return `const page = await client.${call}\nfor await (const ${item} of client.${call}) {}`
  }
  const fields = documented ? [...declarations.typeOf(id, 'response').fields().keys()] : []
  const parts = fields.filter((name) => name !== 'requestId')
  return `const ${documented ? `{ ${parts.join(', ')} }` : 'result'} = await client.${call}`
}

/** The call with its required arguments and fields. */
export function callOf(
  { id, documented, request, method, paging }: Operation,
  declarations: Declarations,
): string {
  const { properties = {}, required = [] } = jsonSchemaOf(request)
  const names =
    required.length > 0 ? required : Object.keys(properties).filter((name) => name !== paging?.param)
  const args = declarations
    .member(id)
    .parameters()
    .filter(({ name, optional }) => !optional || (name === 'params' && (documented || method !== 'GET')))
    .map(({ name }) => (name === 'params' && documented ? `{ ${names.join(', ')} }` : name))
  return `${id}(${args.join(', ')})`
}

function facts(operation: Operation): string {
  const { method, path, price, surface, timeoutMs, pathId, paging, documented } = operation
  const facts: [string, string | undefined][] = [
    ['Price', priceOf(price)],
    ['Request', code(`${method} ${path}`)],
    ['Scopes', scopesOf(operation)],
    ['Surface', surface ?? 'none'],
    ['Timeout', timeoutMs === undefined ? undefined : `${timeoutMs / 1000} s, as the service recommends`],
    ['Id', pathId?.prefix === undefined ? undefined : `starts with ${code(pathId.prefix)}`],
    ['Pages', paging === undefined ? undefined : walkOf(paging, documented)],
  ]
  return facts.flatMap(([name, fact]) => (fact === undefined ? [] : [`- ${name}: ${fact}`])).join('\n')
}

function requestPart({ id, method, request }: Operation, declarations: Declarations): string {
  const docs = declarations.typeOf(id, 'request')
  const params = jsonSchemaOf(request)
  const closed =
    params.additionalProperties === false ? ' The client refuses other fields before it sends anything.' : ''
  const sent = `**Params** (\`${docs.name}\`), sent as ${method === 'GET' ? 'the query' : 'a JSON body'}.${closed}`
  return `${sent}\n\n${fieldTable(params, docs, 'required')}`
}

function responsePart({ id, response }: Operation, declarations: Declarations): string {
  const docs = declarations.typeOf(id, 'response')
  const fields = fieldTable(jsonSchemaOf(response), docs, 'optional')
  return `**Response** (\`${docs.name}\`). Further fields are kept.\n\n${fields}`
}

function openPart({ id, response, method }: Operation, declarations: Declarations): string {
  const { required = [] } = jsonSchemaOf(response)
  const member = declarations.member(id)
  const input = member.parameters().find(({ name }) => name === 'params' || name === 'body')
  const absence = method === 'GET' && input?.optional ? ', if any,' : ''
  return [
    `**Shapes**: not documented${required.length === 0 ? '' : `, apart from ${required.map(code).join(' and ')} in the response`}.`,
    ...(input === undefined ? [] : [`The client sends ${code(input.name)}${absence} unchanged.`]),
    'The response is typed as an open record.',
    ...(member.isGeneric() ? [`The option ${code('schema')} gives records your own type.`] : []),
  ].join(' ')
}

function samplePart(operation: Operation): string[] {
  const sample = sampleOf(operation)
  const what =
    operation.list === undefined
      ? 'The response of the sandbox without `requestId`'
      : 'A record of the sandbox'
  const may = operation.documented ? '' : '. The fields of the service may differ'
  return sample === null ? [] : [`${what}, made up${may}:`, `\`\`\`json\n${sample}\n\`\`\``]
}

function errorPart({ errors, scopes }: Operation, declarations: Declarations): string {
  const needed =
    scopes.length === 0
      ? ''
      : ` \`requiredScopes\` is \`[${scopes.map((scope) => `'${scope}'`).join(', ')}]\`.`
  if (errors === undefined)
    return `**Errors**: not documented for this call; [any error](README.md#errors) is possible.${needed === '' ? '' : ` On a ${denied},${needed}`}`
  const statuses = [...errors, ...(needed === '' ? [] : [denied])].sort((a, b) => a - b)
  const rows = statuses.map((status) => [
    String(status),
    code(apiErrorClasses[status]?.name ?? 'ApiError'),
    codeOf(status),
    `${conditionOf(status, declarations)}${status === denied ? needed : ''}`,
  ])
  return `**Errors**\n\n${table(['Status', 'Class', '`code`', 'When'], rows)}`
}

/** The error code that the service documents for a status. */
export function codeOf(status: number): string {
  const found = Object.entries(serviceErrorStatus).find(([, each]) => each === status)
  return found === undefined ? 'not documented' : code(found[0])
}

/** When an error of a status is raised, as its class says. */
export function conditionOf(status: number, declarations: Declarations): string {
  const name = apiErrorClasses[status]?.name ?? 'ApiError'
  return capitalized(declarations.exported('errors/api.ts', name).text.replace(/^\d+: /, ''))
}
