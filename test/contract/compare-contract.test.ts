import { describe, expect, it } from 'vitest'
import { type ContractDifference, compareContract } from '../../src/extensions/contract/index.ts'
import {
  type Json,
  described,
  differencesAfter,
  requestOf,
  responseOf,
  search,
} from '../support/description.ts'

/** Operation, kind, path, what is assumed and what is published. */
const told = (differences: readonly ContractDifference[]): unknown[][] =>
  differences.map(({ operation, ...finding }) => [operation, ...Object.values(finding)])

const inSearch = (...finding: unknown[]) => [['microblog.search', ...finding]]

describe('compareContract()', () => {
  it('finds no difference in the description of the sandbox', () => {
    expect(compareContract(described())).toEqual([])
  })

  it.each<[string, (operation: Json) => unknown, ReturnType<typeof inSearch>]>([
    [
      'a removed field',
      (op) => delete requestOf(op).properties.filters.properties.lang,
      inSearch('field_missing', 'request.filters.lang', ['string'], null),
    ],
    [
      'a new field',
      (op) => (requestOf(op).properties.since = { type: 'string' }),
      inSearch('field_unknown', 'request.since', null, 'string'),
    ],
    [
      'a required field without a schema',
      (op) => requestOf(op).required.push('tenant'),
      inSearch('field_unknown', 'request.tenant', null, null),
    ],
    [
      'a field with the name of an inherited property',
      (op) => (requestOf(op).properties.constructor = { type: 'string' }),
      inSearch('field_unknown', 'request.constructor', null, 'string'),
    ],
    [
      'another type',
      (op) => (responseOf(op).properties.posts.items.properties.id.type = 'integer'),
      inSearch('type', 'response.posts[].id', ['string'], ['integer']),
    ],
    [
      'null that was removed from a type',
      (op) => (responseOf(op).properties.posts.items.properties.video.type = 'string'),
      inSearch('type', 'response.posts[].video', ['null', 'string'], ['string']),
    ],
    [
      'another bound',
      (op) => (requestOf(op).properties.query.maxLength = 300),
      inSearch('bound', 'request.query.maxLength', 200, 300),
    ],
    [
      'a removed bound',
      (op) => delete requestOf(op).properties.filters.properties.hashtags.maxItems,
      inSearch('bound', 'request.filters.hashtags.maxItems', 30, null),
    ],
    [
      'a further value',
      (op) =>
        (requestOf(op).properties.category.enum = ['Top', 'Latest', 'People', 'Photos', 'Videos', 'Live']),
      inSearch(
        'enum',
        'request.category',
        ['Latest', 'People', 'Photos', 'Top', 'Videos'],
        ['Latest', 'Live', 'People', 'Photos', 'Top', 'Videos'],
      ),
    ],
    [
      'another default',
      (op) => (requestOf(op).properties.count.default = 10),
      inSearch('default', 'request.count', 20, 10),
    ],
    [
      'a field that is now required',
      (op) => requestOf(op).required.push('category'),
      inSearch('required', 'request.category', false, true),
    ],
    [
      'a field that is now optional',
      (op) => responseOf(op).properties.posts.items.required.shift(),
      inSearch('required', 'response.posts[].id', true, false),
    ],
    [
      'further fields that are now accepted',
      (op) => delete requestOf(op).properties.filters.additionalProperties,
      inSearch('extra_fields', 'request.filters', false, true),
    ],
    [
      'a removed error',
      (op) => delete op.responses[502],
      inSearch('error_status', 'responses.502', true, false),
    ],
    [
      'an object that became another type, once',
      (op) => (responseOf(op).properties.meta = { type: 'string' }),
      inSearch('type', 'response.meta', ['object'], ['string']),
    ],
    [
      'unique items',
      (op) => (requestOf(op).properties.filters.properties.hashtags.uniqueItems = true),
      inSearch('unreadable', 'request.filters.hashtags.uniqueItems', null, true),
    ],
    [
      'a reference to nothing',
      (op) => (requestOf(op).properties.query.$ref = '#/constructor'),
      inSearch('unreadable', 'request.query.$ref', null, '#/constructor'),
    ],
    [
      'a new error',
      (op) => (op.responses[402] = { description: 'Out of credits' }),
      inSearch('error_status', 'responses.402', false, true),
    ],
    [
      'a range of errors',
      (op) => (op.responses['5XX'] = { description: 'Error' }),
      inSearch('unreadable', 'responses.5XX', null, '5XX'),
    ],
    [
      'a query parameter',
      (op) => (op.parameters = [{ name: 'dryRun', in: 'query', schema: { type: 'boolean' } }]),
      inSearch('field_unknown', 'query.dryRun', null, 'boolean'),
    ],
    [
      'a required header',
      (op) => (op.parameters = [{ name: 'X-Tenant', in: 'header', required: true }]),
      inSearch('field_unknown', 'header.X-Tenant', null, 'required'),
    ],
    ['a removed body', (op) => delete op.requestBody, inSearch('field_missing', 'request', ['object'], null)],
    [
      'a response that changed from JSON',
      (op) => (op.responses[200].content = { 'text/html': {} }),
      inSearch('field_missing', 'response', ['object'], null),
    ],
    [
      'items without a schema',
      (op) => delete responseOf(op).properties.posts.items,
      inSearch('field_missing', 'response.posts[]', ['object'], null),
    ],
    [
      'a keyword that it cannot read',
      (op) => (requestOf(op).properties.query.pattern = '^[a-z]+$'),
      inSearch('unreadable', 'request.query.pattern', null, '^[a-z]+$'),
    ],
    [
      'further fields of a certain type',
      (op) => (responseOf(op).properties.meta.additionalProperties = { type: 'string' }),
      inSearch('unreadable', 'response.meta.additionalProperties', null, { type: 'string' }),
    ],
  ])('reports %s', (_, change, expected) => {
    expect(told(differencesAfter((description) => change(search(description))))).toEqual(expected)
  })

  it('reports operations that only one side has', () => {
    const differences = differencesAfter(({ paths }) => {
      delete paths['/feeds']
      paths['/v1/feeds/{id}/items'] = { get: {} }
    })
    const path = 'GET /v1/feeds/{id}/items'
    expect(told(differences)).toEqual([
      ['feeds.list', 'operation_missing', 'GET /feeds', 'feeds.list', null],
      [null, 'operation_unknown', path, null, path],
    ])
  })

  it('reports credit rates that differ or are missing', () => {
    const differences = differencesAfter(({ components }) => {
      const { properties } = components.schemas.CreditRates
      properties.apiTwitterSearchPerRequest.const = 3
      delete properties.apiLinkedInPostCommentsPerComment
    })
    expect(told(differences)).toEqual([
      [null, 'credit_rate', 'apiTwitterSearchPerRequest', 2, 3],
      [null, 'credit_rate', 'apiLinkedInPostCommentsPerComment', 1, null],
    ])
  })

  it('finds the rates by their names among other constants', () => {
    expect(
      differencesAfter(({ components }) => {
        const other = { properties: { constructor: { const: 1 } } }
        components.schemas = { Other: other, ...components.schemas }
      }),
    ).toEqual([])
  })

  it('reports another version of OpenAPI, in which keywords have other meanings', () => {
    const differences = differencesAfter((description) => (description.openapi = '3.0.3'))
    expect(told(differences)).toEqual([[null, 'unreadable', 'openapi', '3.1', '3.0.3']])
  })

  it('reports a newly documented shape, and a difference only if it breaks the package', () => {
    const differences = differencesAfter(({ paths }) => {
      paths['/mentions'].get.parameters = [{ name: 'sort', in: 'query', schema: { type: 'string' } }]
      responseOf(paths['/mentions'].get).properties.mentions = { type: 'array' }
      requestOf(paths['/mentions/{id}/state'].patch).properties = { state: { enum: ['read'] } }
      responseOf(paths['/organization/usage'].get).properties = { spent: { type: 'number' } }
      responseOf(paths['/organization/usage'].get).required = ['spent']
      responseOf(paths['/organization/context'].get).type = 'array'
      paths['/feeds/{id}'].get.parameters[0].schema = { type: 'integer' }
    })
    expect(told(differences)).toEqual([
      ['mentions.list', 'shape_documented', 'query', null, ['sort']],
      ['mentions.list', 'shape_documented', 'response', null, ['mentions']],
      ['mentions.setState', 'shape_documented', 'request', null, ['state']],
      ['feeds.get', 'type', 'path.id', ['string'], ['integer']],
      ['organization.context', 'type', 'response', ['object'], ['array']],
      ['organization.usage', 'shape_documented', 'response', null, ['spent']],
      ['organization.usage', 'field_missing', 'response.requestId', ['string'], null],
    ])
  })
})
