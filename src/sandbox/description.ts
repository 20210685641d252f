import { creditRates } from '../api/credits.ts'
import { jsonSchemaOf } from '../api/schema/json-schema.ts'
import type { Operation } from '../api/operation.ts'
import { operations } from '../api/operations.ts'
import type { Schema } from '../api/schema/schema.ts'
import type { Outcome } from './responses.ts'

/** What each documented status means. */
const errors: Readonly<Record<number, string>> = {
  400: 'A field is invalid',
  401: 'The credential is missing, invalid or revoked',
  429: 'A limit is exceeded',
  502: 'The data provider failed',
  503: 'The professional network is temporarily unavailable',
}

const open = 'The service does not document this shape'

/**
 * Describes the service from the operation table. Undocumented shapes are open objects with a note: what this sandbox makes
 * up for them is not part of the service.
 */
export function describeService(): Outcome {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(operation),
    }
  }
  return {
    body: {
      openapi: '3.1.0',
      info: { title: 'Social Search and Organization Data API (sandbox)', version: '1.0.0' },
      paths,
      components: {
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
        schemas: { CreditRates: creditRatesSchema(), Error: errorSchema() },
      },
    },
  }
}

function describe(operation: Operation): object {
  const { id, summary, method, scopes, documented, request, response } = operation
  const shape = (schema: Schema) =>
    json({ ...jsonSchemaOf(schema), ...(!documented && { description: open }) })
  const parameters = [...pathParameters(operation), ...queryParameters(operation)]
  return {
    operationId: id,
    summary,
    ...(!documented && { description: 'The service does not document what this takes and gives' }),
    // Since OpenAPI 3.1, schemes other than OAuth can list roles here.
    security: [{ apiKey: [...scopes] }],
    ...(parameters.length > 0 && { parameters }),
    ...(method !== 'GET' && { requestBody: { required: true, content: shape(request) } }),
    responses: {
      200: { description: 'Success', content: shape(response) },
      ...errorResponses(operation),
    },
  }
}

function pathParameters({ pathId }: Operation): object[] {
  if (pathId?.prefix === undefined) return []
  return [
    { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: `^${pathId.prefix}` } },
  ]
}

function queryParameters({ method, request }: Operation): object[] {
  if (method !== 'GET') return []
  const { properties = {}, required = [] } = jsonSchemaOf(request)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

function errorResponses({ errors: documented }: Operation): object {
  const content = json({ $ref: '#/components/schemas/Error' })
  if (documented === undefined)
    return { default: { description: 'An error; the service does not document which', content } }
  return Object.fromEntries(
    documented.map((status) => [status, { description: errors[status] ?? `Error ${status}`, content }]),
  )
}

function creditRatesSchema(): object {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(creditRates).map(([name, value]) => [name, { type: 'integer', const: value }]),
    ),
    required: Object.keys(creditRates),
    additionalProperties: false,
  }
}

function errorSchema(): object {
  return {
    type: 'object',
    properties: {
      requestId: { type: 'string' },
      error: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
    },
    required: ['requestId', 'error'],
  }
}

function json(schema: object): object {
  return { 'application/json': { schema } }
}
