import { expect, it } from 'vitest'
import { abortIn, pass, settle, virtualTime } from '../support/clock.ts'
import { ok, scriptedService, slow } from '../support/service.ts'
import { query } from '../support/search.ts'
import { cached } from './cached.ts'

const service = scriptedService()
virtualTime()

it('search() is retried after its own timeout when an equal call with a longer one has left', async () => {
  service.script(slow(30_000), ok())
  const { client } = cached({ retry: { ambiguous: true } })
  const call = client.microblog.search(query, { timeout: 1000 }).then()
  await pass(100)
  const longer = client.microblog.search(query, { timeout: 10_000, signal: abortIn(100, 'left') })
  expect((await settle(longer)).error).toBe('left')
  const { error, ms } = await settle(call)
  expect(error).toBeUndefined()
  expect(ms).toBeLessThan(2000)
  expect(service.arrivals).toHaveLength(2)
})
