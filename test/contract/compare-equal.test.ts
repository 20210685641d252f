import { describe, expect, it } from 'vitest'
import { differencesAfter, requestOf, responseOf, search } from '../support/description.ts'

const industries = '/data/professionalnet/industries'

describe('compareContract()', () => {
  it('finds no difference between equivalent schemas', () => {
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
          { $ref: '#/components/schemas/Itself' },
        ],
      }
      components.schemas.Itself = { allOf: [{ $ref: '#/components/schemas/Itself' }] }
      Object.assign(components.schemas['a/b~c d'].properties.hashtags, { minItems: 0, uniqueItems: false })
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
      const { minimum, maximum } = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
      Object.assign(responseOf(paths[industries].get).properties.meta.properties.total, { minimum, maximum })
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

  it('finds no difference in responses that are closed, since the service may still add fields', () => {
    expect(
      differencesAfter((description) => (responseOf(search(description)).additionalProperties = false)),
    ).toEqual([])
  })

  it('finds no difference when the description omits its own path', () => {
    expect(differencesAfter(({ paths }) => delete paths['/openapi.json'])).toEqual([])
  })
})
