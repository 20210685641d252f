import { jsonSchemaOf } from '../api/schema/json-schema.ts'
import type { Operation } from '../api/operation.ts'
import { compareSchemas } from './compare-schemas.ts'
import { type Finding, finding } from './difference.ts'
import {
  type PublishedOperation,
  type PublishedParameter,
  jsonOf,
  readParameters,
  readResponses,
} from './read-operations.ts'
import { readSchema } from './read-schema.ts'
import { own, resolve } from './resolve.ts'
import { type Shape, fieldsOf } from './shape.ts'

/** Compares the request, the response and the error statuses of an operation. */
export function compareOperation(ours: Operation, theirs: PublishedOperation): Finding[] {
  const { parameters, unreadable } = readParameters(theirs)
  const compare = ours.documented ? compareDocumented : compareOpen
  return [
    ...Array.from({ length: unreadable }, () => finding('unreadable', 'parameters', null, null)),
    ...comparePathParameters(ours, theirs, parameters),
    ...unknownHeaders(parameters),
    ...compare(ours, theirs, parameters),
    ...compareStatuses(ours, theirs),
  ]
}

/** Checks that the published schema accepts every id with the prefix; names of path parameters do not matter. */
function comparePathParameters(
  { pathId }: Operation,
  { document }: PublishedOperation,
  parameters: readonly PublishedParameter[],
): Finding[] {
  const prefix = pathId?.prefix
  if (prefix === undefined) return []
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .flatMap(({ name, schema }) =>
      compareSchemas(`path.${name}`, { type: 'string' }, schema, { side: 'request', document }),
    )
    .filter(({ published }) => published !== null && published !== `^${prefix}`)
}

/** Headers that OpenAPI does not describe as parameters of an operation. */
const ignoredHeaders = ['accept', 'content-type', 'authorization']

/** Required headers and cookies that this package does not send. */
function unknownHeaders(parameters: readonly PublishedParameter[]): Finding[] {
  return parameters
    .filter(({ in: place, required }) => required && place !== 'path' && place !== 'query')
    .filter(({ in: place, name }) => place !== 'header' || !ignoredHeaders.includes(name.toLowerCase()))
    .map(({ in: place, name }) => finding('field_unknown', `${place}.${name}`, null, 'required'))
}

function compareDocumented(
  { method, request, response }: Operation,
  theirs: PublishedOperation,
  parameters: readonly PublishedParameter[],
): Finding[] {
  const { document, operation } = theirs
  const body = jsonOf(resolve(document, own(operation, 'requestBody')))
  const answer = jsonOf(readResponses(theirs).success)
  const isGet = method === 'GET'
  const expected = isGet ? jsonSchemaOf(request) : queryOf([])
  const sent = { side: 'request', document } as const
  return [
    ...compareSchemas('query', expected, queryOf(parameters), sent),
    ...(isGet && body !== undefined ? [finding('field_unknown', 'request', null, 'a body')] : []),
    ...(isGet ? [] : compareSchemas('request', jsonSchemaOf(request), body, sent)),
    ...compareSchemas('response', jsonSchemaOf(response), answer, { side: 'response', document }),
  ]
}

/** The query parameters as an object, so that they compare as one. */
function queryOf(parameters: readonly PublishedParameter[]) {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  return {
    type: 'object',
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

/** Compares the statuses of errors, not their bodies. Also reports successes other than the one that is compared. */
function compareStatuses({ errors }: Operation, theirs: PublishedOperation): Finding[] {
  const isKnown = (status: string) => errors !== undefined || !/^([45]|default$)/.test(status)
  const published = readResponses(theirs).others.filter(isKnown)
  const assumed = errors?.map(String) ?? []
  return [
    ...published.filter((status) => !assumed.includes(status)),
    ...assumed.filter((status) => !published.includes(status)),
  ].map((status) => {
    const path = `responses.${status}`
    if (!/^[45]\d\d$/.test(status)) return finding('unreadable', path, null, status)
    return finding('error_status', path, assumed.includes(status), published.includes(status))
  })
}

/**
 * Compares an operation without documented shapes: every shape in the description is new. Fields that this package
 * relies on, such as `requestId`, must be there if any shape is described.
 */
function compareOpen(
  ours: Operation,
  theirs: PublishedOperation,
  parameters: readonly PublishedParameter[],
): Finding[] {
  const { document, operation } = theirs
  const body = own(operation, 'requestBody')
  const request = body === undefined ? true : jsonOf(resolve(document, body), true)
  const sent = readSchema(request ?? true, document)
  const response = jsonOf(readResponses(theirs).success, true)
  const received = readSchema(response ?? true, document)
  const isDescribed = response === undefined || fieldsOf(received).size > 0 || !allowsObjects(received)
  const findings = compareSchemas('response', jsonSchemaOf(ours.response), response, {
    side: 'response',
    document,
  })
  const unknown = findings.filter(({ kind }) => kind === 'field_unknown')
  return [
    ...(request === undefined ? [finding('field_missing', 'request', ['object'], null)] : []),
    ...(allowsObjects(sent) ? [] : [finding('type', 'request', ['object'], sent.types)]),
    ...news('query', Object.keys(queryOf(parameters).properties)),
    ...news('request', saidBy(sent)),
    ...news(
      'response',
      isDescribed ? unknown.map(({ path }) => path.replace('response.', '')) : saidBy(received),
    ),
    ...(isDescribed ? findings.filter((each) => !unknown.includes(each)) : []),
  ]
}

function allowsObjects({ types }: Shape): boolean {
  return types?.includes('object') ?? true
}

function news(path: string, published: readonly string[]): Finding[] {
  return published.length === 0 ? [] : [finding('shape_documented', path, null, published)]
}

/** The fields of a shape, or the keywords of a shape that cannot be read. */
function saidBy(shape: Shape): string[] {
  const fields = fieldsOf(shape)
  return fields.size > 0 ? [...fields] : shape.unread.map(([keyword]) => keyword)
}
