import { expect, it } from 'vitest'
import { settle, virtualTime } from '../support/clock.ts'
import { page } from '../support/pages.ts'
import { ok, scriptedService, slow } from '../support/service.ts'
import { query } from '../support/search.ts'
import { cached, mapStore } from './cached.ts'

const service = scriptedService()
virtualTime()

it('search() of 99 equal calls succeeds when the timeout of the first one is short', async () => {
  service.script(slow(1000), ok())
  const { client } = cached()
  const calls = Array.from({ length: 100 }, (_, i) =>
    client.microblog.search(query, i === 0 ? { timeout: 50 } : {}).then(),
  )
  const { value = [] } = await settle(Promise.allSettled(calls))
  expect(value[0]).toMatchObject({ status: 'rejected', reason: { name: 'TimeoutError', charged: 'unknown' } })
  expect(value.filter(({ status }) => status === 'fulfilled')).toHaveLength(99)
  expect(service.arrivals).toHaveLength(2)
})

it('search() returns the answer at its deadline when the store hangs in delete()', async () => {
  service.script(ok(page(['1'], 'A')))
  const { client } = cached({}, { ...mapStore(), delete: () => new Promise(() => {}) })
  const { value, ms } = await settle(client.microblog.search(query, { deadline: 100 }))
  expect(value?.posts).toHaveLength(1)
  expect(ms).toBe(100)
})

it('search() ends at its deadline when the store hangs in get(), and sends nothing', async () => {
  const { client } = cached({}, { ...mapStore(), get: () => new Promise(() => {}) })
  const { error, ms } = await settle(client.microblog.search(query, { deadline: 100 }))
  expect([error, ms]).toEqual([expect.objectContaining({ code: 'timeout', charged: 'no' }), 100])
  expect(service.arrivals).toEqual([])
})
