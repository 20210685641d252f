import { jsonSchemaOf } from '../api/schema/json-schema.ts'
import type { Operation } from '../api/operation.ts'
import { compareSchemas } from './compare-schemas.ts'
import type { Finding } from './difference.ts'
import {
  type PublishedOperation,
  type PublishedParameter,
  jsonOf,
  openJsonOf,
  readParameters,
  readResponses,
} from './read-operations.ts'
import { readSchema } from './read-schema.ts'
import { own, resolve } from './resolve.ts'
import { type Shape, fieldsOf } from './shape.ts'

/** The two versions of one operation. */
interface Both {
  ours: Operation
  theirs: PublishedOperation
  document: unknown
}

/** Compares the request, the response and the error statuses of an operation. */
export function compareOperation(ours: Operation, theirs: PublishedOperation, document: unknown): Finding[] {
  const both: Both = { ours, theirs, document }
  const parameters = readParameters(theirs, document)
  const known = parameters.filter((parameter) => parameter !== null)
  const findings: Finding[] = parameters
    .filter((parameter) => parameter === null)
    .map(() => ({ kind: 'unreadable', path: 'parameters', assumed: null, published: null }))
  findings.push(...comparePathParameters(both, known), ...unknownHeaders(known))
  const bodies = ours.documented
    ? [...compareQuery(both, known), ...compareBody(both), ...compareResponse(both)]
    : compareOpen(both, known)
  return [...findings, ...bodies, ...compareStatuses(both)]
}

/** Checks that the published schema accepts every id with the prefix; names of path parameters do not matter. */
function comparePathParameters(
  { ours, document }: Both,
  parameters: readonly PublishedParameter[],
): Finding[] {
  const prefix = ours.pathId?.prefix
  if (prefix === undefined) return []
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .flatMap(({ name, schema }) =>
      compareSchemas(
        { path: `path.${name}`, ours: [{ type: 'string' }], theirs: [schema], side: 'request' },
        document,
      ),
    )
    .filter(({ published }) => published !== null && published !== `^${prefix}`)
}

/** Required headers and cookies that this package does not send. */
function unknownHeaders(parameters: readonly PublishedParameter[]): Finding[] {
  return parameters
    .filter(({ in: place, required }) => required && place !== 'path' && place !== 'query')
    .map(({ in: place, name }) => ({
      kind: 'field_unknown',
      path: `${place}.${name}`,
      assumed: null,
      published: 'required',
    }))
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

function compareQuery({ ours, document }: Both, parameters: readonly PublishedParameter[]): Finding[] {
  const expected = ours.method === 'GET' ? jsonSchemaOf(ours.request) : queryOf([])
  return compareSchemas(
    { path: 'query', ours: [expected], theirs: [queryOf(parameters)], side: 'request' },
    document,
  )
}

function requestBody({ theirs, document }: Both): unknown {
  return jsonOf(resolve(document, own(theirs.parts[0], 'requestBody')))
}

function compareBody(both: Both): Finding[] {
  const { ours, document } = both
  const schema = requestBody(both)
  if (ours.method === 'GET')
    return schema === undefined
      ? []
      : [{ kind: 'field_unknown', path: 'request', assumed: null, published: 'a body' }]
  return compareWhole(
    { path: 'request', ours: jsonSchemaOf(ours.request), theirs: schema, side: 'request' },
    document,
  )
}

function compareResponse({ ours, theirs, document }: Both): Finding[] {
  const { success } = readResponses(theirs, document)
  return compareWhole(
    { path: 'response', ours: jsonSchemaOf(ours.response), theirs: jsonOf(success), side: 'response' },
    document,
  )
}

function compareWhole(
  {
    path,
    ours,
    theirs,
    side,
  }: { path: string; ours: unknown; theirs: unknown; side: 'request' | 'response' },
  document: unknown,
): Finding[] {
  if (theirs === undefined) return [missingBody(path)]
  return compareSchemas({ path, ours: [ours], theirs: [theirs], side }, document)
}

function missingBody(path: string): Finding {
  return { kind: 'field_missing', path, assumed: ['object'], published: null }
}

/** Compares the statuses of errors, not their bodies. Also reports successes other than the one that is compared. */
function compareStatuses({ ours, theirs, document }: Both): Finding[] {
  const isKnown = (status: string) => ours.errors !== undefined || !/^([45]|default$)/.test(status)
  const published = readResponses(theirs, document).others.filter(isKnown)
  const assumed = ours.errors?.map(String) ?? []
  const one = (status: string): Finding => {
    const path = `responses.${status}`
    if (!/^[45]\d\d$/.test(status)) return { kind: 'unreadable', path, assumed: null, published: status }
    return {
      kind: 'error_status',
      path,
      assumed: assumed.includes(status),
      published: published.includes(status),
    }
  }
  return [
    ...published.filter((status) => !assumed.includes(status)),
    ...assumed.filter((status) => !published.includes(status)),
  ].map(one)
}

/**
 * Compares an operation without documented shapes: every shape in the description is new. Fields that this package
 * relies on, such as `requestId`, must be there if any shape is described.
 */
function compareOpen(both: Both, parameters: readonly PublishedParameter[]): Finding[] {
  const { document, ours, theirs } = both
  const response = openJsonOf(readResponses(theirs, document).success)
  const shape = readSchema([response ?? true], document)
  const body = own(theirs.parts[0], 'requestBody')
  const request = body === undefined ? true : openJsonOf(resolve(document, body))
  const sent = readSchema([request ?? true], document)
  const findings = compareWhole(
    { path: 'response', ours: jsonSchemaOf(ours.response), theirs: response, side: 'response' },
    document,
  )
  const unknown = findings
    .filter(({ kind }) => kind === 'field_unknown')
    .map(({ path }) => path.replace('response.', ''))
  const isDescribed = response === undefined || fieldsOf(shape).size > 0 || !allowsObjects(shape)
  return [
    ...(request === undefined ? [missingBody('request')] : []),
    ...(allowsObjects(sent)
      ? []
      : [{ kind: 'type', path: 'request', assumed: ['object'], published: sent.types } as const]),
    ...news(
      'query',
      parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    ),
    ...news('request', saidBy(sent)),
    ...news('response', isDescribed ? unknown : saidBy(shape)),
    ...(isDescribed ? findings.filter(({ kind }) => kind !== 'field_unknown') : []),
  ]
}

function allowsObjects({ types }: Shape): boolean {
  return types?.includes('object') ?? true
}

function news(path: string, published: readonly string[]): Finding[] {
  return published.length === 0 ? [] : [{ kind: 'shape_documented', path, assumed: null, published }]
}

/** The fields of a shape, or the keywords of a shape that cannot be read. */
function saidBy(shape: Shape): string[] {
  const fields = fieldsOf(shape)
  return fields.size > 0 ? [...fields] : shape.unread.map(([keyword]) => keyword)
}
