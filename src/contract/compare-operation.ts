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

/** The two versions of one operation. */
interface Versions {
  ours: Operation
  theirs: PublishedOperation
  parameters: readonly PublishedParameter[]
}

/** Compares the request, the response and the error statuses of an operation. */
export function compareOperation(ours: Operation, theirs: PublishedOperation): Finding[] {
  const { parameters, unreadable } = readParameters(theirs)
  const versions: Versions = { ours, theirs, parameters }
  return [
    ...Array.from({ length: unreadable }, () => finding('unreadable', 'parameters', null, null)),
    ...comparePathParameters(versions),
    ...unknownHeaders(versions),
    ...(ours.documented ? compareDocumented(versions) : compareOpen(versions)),
    ...compareStatuses(versions),
  ]
}

/** Checks that the published schema accepts every id with the prefix; names of path parameters do not matter. */
function comparePathParameters({ ours, theirs: { document }, parameters }: Versions): Finding[] {
  const prefix = ours.pathId?.prefix
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
function unknownHeaders({ parameters }: Versions): Finding[] {
  return parameters
    .filter(({ in: place, required }) => required && place !== 'path' && place !== 'query')
    .filter(({ in: place, name }) => place !== 'header' || !ignoredHeaders.includes(name.toLowerCase()))
    .map(({ in: place, name }) => finding('field_unknown', `${place}.${name}`, null, 'required'))
}

function compareDocumented({ ours, theirs, parameters }: Versions): Finding[] {
  const { document, operation } = theirs
  const body = jsonOf(resolve(document, own(operation, 'requestBody')))
  const answer = jsonOf(readResponses(theirs).success)
  const sent = { side: 'request', document } as const
  const params = jsonSchemaOf(ours.request)
  const isGet = ours.method === 'GET'
  return [
    ...compareSchemas('query', isGet ? params : queryOf([]), queryOf(parameters), sent),
    ...(isGet ? [] : compareSchemas('request', params, body, sent)),
    ...(isGet && body !== undefined ? [finding('field_unknown', 'request', null, 'a body')] : []),
    ...compareSchemas('response', jsonSchemaOf(ours.response), answer, { side: 'response', document }),
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
function compareStatuses({ ours: { errors }, theirs }: Versions): Finding[] {
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
function compareOpen({ ours, theirs, parameters }: Versions): Finding[] {
  const { document, operation } = theirs
  const body = own(operation, 'requestBody')
  const request = body === undefined ? true : jsonOf(resolve(document, body), true)
  const sent = readSchema(request ?? true, document)
  const response = jsonOf(readResponses(theirs).success, true)
  const received = readSchema(response ?? true, document)
  const isDescribed = response === undefined || fieldsOf(received).length > 0 || !allowsObjects(received)
  const findings = compareSchemas('response', jsonSchemaOf(ours.response), response, {
    side: 'response',
    document,
  })
  const unknown = findings.filter(({ kind }) => kind === 'field_unknown')
  return [
    ...(request === undefined ? [finding('field_missing', 'request', ['object'], null)] : []),
    ...(allowsObjects(sent) ? [] : [finding('type', 'request', ['object'], sent.types ?? null)]),
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
  return fields.length > 0 ? fields : (shape.unread ?? []).map(([keyword]) => keyword)
}
