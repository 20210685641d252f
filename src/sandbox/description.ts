import { creditRates } from '../contract/credits.ts'
import type { Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'
import type { Outcome } from './answers.ts'

/** What each status means; a 403 has no documented body. */
const errors: Readonly<Record<number, string>> = {
  400: 'A field is invalid',
  401: 'The credential is missing, invalid or revoked',
  403: 'The credential lacks a scope, or the member behind it a permission',
  429: 'A limit is exceeded',
  502: 'The data provider failed',
}

/**
 * Describes the service, from the operation table. How far the real description goes is not documented, so bodies are
 * open objects here; that the credit rates are constants, all required and nothing else, is.
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
  const { id, summary, method, scopes } = operation
  const parameters = parametersOf(operation)
  return {
    operationId: id,
    summary,
    // From 3.1 on, a scheme other than OAuth can name the roles that it asks for here.
    security: [{ apiKey: [...scopes] }],
    ...(parameters.length > 0 && { parameters }),
    ...(method !== 'GET' && { requestBody: { required: true, content: json({ type: 'object' }) } }),
    responses: {
      200: { description: 'Success', content: json({ type: 'object' }) },
      ...Object.fromEntries(
        Object.entries(errors).map(([status, description]) => [
          status,
          { description, content: json({ $ref: '#/components/schemas/Error' }) },
        ]),
      ),
    },
  }
}

function parametersOf({ idPrefix, method, paging }: Operation): object[] {
  const parameters: object[] = []
  if (idPrefix !== undefined) {
    const schema = { type: 'string', pattern: `^${idPrefix}` }
    parameters.push({ name: 'id', in: 'path', required: true, schema })
  }
  if (method === 'GET' && paging !== undefined) {
    const schema = { type: paging.kind === 'cursor' ? 'string' : 'integer' }
    parameters.push({ name: paging.param, in: 'query', required: false, schema })
  }
  return parameters
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
