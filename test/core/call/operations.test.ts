import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/api/operations.ts'
import type { SocialSearch } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { baseUrl, failure, makeClient, ok, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const url = 'https://network.example/company/acme'
const open = { anything: ['goes', 1] }

interface Case {
  call: (client: SocialSearch) => PromiseLike<unknown>
  method: string
  path: string
  body?: object
}

/** Each operation as a user calls it, and what the service's description says must arrive. */
const cases: Record<string, Case> = {
  'microblog.search': {
    call: (client) => client.microblog.search({ query: 'q' }),
    ...{ method: 'POST', path: '/data/microblog/tweets/search', body: { query: 'q' } },
  },
  'professionalnet.posts.search': {
    call: (client) => client.professionalnet.posts.search({ query: 'q', page: 2, sort_by: 'recent' }),
    ...{
      method: 'POST',
      path: '/data/professionalnet/posts/search',
      body: { query: 'q', page: 2, sort_by: 'recent' },
    },
  },
  'professionalnet.company.get': {
    call: (client) => client.professionalnet.company.get({ url }),
    ...{ method: 'POST', path: '/data/professionalnet/company/get', body: { url } },
  },
  'professionalnet.person.posts': {
    call: (client) => client.professionalnet.person.posts(open),
    ...{ method: 'POST', path: '/data/professionalnet/person/posts', body: open },
  },
  'professionalnet.person.comments': {
    call: (client) => client.professionalnet.person.comments(open),
    ...{ method: 'POST', path: '/data/professionalnet/person/comments', body: open },
  },
  'professionalnet.posts.comments': {
    call: (client) => client.professionalnet.posts.comments({ postUrl: url, maxComments: 200 }),
    ...{
      method: 'POST',
      path: '/data/professionalnet/posts/comments',
      body: { postUrl: url, maxComments: 200 },
    },
  },
  'professionalnet.posts.reactions': {
    call: (client) => client.professionalnet.posts.reactions(open),
    ...{ method: 'POST', path: '/data/professionalnet/posts/reactions', body: open },
  },
  'professionalnet.industries.list': {
    call: (client) => client.professionalnet.industries.list({ q: 'a b', page: 3 }),
    ...{ method: 'GET', path: '/data/professionalnet/industries?q=a+b&page=3' },
  },
  'technews.search': {
    call: (client) => client.technews.search(open),
    ...{ method: 'POST', path: '/data/technews/search', body: open },
  },
  'mentions.list': {
    call: (client) => client.mentions.list({ sort: 'newest', tag: ['a', 'b'], unset: undefined }),
    ...{ method: 'GET', path: '/mentions?sort=newest&tag=a&tag=b' },
  },
  'mentions.get': {
    call: (client) => client.mentions.get('men_1'),
    ...{ method: 'GET', path: '/mentions/men_1' },
  },
  'mentions.count': {
    call: (client) => client.mentions.count(),
    ...{ method: 'GET', path: '/mentions/count' },
  },
  'mentions.setState': {
    call: (client) => client.mentions.setState('men_1', { state: 'done' }),
    ...{ method: 'PATCH', path: '/mentions/men_1/state', body: { state: 'done' } },
  },
  'listeners.list': { call: (client) => client.listeners.list(), ...{ method: 'GET', path: '/listeners' } },
  'listeners.get': {
    call: (client) => client.listeners.get('lis_a-b'),
    ...{ method: 'GET', path: '/listeners/lis_a-b' },
  },
  'feeds.list': { call: (client) => client.feeds.list(), ...{ method: 'GET', path: '/feeds' } },
  'feeds.get': {
    call: (client) => client.feeds.get('svw_é'),
    ...{ method: 'GET', path: '/feeds/svw_%C3%A9' },
  },
  'organization.context': {
    call: (client) => client.organization.context(),
    ...{ method: 'GET', path: '/organization/context' },
  },
  'organization.usage': {
    call: (client) => client.organization.usage(),
    ...{ method: 'GET', path: '/organization/usage' },
  },
  openapi: { call: (client) => client.openapi(), ...{ method: 'GET', path: '/openapi.json' } },
}

describe('each operation', () => {
  it('is in the table of this test', () => {
    expect(Object.keys(cases).sort()).toEqual(operations.map(({ id }) => id).sort())
  })

  it.each(Object.entries(cases))(
    '%s() sends the documented method, path and body, and nothing else',
    async (_, expected) => {
      service.script(ok({ requestId: 'r' }))
      await settle(expected.call(makeClient({ validation: 'off' })))
      expect(service.arrivals).toHaveLength(1)
      const { method, url, body } = service.arrivals[0]!
      expect([method, url.slice(baseUrl.length)]).toEqual([expected.method, expected.path])
      expect(body === '' ? undefined : JSON.parse(body)).toEqual(expected.body)
    },
  )

  it.each(Object.entries(cases))(
    '%s() is retried as its cost allows when its connection breaks',
    async (id, { call }) => {
      service.script(unreachable())
      const { error } = await settle(call(makeClient()))
      const { method, price } = operations.find((operation) => operation.id === id)!
      expect(service.arrivals).toHaveLength(method === 'GET' ? 3 : 1)
      expect(error).toMatchObject({ operation: id, charged: price.kind === 'free' ? 'no' : 'unknown' })
    },
  )

  it.each(Object.entries(cases))(
    '%s() names the scopes it needs when the status is 403',
    async (id, { call }) => {
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
