import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/api/operations.ts'
import type { SocialSearch } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { baseUrl, failure, makeClient, ok, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const url = 'https://network.example/company/acme'
const open = { anything: ['goes', 1] }

type Case = [call: (client: SocialSearch) => PromiseLike<unknown>, request: string, body?: object]

/** Each operation as a user calls it, and what the service's description says must arrive. */
const cases: Record<string, Case> = {
  'microblog.search': [
    (client) => client.microblog.search({ query: 'q' }),
    'POST /data/microblog/tweets/search',
    { query: 'q' },
  ],
  'professionalnet.posts.search': [
    (client) => client.professionalnet.posts.search({ query: 'q', page: 2, sort_by: 'recent' }),
    'POST /data/professionalnet/posts/search',
    { query: 'q', page: 2, sort_by: 'recent' },
  ],
  'professionalnet.company.get': [
    (client) => client.professionalnet.company.get({ url }),
    'POST /data/professionalnet/company/get',
    { url },
  ],
  'professionalnet.person.posts': [
    (client) => client.professionalnet.person.posts(open),
    'POST /data/professionalnet/person/posts',
    open,
  ],
  'professionalnet.person.comments': [
    (client) => client.professionalnet.person.comments(open),
    'POST /data/professionalnet/person/comments',
    open,
  ],
  'professionalnet.posts.comments': [
    (client) => client.professionalnet.posts.comments({ postUrl: url, maxComments: 200 }),
    'POST /data/professionalnet/posts/comments',
    { postUrl: url, maxComments: 200 },
  ],
  'professionalnet.posts.reactions': [
    (client) => client.professionalnet.posts.reactions(open),
    'POST /data/professionalnet/posts/reactions',
    open,
  ],
  'professionalnet.industries.list': [
    (client) => client.professionalnet.industries.list({ q: 'a b', page: 3 }),
    'GET /data/professionalnet/industries?q=a+b&page=3',
  ],
  'technews.search': [(client) => client.technews.search(open), 'POST /data/technews/search', open],
  'mentions.list': [
    (client) => client.mentions.list({ sort: 'newest', tag: ['a', 'b'], unset: undefined }),
    'GET /mentions?sort=newest&tag=a&tag=b',
  ],
  'mentions.get': [(client) => client.mentions.get('men_1'), 'GET /mentions/men_1'],
  'mentions.count': [(client) => client.mentions.count(), 'GET /mentions/count'],
  'mentions.setState': [
    (client) => client.mentions.setState('men_1', { state: 'done' }),
    'PATCH /mentions/men_1/state',
    { state: 'done' },
  ],
  'listeners.list': [(client) => client.listeners.list(), 'GET /listeners'],
  'listeners.get': [(client) => client.listeners.get('lis_a-b'), 'GET /listeners/lis_a-b'],
  'feeds.list': [(client) => client.feeds.list(), 'GET /feeds'],
  'feeds.get': [(client) => client.feeds.get('svw_é'), 'GET /feeds/svw_%C3%A9'],
  'organization.context': [(client) => client.organization.context(), 'GET /organization/context'],
  'organization.usage': [(client) => client.organization.usage(), 'GET /organization/usage'],
  openapi: [(client) => client.openapi(), 'GET /openapi.json'],
}

describe('each operation', () => {
  it('is in the table of this test', () => {
    expect(Object.keys(cases).sort()).toEqual(operations.map(({ id }) => id).sort())
  })

  it.each(Object.entries(cases))(
    '%s() sends the documented method, path and body, and nothing else',
    async (_, [call, request, expected]) => {
      service.script(ok({ requestId: 'r' }))
      await settle(call(makeClient({ validation: 'off' })))
      expect(service.arrivals).toHaveLength(1)
      const { method, url, body } = service.arrivals[0]!
      expect(`${method} ${url.slice(baseUrl.length)}`).toBe(request)
      expect(body === '' ? undefined : JSON.parse(body)).toEqual(expected)
    },
  )

  it.each(Object.entries(cases))(
    '%s() is retried as its cost allows when its connection breaks',
    async (id, [call]) => {
      service.script(unreachable())
      const { error } = await settle(call(makeClient()))
      const { method, price } = operations.find((operation) => operation.id === id)!
      expect(service.arrivals).toHaveLength(method === 'GET' ? 3 : 1)
      expect(error).toMatchObject({ operation: id, charged: price.kind === 'free' ? 'no' : 'unknown' })
    },
  )

  it.each(Object.entries(cases))(
    '%s() names the scopes it needs when the status is 403',
    async (id, [call]) => {
      service.script(new Response('', { status: 403 }))
      const { error } = await settle(call(makeClient()))
      const { scopes } = operations.find((operation) => operation.id === id)!
      expect(error).toMatchObject({ name: 'PermissionDeniedError', requiredScopes: scopes })
    },
  )

  it.each([
    ['mentions.get', (client: SocialSearch, id: string) => client.mentions.get(id)],
    ['mentions.setState', (client: SocialSearch, id: string) => client.mentions.setState(id, {})],
    ['listeners.get', (client: SocialSearch, id: string) => client.listeners.get(id)],
    ['feeds.get', (client: SocialSearch, id: string) => client.feeds.get(id)],
  ])('%s() refuses ids with another prefix or unsafe characters before sending', async (operation, get) => {
    const { pathId } = operations.find(({ id }) => id === operation) as { pathId: { prefix: string } }
    const bad = [
      '',
      '1',
      'xxx_1',
      pathId.prefix,
      ...['\ud800', '../x', '..', 'a/b', '%2e%2e', 'a?b', 'a#b', 'a b', 'a\\b', 'a\n'].map(
        (rest) => pathId.prefix + rest,
      ),
    ]
    for (const id of [...bad, undefined, 5]) {
      const { error } = await settle(get(makeClient(), id as string))
      expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'id' }] })
    }
    expect(service.arrivals).toHaveLength(0)
  })

  it('setState() refuses values that JSON cannot hold, and list() values that a query cannot hold', async () => {
    const client = makeClient()
    const circle: Record<string, unknown> = {}
    circle['circle'] = circle
    for (const call of [client.mentions.setState('men_1', circle), client.mentions.list({ nested: {} })]) {
      expect((await settle(call)).error).toMatchObject({ name: 'InvalidRequestError' })
    }
    expect(service.arrivals).toHaveLength(0)
  })

  it('setState() retries only when the service did not process the request', async () => {
    service.script(failure(503, 'unavailable'), failure(502, 'upstream_error'), ok({ requestId: 'r' }))
    const { error } = await settle(makeClient().mentions.setState('men_1', {}))
    expect(error).toMatchObject({ status: 502 })
    expect(service.arrivals).toHaveLength(2)
  })
})
