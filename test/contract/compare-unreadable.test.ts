import { describe, expect, it } from 'vitest'
import { type Json, differencesAfter, requestOf, responseOf, search } from '../support/description.ts'

const text = { 'application/vnd.other+json': { schema: { type: 'string' } } }
const form = { 'multipart/form-data': { schema: { type: 'object' } } }
const categories = ['Top', 'Latest', 'People', 'Photos', 'Videos']

const industries = ({ paths }: Json) => paths['/data/professionalnet/industries'].get
const news = ({ paths }: Json) => paths['/data/technews/search'].post

/** Makes the category one of several lists of values. */
const setCategory =
  (keyword: string, ...schemas: Json[]) =>
  (description: Json) =>
    (requestOf(search(description)).properties.category = { type: 'string', [keyword]: schemas })

describe('compareContract()', () => {
  it.each<[string, (description: Json) => unknown, string[]]>([
    [
      'a request in a second form of JSON',
      (description) => Object.assign(search(description).requestBody.content, text),
      ['microblog.search unreadable request.content'],
    ],
    [
      'a response in a second form of JSON',
      (description) => Object.assign(search(description).responses[200].content, text),
      ['microblog.search unreadable response.content'],
    ],
    [
      'a second success',
      (description) => (search(description).responses[202] = { content: text }),
      ['microblog.search unreadable responses.202'],
    ],
    [
      'a redirect',
      (description) => (search(description).responses[302] = {}),
      ['microblog.search unreadable responses.302'],
    ],
    [
      'a second success of an operation without documented shapes',
      (description) => (news(description).responses[202] = { content: text }),
      ['technews.search unreadable responses.202'],
    ],
    [
      'an open request that is not JSON',
      (description) => (news(description).requestBody.content = form),
      ['technews.search field_missing request'],
    ],
    [
      'an open request with a broken reference',
      (description) => (news(description).requestBody = { $ref: '#/components/requestBodies/None' }),
      ['technews.search field_missing request'],
    ],
    [
      'an open request that is not an object',
      (description) => (requestOf(news(description)).type = 'array'),
      ['technews.search type request'],
    ],
    [
      'an open response that is not JSON',
      (description) => (news(description).responses[200].content = { 'application/xml': {} }),
      ['technews.search field_missing response'],
    ],
    [
      'an open operation without a success',
      (description) => delete news(description).responses[200],
      ['technews.search field_missing response'],
    ],
    [
      'an open operation whose success has no body',
      (description) => (news(description).responses = { 204: {} }),
      ['technews.search field_missing response', 'technews.search unreadable responses.204'],
    ],
    [
      'values in two exclusive alternatives',
      setCategory('oneOf', { enum: categories.slice(0, 3) }, { enum: categories.slice(2) }),
      ['microblog.search unreadable request.category.oneOf', 'microblog.search enum request.category'],
    ],
    [
      'exclusive alternatives that are equal',
      setCategory('oneOf', { enum: categories }, { enum: categories }),
      ['microblog.search unreadable request.category.oneOf', 'microblog.search enum request.category'],
    ],
    [
      'null in two exclusive alternatives',
      (description) => {
        const { properties } = responseOf(search(description)).properties.posts.items
        properties.video = { oneOf: [properties.video, { type: 'null' }] }
      },
      [
        'microblog.search unreadable response.posts[].video.oneOf',
        'microblog.search type response.posts[].video',
      ],
    ],
    [
      'a bound beside one of several lists of values',
      setCategory('anyOf', { enum: categories.slice(0, 3), maxLength: 3 }, { enum: categories.slice(3) }),
      ['microblog.search unreadable request.category.anyOf', 'microblog.search enum request.category'],
    ],
    [
      'values of another type than the type keyword',
      setCategory('anyOf', { type: 'integer', enum: categories.slice(0, 1) }, { enum: categories.slice(1) }),
      ['microblog.search unreadable request.category.anyOf', 'microblog.search enum request.category'],
    ],
    [
      'a parameter with a style',
      (description) => (industries(description).parameters[0].style = 'deepObject'),
      ['professionalnet.industries.list unreadable query.q.style'],
    ],
    [
      'a parameter that is written as JSON',
      (description) => {
        const [q] = industries(description).parameters
        q.content = { 'application/json': { schema: q.schema } }
      },
      ['professionalnet.industries.list unreadable query.q.content'],
    ],
    [
      'a repeated parameter',
      (description) => industries(description).parameters.push(industries(description).parameters[0]),
      ['professionalnet.industries.list unreadable parameters'],
    ],
    [
      'an id with a maximum length',
      ({ paths }) => (paths['/feeds/{id}'].get.parameters[0].schema.maxLength = 3),
      ['feeds.get bound path.id.maxLength'],
    ],
    [
      'an id with a pattern',
      ({ paths }) => (paths['/feeds/{id}'].get.parameters[0].schema.pattern = '^other_'),
      ['feeds.get unreadable path.id.pattern'],
    ],
    [
      'contradicting rates of two schemas',
      ({ components }) =>
        (components.schemas.Other = { properties: { apiTwitterSearchPerRequest: { const: 99 } } }),
      ['null credit_rate apiTwitterSearchPerRequest'],
    ],
  ])('does not treat %s as equal', (_, change, expected) => {
    const found = differencesAfter(change).map(({ operation, kind, path }) => `${operation} ${kind} ${path}`)
    expect(found).toEqual(expected)
  })

  /** Describes the count of a search apart from its other fields, in a schema that a closed one may refuse. */
  const splitRequest = (join: (request: Json, others: Json, rest: Json) => Json) =>
    differencesAfter((description) => {
      const request = requestOf(search(description))
      const { additionalProperties, ...open } = request
      const { count, ...properties } = request.properties
      const { content } = search(description).requestBody
      const others = { ...open, properties }
      content['application/json'].schema = join({ additionalProperties }, others, { properties: { count } })
    }).map(({ kind, path }) => `${kind} ${path}`)

  it.each<[string, (closed: Json, others: Json, rest: Json) => Json]>([
    ['all parts but one', (closed, others, rest) => ({ allOf: [{ ...others, ...closed }, rest] })],
    ['all parts but the first', (closed, others, rest) => ({ allOf: [rest, { ...others, ...closed }] })],
    ['all but an alternative', (closed, others, rest) => ({ ...others, ...closed, anyOf: [rest] })],
    ['an alternative', (closed, others, rest) => ({ ...rest, anyOf: [{ ...others, ...closed }] })],
    [
      'a part that sees only its own parts',
      (_, others, rest) => ({ allOf: [{ unevaluatedProperties: false, ...others }, rest] }),
    ],
  ])('reports a field that is refused by %s', (_, join) => {
    expect(splitRequest(join)).toEqual(['field_missing request.count'])
  })

  it('finds no difference when unevaluatedProperties sees all parts', () => {
    const closed = { unevaluatedProperties: false }
    expect(splitRequest((_, others, rest) => ({ ...closed, allOf: [others, rest] }))).toEqual([])
    expect(splitRequest((_, others, rest) => ({ ...closed, ...others, anyOf: [rest] }))).toEqual([])
    expect(splitRequest((_, others, rest) => ({ allOf: [{ ...closed, allOf: [others, rest] }] }))).toEqual([])
  })

  it('treats a success without a description as open', () => {
    const silent = [{ description: 'Success' }, { content: { 'application/json': {} } }]
    for (const success of silent)
      expect(differencesAfter((description) => (news(description).responses[200] = success))).toEqual([])
  })

  it('reads the rates from several schemas that agree', () => {
    const split = ({ components: { schemas } }: Json) => {
      const { apiTwitterSearchPerRequest, ...others } = schemas.CreditRates.properties
      schemas.CreditRates = { properties: { ...others } }
      schemas.Other = { properties: { apiTwitterSearchPerRequest } }
    }
    expect(differencesAfter(split)).toEqual([])
  })
})
