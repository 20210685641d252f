import { jsonSchemaOf } from '../../api/schema/json-schema.ts'
import type { Operation } from '../../api/operation.ts'
import { compareSchemas, fieldsOf } from './compare-schemas.ts'
import { type Finding, finding } from './difference.ts'
import { type PlainSchema, plainSchema } from './plain-schema.ts'
import { type PlainOperation, type Written, plainOperation } from './read-operations.ts'

/** Headers that OpenAPI does not describe as parameters of an operation. */
const ignoredHeaders = ['accept', 'content-type', 'authorization']

/** Compares the request, the response and the error statuses of an operation. */
export function compareOperation(ours: Operation, written: Written): Finding[] {
  const { document } = written
  const theirs = plainOperation(written, ours.documented ? undefined : true)
  const compare = (at: string, isRequest: boolean, assumed: unknown, published: unknown) =>
    compareSchemas(at, assumed, published, { isRequest, document })

  const query = queryOf(theirs)
  const response = compare('response', false, jsonSchemaOf(ours.response), theirs.response)
  const prefix = ours.pathId?.prefix
  return [
    ...theirs.unreadable,
    // Names of path parameters do not matter, nor does a pattern that accepts every id with the prefix.
    ...theirs.parameters
      .filter((parameter) => parameter.in === 'path' && prefix !== undefined)
      .flatMap(({ name, schema }) => compare(`path.${name}`, true, { type: 'string' }, schema))
      .filter(({ published }) => published !== null && published !== `^${prefix}`),
    ...theirs.parameters
      .filter(({ in: place, required }) => required && place !== 'path' && place !== 'query')
      .filter(({ in: place, name }) => place !== 'header' || !ignoredHeaders.includes(name.toLowerCase()))
      .map(({ in: place, name }) => finding('field_unknown', `${place}.${name}`, null, 'required')),
    ...(ours.documented ? [...compareRequest(), ...response] : compareOpen()),
    ...compareStatuses(ours, theirs),
  ]

  function compareRequest(): Finding[] {
    const assumed = jsonSchemaOf(ours.request)
    if (ours.method !== 'GET')
      return [
        ...compare('query', true, queryOf({ parameters: [] }), query),
        ...compare('request', true, assumed, theirs.request),
      ]
    const hasBody = theirs.request !== undefined
    return [
      ...compare('query', true, assumed, query),
      ...(hasBody ? [finding('field_unknown', 'request', null, 'a body')] : []),
    ]
  }

  /**
   * Without documented shapes, every shape in the description is new. Fields that this package relies on, such as
   * `requestId`, must be there if any shape is described.
   */
  function compareOpen(): Finding[] {
    const sent = plainSchema(theirs.request ?? true, document)
    const received = plainSchema(theirs.response ?? true, document)
    const isDescribed =
      theirs.response === undefined || fieldsOf(received).length > 0 || !allowsObjects(received)
    const isNew = ({ kind }: Finding) => kind === 'field_unknown'
    const fields = response.filter(isNew).map(({ path }) => path.replace('response.', ''))
    return [
      ...(theirs.request === undefined ? [finding('field_missing', 'request', ['object'], null)] : []),
      ...(allowsObjects(sent) ? [] : [finding('type', 'request', ['object'], sent.types)]),
      ...news('query', Object.keys(query.properties)),
      ...news('request', saidBy(sent)),
      ...news('response', isDescribed ? fields : saidBy(received)),
      ...(isDescribed ? response.filter((each) => !isNew(each)) : []),
    ]
  }
}

/** The query parameters as an object, so that they compare as one. */
function queryOf({ parameters }: Pick<PlainOperation, 'parameters'>) {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  return {
    type: 'object',
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

/** Compares the statuses of errors, not their bodies. Also reports successes other than the one that is compared. */
function compareStatuses({ errors }: Operation, { statuses }: PlainOperation): Finding[] {
  const published = statuses.filter((status) => errors !== undefined || !/^([45]|default$)/.test(status))
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

function allowsObjects({ types }: PlainSchema): boolean {
  return types?.includes('object') ?? true
}

function news(path: string, published: readonly string[]): Finding[] {
  return published.length === 0 ? [] : [finding('shape_documented', path, null, published)]
}

/** The fields of a schema, or the keywords of one that cannot be read. */
function saidBy(schema: PlainSchema): string[] {
  const fields = fieldsOf(schema)
  return fields.length > 0 ? fields : (schema.unread ?? []).map(([keyword]) => keyword)
}
