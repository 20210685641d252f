import { expect, it } from 'vitest'
import { ResultCache } from '../../src/cache/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { makeClient, ok, scriptedService } from '../support/service.ts'
import { query } from '../support/search.ts'

const service = scriptedService()
virtualTime()

it('search() is retried after its own timeout when an equal call with a longer one has left', async () => {
  const late = () => new Promise<Response>((resolve) => setTimeout(() => resolve(ok()), 30_000))
  service.script(late, ok())
  const client = makeClient({ cache: new ResultCache({ maxAge: 60_000 }), retry: { ambiguous: true } })
  const call = client.microblog.search(query, { timeout: 1000 }).then()
  await pass(100)
  const caller = new AbortController()
  const longer = client.microblog.search(query, { timeout: 10_000, signal: caller.signal })
  const left = expect(longer).rejects.toBe('left')
  await pass(100)
  caller.abort('left')
  await left
  const { error, ms } = await settle(call)
  expect(error).toBeUndefined()
  expect(ms).toBeLessThan(2000)
  expect(service.arrivals).toHaveLength(2)
})

it('search() keeps its own timeout when an equal call with a longer one has left', async () => {
  const late = () => new Promise<Response>((resolve) => setTimeout(() => resolve(ok()), 1500))
  service.script(late)
  const client = makeClient({ cache: new ResultCache({ maxAge: 60_000 }) })
  const shorter = client.microblog.search(query, { timeout: 1000 }).then()
  const late1000 = expect(shorter).rejects.toMatchObject({ name: 'TimeoutError' })
  const call = client.microblog.search(query, { timeout: 2000 }).then()
  const caller = new AbortController()
  const longer = client.microblog.search(query, { timeout: 10_000, signal: caller.signal })
  const left = expect(longer).rejects.toBe('left')
  await pass(100)
  caller.abort('left')
  await left
  const { error } = await settle(call)
  await late1000
  expect(error).toBeUndefined()
  expect(service.arrivals).toHaveLength(1)
})
