import { describe, expect, it } from 'vitest'
import { creditRates } from '../../src/api/credit-rates.ts'
import type { Operation, Scope } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { check } from '../../src/api/schema/check.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { call, networkOf, unpaced } from './helpers.ts'

const scopes: readonly Scope[] = [
  'mentions:read',
  'mentions:write',
  'listeners:read',
  'feeds:read',
  'org:read',
  'search:read',
]
const { posts, people, companies } = networkOf(1)

/** A body that any operation accepts which takes one. */
const bodies: Record<string, object> = {
  'microblog.search': { query: 'ai' },
  'professionalnet.posts.search': { query: 'ai' },
  'professionalnet.company.get': { url: companies[0]?.url },
  'professionalnet.person.posts': { profileUrl: people[0]?.url },
  'professionalnet.person.comments': { profileUrl: people[0]?.url },
  'professionalnet.posts.comments': { postUrl: posts[0]?.post.share_url },
  'professionalnet.posts.reactions': { postUrl: posts[0]?.post.share_url },
  'technews.search': { query: 'ai' },
  'mentions.setState': { state: 'done' },
}

const all: readonly Operation[] = operations

async function send(sandbox: ReturnType<typeof createSandbox>, operation: Operation, key: string) {
  const list = operation.path.split('/')[1]
  const first = operation.pathId === undefined ? null : await call(sandbox, `GET /${list}`)
  const path = operation.path.replace('{id}', String(first?.body[list ?? ''][0].id))
  return call(sandbox, `${operation.method} ${path}`, bodies[operation.id], key)
}

describe.each(all.map((operation) => [operation.id, operation] as const))(
  'createSandbox() %s',
  (id, operation) => {
    it('responds and charges as the contract says', async () => {
      const sandbox = unpaced({ keys: [{ key: 'all', scopes }] })
      const { status, body } = await send(sandbox, operation, 'all')
      expect(status).toBe(200)
      expect(check(operation.response, body)).toEqual([])
      const items = operation.list === undefined ? [] : (body[operation.list] as unknown[])
      const { price } = operation
      const expected =
        price.kind === 'free' ? 0 : price.kind === 'perRequest' ? price.credits : price.credits * items.length
      expect(sandbox.ledger.spent).toBe(expected)
      expect(sandbox.requests.at(-1)).toMatchObject({ operation: id, charged: expected })
    })

    it('answers 401 without a key, and 403 when any one scope is missing or lost', async () => {
      const keys = operation.scopes.flatMap((scope) => [
        { key: `without-${scope}`, scopes: scopes.filter((each) => each !== scope) },
        { key: `lost-${scope}`, scopes, lost: [scope] },
      ])
      const sandbox = unpaced({ keys: [...keys, { key: 'exact', scopes: operation.scopes }] })
      expect((await send(sandbox, operation, 'nobody')).status).toBe(401)
      for (const { key } of keys) {
        const { status, body } = await send(sandbox, operation, key)
        expect([status, body['requestId']], key).toEqual([403, expect.any(String)])
        expect(body['error'].message).toContain(key.slice(key.indexOf('-') + 1))
      }
      expect((await send(sandbox, operation, 'exact')).status).toBe(200)
    })
  },
)

describe('createSandbox() openapi', () => {
  it('describes every operation, and the credit rates as constants', async () => {
    const { status, body } = await call(createSandbox(), 'GET /openapi.json')
    expect(status).toBe(200)
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
    expect('requestId' in body).toBe(false)
    for (const { id, path, method, scopes: needed } of all) {
      expect(body['paths'][path][method.toLowerCase()]).toMatchObject({
        operationId: id,
        security: [{ apiKey: needed }],
      })
    }
    const count = Object.values(body['paths'] as Record<string, object>).flatMap((methods) =>
      Object.keys(methods),
    ).length
    expect(count).toBe(all.length)
    const rates = body['components'].schemas.CreditRates
    expect(rates.additionalProperties).toBe(false)
    expect(rates.required).toEqual(Object.keys(creditRates))
    for (const [name, value] of Object.entries(creditRates)) expect(rates.properties[name].const).toBe(value)
  })

  it('states bounds, items and errors where they are documented', async () => {
    const { paths } = (await call(createSandbox(), 'GET /openapi.json')).body
    const { requestBody, responses } = paths['/data/microblog/tweets/search'].post
    const request = requestBody.content['application/json'].schema
    expect(request).toMatchObject({ required: ['query'], additionalProperties: false })
    expect(request.properties).toMatchObject({
      query: { type: 'string', minLength: 1, maxLength: 200 },
      count: { type: 'integer', minimum: 1, maximum: 20, default: 20 },
      category: { enum: ['Top', 'Latest', 'People', 'Photos', 'Videos'] },
      filters: {
        additionalProperties: false,
        properties: {
          hashtags: { type: 'array', maxItems: 30, items: { type: 'string', maxLength: 200 } },
          minimumLikesCount: { type: 'integer', minimum: 0 },
        },
      },
    })
    expect(request.properties.filters.properties.minimumLikesCount).not.toHaveProperty('maximum')
    const response = responses[200].content['application/json'].schema
    expect(response).not.toHaveProperty('additionalProperties')
    expect(response.properties.posts.items).toMatchObject({ properties: { id: { type: 'string' } } })
    expect(Object.keys(responses as object)).toEqual(['200', '400', '401', '429', '502'])
    expect(paths['/data/professionalnet/industries'].get.parameters).toEqual([
      { name: 'q', in: 'query', required: false, schema: { type: 'string', minLength: 1, maxLength: 100 } },
      { name: 'page', in: 'query', required: false, schema: { type: 'integer', minimum: 1, default: 1 } },
    ])
  })

  it('leaves undocumented shapes open, and says so', async () => {
    const { paths } = (await call(createSandbox(), 'GET /openapi.json')).body
    const { requestBody, responses } = paths['/mentions/{id}/state'].patch
    const description = 'The service does not document this shape'
    expect(requestBody.content['application/json'].schema).toEqual({ type: 'object', description })
    expect(responses[200].content['application/json'].schema).toMatchObject({
      description,
      required: ['requestId'],
    })
    expect(Object.keys(responses as object)).toEqual(['200', 'default'])
    expect(paths['/mentions'].get).not.toHaveProperty('parameters')
  })
})

describe('createSandbox() posts', () => {
  it('answers empty pages on every network when there are none', async () => {
    const sandbox = unpaced({ posts: 0 })
    for (const path of ['professionalnet/posts/search', 'technews/search', 'microblog/tweets/search'])
      expect((await call(sandbox, `POST /data/${path}`, { query: 'ai' })).body['posts']).toEqual([])
    for (const property of ['posts', 'comments']) {
      const { status, body } = await call(sandbox, `POST /data/professionalnet/person/${property}`, {
        profileUrl: people[0]?.url,
      })
      expect([status, body[property]]).toEqual([200, []])
    }
  })
})

describe('createSandbox() surfaces', () => {
  it('limits the rate of each surface, but not of the organization', async () => {
    const sandbox = createSandbox({ limits: { perMinute: 1 } })
    const statuses: number[] = []
    for (const operation of [
      'POST /data/technews/search',
      'POST /data/professionalnet/posts/search',
      'POST /data/technews/search',
    ])
      statuses.push((await call(sandbox, operation, { query: 'ai' })).status)
    for (let i = 0; i < 3; i++) statuses.push((await call(sandbox, 'GET /mentions')).status)
    expect(statuses).toEqual([200, 200, 429, 200, 200, 200])
  })
})
