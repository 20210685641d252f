import { creditRates } from '../../api/price.ts'
import { codeOfStatus } from '../../api/error-envelope.ts'
import { jsonSchemaOf } from '../../api/schema/json-schema.ts'
import type { Operation } from '../../api/operation.ts'
import { operations } from '../../api/operations.ts'
import type { Schema } from '../../api/schema/schema.ts'

const open = 'The service does not document this shape'

const creditRatesSchema = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(creditRates).map(([name, value]) => [name, { type: 'integer', const: value }]),
  ),
  required: Object.keys(creditRates),
  additionalProperties: false,
}

const errorSchema = {
  type: 'object',
  properties: {
    requestId: { type: 'string' },
    error: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
  },
  required: ['requestId', 'error'],
}

/**
 * Describes the service from the operation table. Undocumented shapes are open objects with a note: what this sandbox makes
 * up for them is not part of the service.
 */
export function describeService() {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const methods = (paths[operation.path] ??= {})
    methods[operation.method.toLowerCase()] = describe(operation)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Social Search and Organization Data API (sandbox)', version: '1.0.0' },
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: { CreditRates: creditRatesSchema, Error: errorSchema },
    },
  }
}

function describe(operation: Operation): object {
  const { id, summary, method, scopes, documented, request, response } = operation
  const shape = (schema: Schema) =>
    json({ ...jsonSchemaOf(schema), ...(!documented && { description: open }) })
  const parameters = parametersOf(operation)
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

function parametersOf({ method, pathId, request }: Operation): object[] {
  const inPath = { name: 'id', in: 'path', required: true }
  const pattern = pathId?.prefix && `^${pathId.prefix}`
  const { properties = {}, required = [] } = method === 'GET' ? jsonSchemaOf(request) : {}
  return [
    ...(pattern ? [{ ...inPath, schema: { type: 'string', pattern } }] : []),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema,
    })),
  ]
}

function errorResponses({ errors: documented, scopes }: Operation): object {
  const content = json({ $ref: '#/components/schemas/Error' })
  const describe = (status: number) => ({ description: `\`error.code\` is ${codeOfStatus(status)}`, content })
  const lacking = 'The credential lacks the scope, or its member the permission; the body is not documented'
  return {
    ...(scopes.length > 0 && { 403: { description: lacking } }),
    ...(documented === undefined
      ? { default: { description: 'An error; the service does not document which', content } }
      : Object.fromEntries(documented.map((status) => [status, describe(status)]))),
  }
}

function json(schema: object): object {
  return { 'application/json': { schema } }
}
