import { describe, expect, it } from 'vitest'
import { compareContract } from '../../scripts/contract/compare.ts'
import { describeService } from '../../src/extensions/sandbox/description.ts'

// A description is parsed JSON, which tests change at will.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any

/** The sandbox's description, to be changed. Operations share schemas, which a structured clone would still do. */
const described = (): Json => JSON.parse(JSON.stringify(describeService()))

/** The operation that most changes are made to. */
const search = (description: Json): Json => description.paths['/data/microblog/tweets/search'].post
const requestOf = (operation: Json): Json => operation.requestBody.content['application/json'].schema
const responseOf = (operation: Json): Json => operation.responses[200].content['application/json'].schema

const industries = ({ paths }: Json): Json => paths['/data/professionalnet/industries'].get
const news = ({ paths }: Json): Json => paths['/data/technews/search'].post
const fields = (description: Json): Json => requestOf(search(description)).properties
const post = (description: Json): Json => responseOf(search(description)).properties.posts.items

/** Operation, path, what is assumed and what is published, of the differences after a change. */
const differences = (change: (description: Json) => unknown): unknown[][] => {
  const description = described()
  change(description)
  return compareContract(description).map(({ operation, path, assumed, published, isNews }) => [
    operation ?? 'service',
    path,
    assumed ?? null,
    published ?? null,
    ...(isNews ? ['news'] : []),
  ])
}

const inSearch = (path: string, assumed: string | null, published: string | null) => [
  ['microblog.search', path, assumed, published],
]

describe('compareContract()', () => {
  it.each<[string, (description: Json) => unknown, unknown[][]]>([
    ['nothing in the same description', () => {}, []],
    [
      'a required field without a schema',
      (it) => requestOf(search(it)).required.push('tenant'),
      inSearch('request.tenant', null, 'any'),
    ],
    [
      'a field that is now required',
      (it) => requestOf(search(it)).required.push('category'),
      inSearch('request.category.required', 'no', 'yes'),
    ],
    [
      'another type, bound and list of values',
      (it) => {
        fields(it).query.maxLength++
        fields(it).category.enum.pop()
        post(it).properties.id.type = 'number'
      },
      ['request.query.maxLength', 'request.category.enum', 'response.posts[].id'].map((path) => [
        'microblog.search',
        path,
        expect.any(String),
        expect.any(String),
      ]),
    ],
    [
      'extra fields that are now accepted',
      (it) => delete fields(it).filters.additionalProperties,
      inSearch('request.filters.extra fields', 'refused', 'accepted'),
    ],
    [
      'a response that is no longer JSON',
      (it) => (search(it).responses[200].content = { 'text/html': {} }),
      inSearch('response', 'object', 'text/html'),
    ],
    [
      'a required header',
      (it) => (search(it).parameters = [{ name: 'X-Tenant', in: 'header', required: true }]),
      inSearch('header.X-Tenant', null, 'any'),
    ],
    [
      'operations that only one side has',
      ({ paths }) => delete paths['/feeds'] && (paths['/v1/feeds/{id}/items'] = { get: {} }),
      [
        ['feeds.list', 'GET /feeds', 'feeds.list', null],
        ['service', 'GET /v1/feeds/{id}/items', null, 'GET /v1/feeds/{id}/items'],
      ],
    ],
    [
      'another credit rate',
      ({ components }) => (components.schemas.CreditRates.properties.apiTwitterSearchPerRequest.const = 3),
      [['service', 'apiTwitterSearchPerRequest', '2', '3']],
    ],
    [
      'an open response that lost what this package reads',
      (it) => Object.assign(responseOf(news(it)), { properties: { items: {} }, required: [] }),
      [
        ['technews.search', 'response.requestId', 'string', null],
        ['technews.search', 'response.items', null, 'any', 'news'],
      ],
    ],
    [
      'newly documented shapes as news',
      ({ paths }) => {
        paths['/mentions'].get.parameters = [{ name: 'sort', in: 'query', schema: { type: 'string' } }]
        requestOf(paths['/mentions/{id}/state'].patch).properties = { state: { enum: ['read'] } }
      },
      [
        ['mentions.list', 'query.sort', null, 'string', 'news'],
        ['mentions.setState', 'request.state', null, 'string', 'news'],
      ],
    ],
  ])('reports %s', (_, change, expected) => {
    expect(differences(change)).toEqual(expected)
  })

  it('finds no difference between equivalent descriptions', () => {
    const found = differences((description) => {
      const { components, paths } = description
      const operation = search(description)
      const request = fields(description)
      components.schemas['a/b~c d'] = request.filters
      request.filters = { $ref: '#/components/schemas/a~1b~0c%20d', description: 'Filters' }
      request.category = {
        oneOf: ['Top', 'Latest', 'People', 'Photos', 'Videos'].map((each) => ({ const: each })),
      }
      request.count = { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 21, default: 20 }
      request.query = { allOf: [{ type: 'string' }, { minLength: 1 }, { maxLength: 200, format: 'text' }] }
      request.cursor = { type: 'string', minLength: 0, maxLength: 1024, 'x-order': 1 }
      const { engagements, ...others } = post(description).properties
      others.video = { anyOf: [{ type: 'null' }, { type: 'string' }] }
      components.schemas.Post = { type: 'object', properties: others }
      const rest = { type: 'object', properties: { engagements }, required: post(description).required }
      responseOf(operation).properties.posts.items = { allOf: [{ $ref: '#/components/schemas/Post' }, rest] }
      responseOf(operation).additionalProperties = false
      components.requestBodies = { Search: operation.requestBody }
      operation.requestBody = { $ref: '#/components/requestBodies/Search' }
      components.responses = { Found: operation.responses[200] }
      operation.responses[200] = { $ref: '#/components/responses/Found' }
      const [q, page] = industries(description).parameters
      components.parameters = { Q: q }
      paths['/data/professionalnet/industries'].parameters = [{ $ref: '#/components/parameters/Q' }]
      industries(description).parameters = [page]
      const usual = Object.entries(paths).filter(([path]) => path !== '/openapi.json')
      description.paths = Object.fromEntries(
        usual.map(([path, item]) => [`/v1${path.replace('{id}', '{mentionId}')}`, item]),
      )
    })
    expect(found).toEqual([])
  })

  it('ends for a schema within itself, and refuses another version of OpenAPI', () => {
    const found = differences((description) => {
      description.components.schemas.Node = { properties: { next: { $ref: '#/components/schemas/Node' } } }
      fields(description).query = { $ref: '#/components/schemas/Node' }
    })
    expect(found).toEqual(inSearch('request.query', 'string', 'any'))
    expect(() => differences((description) => (description.openapi = '3.0.3'))).toThrow(
      'OpenAPI 3.0.3, not 3.1',
    )
  })
})
