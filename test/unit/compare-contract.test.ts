import { describe, expect, it } from 'vitest'
import { compareContract } from '../../src/index.ts'
import { type Json, described, differencesAfter } from '../support/description.ts'

const microblog = '/data/microblog/tweets/search'
const industries = '/data/professionalnet/industries'

const search = (description: Json): Json => description.paths[microblog].post
const requestOf = (operation: Json): Json => operation.requestBody.content['application/json'].schema
const responseOf = (operation: Json): Json => operation.responses[200].content['application/json'].schema

/** What a change of microblog.search is reported as. */
const inSearch = (kind: string, path: string, assumed: unknown, published: unknown) => [
  { kind, operation: 'microblog.search', path, assumed, published },
]

describe('compareContract()', () => {
  it('finds no difference in the description of the sandbox', () => {
    expect(compareContract(described())).toEqual([])
  })

  it.each<[string, (operation: Json) => unknown, ReturnType<typeof inSearch>]>([
    [
      'a field that is gone',
      (op) => delete requestOf(op).properties.filters.properties.lang,
      inSearch('field_missing', 'request.filters.lang', ['string'], null),
    ],
    [
      'a field that is new',
      (op) => (requestOf(op).properties.since = { type: 'string' }),
      inSearch('field_unknown', 'request.since', null, 'string'),
    ],
    [
      'a field that is asked for without a schema',
      (op) => requestOf(op).required.push('tenant'),
      inSearch('field_unknown', 'request.tenant', null, null),
    ],
    [
      'a field named like what every object has',
      (op) => (requestOf(op).properties.constructor = { type: 'string' }),
      inSearch('field_unknown', 'request.constructor', null, 'string'),
    ],
    [
      'another type',
      (op) => (responseOf(op).properties.posts.items.properties.id.type = 'integer'),
      inSearch('type', 'response.posts[].id', ['string'], ['integer']),
    ],
    [
      'null that is no longer allowed',
      (op) => (responseOf(op).properties.posts.items.properties.video.type = 'string'),
      inSearch('type', 'response.posts[].video', ['null', 'string'], ['string']),
    ],
    [
      'another bound',
      (op) => (requestOf(op).properties.query.maxLength = 300),
      inSearch('bound', 'request.query.maxLength', 200, 300),
    ],
    [
      'a bound that is gone',
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
      'a field that may now be absent',
      (op) => responseOf(op).properties.posts.items.required.shift(),
      inSearch('required', 'response.posts[].id', true, false),
    ],
    [
      'further fields that are now accepted',
      (op) => delete requestOf(op).properties.filters.additionalProperties,
      inSearch('extra_fields', 'request.filters', false, true),
    ],
    [
      'an error that is no longer documented',
      (op) => delete op.responses[502],
      inSearch('error_status', 'responses.502', true, false),
    ],
    [
      'an error that is newly documented',
      (op) => (op.responses[402] = { description: 'Out of credits' }),
      inSearch('error_status', 'responses.402', false, true),
    ],
    [
      'errors that are documented as a range',
      (op) => (op.responses['5XX'] = { description: 'Error' }),
      inSearch('unreadable', 'responses.5XX', null, '5XX'),
    ],
    [
      'a query parameter',
      (op) => (op.parameters = [{ name: 'dryRun', in: 'query', schema: { type: 'boolean' } }]),
      inSearch('field_unknown', 'query.dryRun', null, 'boolean'),
    ],
    [
      'a header that has to be sent',
      (op) => (op.parameters = [{ name: 'X-Tenant', in: 'header', required: true }]),
      inSearch('field_unknown', 'header.X-Tenant', null, 'required'),
    ],
    [
      'a body that is no longer described',
      (op) => delete op.requestBody,
      inSearch('field_missing', 'request', ['object'], null),
    ],
    [
      'an answer that is no longer JSON',
      (op) => (op.responses[200].content = { 'text/html': {} }),
      inSearch('field_missing', 'response', ['object'], null),
    ],
    [
      'items that are no longer described',
      (op) => delete responseOf(op).properties.posts.items,
      inSearch('field_missing', 'response.posts[]', ['object'], null),
    ],
    [
      'a keyword that it cannot read',
      (op) => (requestOf(op).properties.query.pattern = '^[a-z]+$'),
      inSearch('unreadable', 'request.query.pattern', null, '^[a-z]+$'),
    ],
    [
      'fields of a certain type besides the known ones',
      (op) => (responseOf(op).properties.meta.additionalProperties = { type: 'string' }),
      inSearch('unreadable', 'response.meta.additionalProperties', null, { type: 'string' }),
    ],
  ])('reports %s', (_, change, expected) => {
    expect(differencesAfter((description) => change(search(description)))).toEqual(expected)
  })

  it('reports operations that one side alone has', () => {
    const differences = differencesAfter(({ paths }) => {
      delete paths['/feeds']
      paths['/v1/feeds/{id}/items'] = { get: {} }
    })
    const nothing = { assumed: null, published: null }
    expect(differences).toEqual([
      {
        ...nothing,
        kind: 'operation_missing',
        operation: 'feeds.list',
        path: 'GET /feeds',
        assumed: 'feeds.list',
      },
      {
        ...nothing,
        kind: 'operation_unknown',
        operation: null,
        path: 'GET /v1/feeds/{id}/items',
        published: 'GET /v1/feeds/{id}/items',
      },
    ])
  })

  it('reports credit rates that differ, or that are not there', () => {
    const differences = differencesAfter(({ components }) => {
      const { properties } = components.schemas.CreditRates
      properties.apiTwitterSearchPerRequest.const = 3
      delete properties.apiLinkedInPostCommentsPerComment
    })
    expect(differences).toEqual([
      { kind: 'credit_rate', operation: null, path: 'apiTwitterSearchPerRequest', assumed: 2, published: 3 },
      {
        kind: 'credit_rate',
        operation: null,
        path: 'apiLinkedInPostCommentsPerComment',
        assumed: 1,
        published: null,
      },
    ])
  })

  it('reports what is described of a shape that is kept open as news, and what breaks it as a difference', () => {
    const differences = differencesAfter(({ paths }) => {
      paths['/mentions'].get.parameters = [{ name: 'sort', in: 'query', schema: { type: 'string' } }]
      responseOf(paths['/mentions'].get).properties.mentions = { type: 'array' }
      requestOf(paths['/mentions/{id}/state'].patch).properties = { state: { enum: ['read'] } }
      responseOf(paths['/organization/usage'].get).properties = { spent: { type: 'number' } }
      responseOf(paths['/organization/usage'].get).required = ['spent']
      responseOf(paths['/organization/context'].get).type = 'array'
      paths['/feeds/{id}'].get.parameters[0].schema = { type: 'integer' }
    })
    const news = (operation: string, path: string, ...published: string[]) => ({
      kind: 'shape_documented',
      ...{ operation, path, assumed: null, published },
    })
    const usage = { operation: 'organization.usage', path: 'response.requestId' }
    const context = { operation: 'organization.context', path: 'response' }
    expect(differences).toEqual([
      news('mentions.list', 'query', 'sort'),
      news('mentions.list', 'response', 'mentions'),
      news('mentions.setState', 'request', 'state'),
      { kind: 'type', operation: 'feeds.get', path: 'path.id', assumed: ['string'], published: ['integer'] },
      { kind: 'type', ...context, assumed: ['object'], published: ['array'] },
      news('organization.usage', 'response', 'spent'),
      { kind: 'field_missing', ...usage, assumed: ['string'], published: null },
    ])
  })

  it('finds no difference where the same is said in another way', () => {
    const differences = differencesAfter((description) => {
      const { components, paths } = description
      const operation = search(description)
      const request = requestOf(operation)
      const post = responseOf(operation).properties.posts.items
      components.schemas['a/b~c d'] = request.properties.filters
      request.properties.filters = { $ref: '#/components/schemas/a~1b~0c%20d', description: 'Filters' }
      request.properties.category = {
        oneOf: ['Top', 'Latest', 'People', 'Photos', 'Videos'].map((each) => ({ const: each })),
      }
      request.properties.count = { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 21, default: 20 }
      request.properties.query = {
        allOf: [
          { type: 'string', maxLength: 500 },
          { minLength: 1, maxLength: 200 },
        ],
      }
      request.properties.cursor = {
        type: 'string',
        minLength: 0,
        maxLength: 1024,
        'x-order': 1,
        format: 'cursor',
      }
      const { engagements, ...others } = post.properties
      others.video = { anyOf: [{ type: 'null' }, { type: 'string' }] }
      components.schemas.Post = { type: 'object', properties: others }
      const rest = {
        type: 'object',
        properties: { engagements: { ...engagements, additionalProperties: false } },
      }
      responseOf(operation).properties.posts.items = {
        allOf: [{ $ref: '#/components/schemas/Post' }, { ...rest, required: post.required }],
      }
      components.requestBodies = { Search: operation.requestBody }
      operation.requestBody = { $ref: '#/components/requestBodies/Search' }
      components.responses = { Found: operation.responses[200] }
      operation.responses = { ...operation.responses, 200: { $ref: '#/components/responses/Found' } }
      const [q, page] = paths[industries].get.parameters
      components.parameters = { Q: q }
      paths[industries].parameters = [{ $ref: '#/components/parameters/Q' }, { ...page, required: true }]
      paths[industries].get.parameters = [page]
      description.paths = Object.fromEntries(
        Object.entries(paths).map(([path, item]) => [`/v1${path.replace('{id}', '{mentionId}')}`, item]),
      )
    })
    expect(differences).toEqual([])
  })

  it('finds no difference in answers that say they are closed, which cannot be counted on', () => {
    expect(
      differencesAfter((description) => (responseOf(search(description)).additionalProperties = false)),
    ).toEqual([])
  })

  it('counts a description that does not mention itself as whole', () => {
    expect(differencesAfter(({ paths }) => delete paths['/openapi.json'])).toEqual([])
  })
})
