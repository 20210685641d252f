import { describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { awkwardValues } from '../support/awkward-values.ts'
import { makeClient } from '../support/service.ts'
import { idsOf, threePages } from '../support/search.ts'
import { mapStore } from './cached.ts'

const methods = ['get', 'set', 'delete'] as const

/** What a method of a store does with a value. */
const ways: Record<string, (make: () => unknown) => unknown> = {
  throws: (make) => {
    throw make()
  },
  'rejects with': (make) => Promise.reject(make()),
  returns: (make) => make(),
  'resolves with': (make) => Promise.resolve().then(make),
}

describe.each(methods)('a store whose %s()', (method) => {
  describe.each(Object.keys(ways))('%s', (way) => {
    it.each(awkwardValues)('%s loses no page and sends nothing twice', async (_, make) => {
      const fetch = vi.fn(async (request: Request) => {
        const { cursor = '' } = (await request.json()) as { cursor?: string }
        return threePages()[['', 'A', 'B'].indexOf(cursor)] as Response
      })
      const store = { ...mapStore(), [method]: () => ways[way]!(make) }
      const reasons: unknown[] = []
      const client = makeClient({
        fetch,
        cache: new ResultCache({ maxAge: 60_000, store }),
        limits: { perMinute: false },
        logger: { warn: (_, { reason }) => reasons.push(reason) },
      })
      const walk = () => client.microblog.search({ query: 'rust' }).toArray({ limit: 9 })
      expect(idsOf(await walk())).toEqual(['1', '2', '3', '4', '5'])
      expect([fetch.mock.calls.length, client.credits.spent]).toEqual([3, 6])
      expect(idsOf(await walk())).toEqual(['1', '2', '3', '4', '5'])
      expect(client.credits).toMatchObject({ uncertain: 0, reserved: 0 })
      for (const reason of reasons) expect(typeof reason).toBe('string')
    })
  })
})

it.each(awkwardValues)('clear() rejects with %s that the store throws', async (_, make) => {
  const thrown = make()
  const fail = (): never => {
    throw thrown
  }
  const cache = new ResultCache({ maxAge: 1, store: { ...mapStore(), clear: fail } })
  const outcome = await cache.clear().then(
    () => [],
    (error: unknown) => [error],
  )
  expect(outcome.length === 1 && Object.is(outcome[0], thrown)).toBe(true)
})
