import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/api/operations.ts'
import type { SocialSearch } from '../../../src/index.ts'
import { callOperation, soakOperations } from '../../soak/misfortune/operations.ts'
import { settle } from '../../support/clock.ts'
import { baseUrl, makeClient, ok, unreachable, virtualService } from '../../support/service.ts'

const service = virtualService()

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
      const { bodies } = await service.see(call, { validation: 'off' })
      const { method, url } = service.arrivals[0]!
      expect([method, url]).toEqual([own.method, baseUrl + own.path])
      expect(bodies).toEqual([method === 'GET' ? undefined : own.params])
    },
  )

  const third = { q: 'a b', page: 3 }
  const listed = { sort: 'newest', tag: ['a', 'b'], unset: undefined }
  it.each<[string, (client: SocialSearch) => PromiseLike<unknown>]>([
    ['data/professionalnet/industries?q=a+b&page=3', (own) => own.professionalnet.industries.list(third)],
    ['mentions?sort=newest&tag=a&tag=b', ({ mentions }) => mentions.list(listed)],
    ['listeners/lis_a-b', ({ listeners }) => listeners.get('lis_a-b')],
    ['feeds/svw_%C3%A9', ({ feeds }) => feeds.get('svw_é')],
  ])('sends params and ids in the URL as %s', async (path, call) => {
    await service.script(ok({ requestId: 'r' })).see(call, { validation: 'off' })
    expect(service.arrivals[0]?.url).toBe(`${baseUrl}/${path}`)
  })

  it.each(calls)('%s() is retried as its cost allows when its connection breaks', async (id, call, own) => {
    const error = { operation: id, charged: own.price === 0 ? 'no' : 'unknown' }
    const sent = own.method === 'GET' ? 3 : 1
    expect(await service.script(unreachable()).see(call)).toMatchObject({ error, sent })
  })

  it.each(calls)('%s() names the scopes it needs when the status is 403', async (id, call) => {
    const { scopes } = operations.find((operation) => operation.id === id)!
    const error = { name: 'PermissionDeniedError', requiredScopes: scopes }
    expect(await service.script(new Response('', { status: 403 })).see(call)).toMatchObject({ error })
  })

  it.each([
    ['mentions.get', (client: SocialSearch, id: string) => client.mentions.get(id)],
    ['mentions.setState', (client: SocialSearch, id: string) => client.mentions.setState(id, {})],
    ['listeners.get', (client: SocialSearch, id: string) => client.listeners.get(id)],
    ['feeds.get', (client: SocialSearch, id: string) => client.feeds.get(id)],
  ])('%s() refuses ids with another prefix or unsafe characters before sending', async (operation, get) => {
    const { pathId } = operations.find(({ id }) => id === operation) as { pathId: { prefix: string } }
    const unsafe = ['', '\ud800', '../x', '..', 'a/b', '%2e%2e', 'a?b', 'a#b', 'a b', 'a\\b', 'a\n']
    const bad = ['', '1', 'xxx_1', ...unsafe.map((rest) => pathId.prefix + rest)]
    for (const id of [...bad, undefined, 5]) {
      const { error } = await settle(get(makeClient(), id as string))
      expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'id' }] })
    }
    expect(service.arrivals).toHaveLength(0)
  })
})
