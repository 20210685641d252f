import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/api/operations.ts'
import type { SocialSearch } from '../../../src/index.ts'
import { callOperation, soakOperations } from '../../soak/misfortune/operations.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { baseUrl, makeClient, ok, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

/** Each operation, its call and the request line that must arrive: as the service's description says, stated a second time. */
const calls = soakOperations.map((operation) => {
  const call = (client: SocialSearch) => callOperation(client, operation, {})
  return [operation.id, call, operation] as const
})

describe('each operation', () => {
  it('is in the table of this test', () => {
    expect(calls.map(([id]) => id).sort()).toEqual(operations.map(({ id }) => id).sort())
  })

  it.each(calls)(
    '%s() sends the documented method, path and body, and nothing else',
    async (_, call, own) => {
      service.script(ok({ requestId: 'r' }))
      await settle(call(makeClient({ validation: 'off' })))
      expect(service.arrivals).toHaveLength(1)
      const { method, url, body } = service.arrivals[0]!
      expect([method, url]).toEqual([own.method, baseUrl + own.path])
      expect(body === '' ? undefined : JSON.parse(body)).toEqual(method === 'GET' ? undefined : own.params)
    },
  )

  it.each<[string, (client: SocialSearch) => PromiseLike<unknown>]>([
    [
      '/data/professionalnet/industries?q=a+b&page=3',
      (client) => client.professionalnet.industries.list({ q: 'a b', page: 3 }),
    ],
    [
      '/mentions?sort=newest&tag=a&tag=b',
      (client) => client.mentions.list({ sort: 'newest', tag: ['a', 'b'], unset: undefined }),
    ],
    ['/listeners/lis_a-b', (client) => client.listeners.get('lis_a-b')],
    ['/feeds/svw_%C3%A9', (client) => client.feeds.get('svw_é')],
  ])('sends params and ids in the URL as %s', async (path, call) => {
    service.script(ok({ requestId: 'r' }))
    await settle(call(makeClient({ validation: 'off' })))
    expect(service.arrivals[0]?.url).toBe(baseUrl + path)
  })

  it.each(calls)('%s() is retried as its cost allows when its connection breaks', async (id, call, own) => {
    service.script(unreachable())
    const { error } = await settle(call(makeClient()))
    expect(service.arrivals).toHaveLength(own.method === 'GET' ? 3 : 1)
    expect(error).toMatchObject({ operation: id, charged: own.price === 0 ? 'no' : 'unknown' })
  })

  it.each(calls)('%s() names the scopes it needs when the status is 403', async (id, call) => {
    service.script(new Response('', { status: 403 }))
    const { error } = await settle(call(makeClient()))
    const { scopes } = operations.find((operation) => operation.id === id)!
    expect(error).toMatchObject({ name: 'PermissionDeniedError', requiredScopes: scopes })
  })

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
})
