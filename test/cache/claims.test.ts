import { describe, expect, it, vi } from 'vitest'
import { type CacheStore } from '../../src/extensions/cache/index.ts'
import { Claim } from '../../src/extensions/cache/claim.ts'
import type { ClaimStore } from '../../src/extensions/cache/store.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { failure, ok, scriptedService, slow } from '../support/service.ts'
import { idsOf, query } from '../support/search.ts'
import { two } from './cached.ts'

const service = scriptedService()
virtualTime()

/** A store that processes can share. Values expire. */
function sharedStore() {
  const values = new Map<string, { value: string; until: number }>()
  const get = (key: string) => {
    const { value, until = 0 } = values.get(key) ?? {}
    return until > Date.now() ? value : undefined
  }
  const set = (key: string, value: string, maxAge: number) => {
    values.set(key, { value, until: Date.now() + maxAge })
    return true
  }
  return {
    ...{ values, get, set, delete: (key: string) => values.delete(key) },
    setIfAbsent: (key: string, value: string, maxAge: number) =>
      get(key) === undefined && set(key, value, maxAge),
  } satisfies CacheStore & { values: unknown }
}

async function taken(store: ClaimStore): Promise<Claim> {
  const claim = new Claim(store, 'key')
  const outcome = await claim.take(
    () => true,
    () => Promise.resolve(null),
  )
  expect(outcome).toBe('taken')
  return claim
}

describe('a claim', () => {
  it('is renewed while its request takes longer than ten seconds', async () => {
    service.script(slow(25_000))
    const [one, other] = two(sharedStore())
    const calls = [one, other].map((client) => client.microblog.search(query))
    const { value } = await settle(Promise.all(calls))
    expect(value?.map(({ posts }) => idsOf(posts))).toEqual([['1'], ['1']])
    expect(service.arrivals).toHaveLength(1)
  })

  it('is neither renewed nor deleted when another process has it', async () => {
    const store = sharedStore()
    const claim = await taken(store)
    const other = crypto.randomUUID()
    // As if the first process were stopped for so long.
    store.set('key:claim', other, 10_000)
    await pass(2600)
    expect(store.get('key:claim')).toBe(other)
    await claim.release(true)
    expect(store.get('key:claim')).toBe(other)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not written again when it is released while it is renewed', async () => {
    const store = sharedStore()
    const set: CacheStore['set'] = (...given) => slow(500)().then(() => store.set(...given))
    const claim = await taken({ ...store, set })
    await pass(2600)
    await settle(claim.release(false))
    expect(vi.getTimerCount()).toBe(0)
    expect(store.get('key:claim')).toBeUndefined()
  })
})

describe('a shared request that has failed', () => {
  it('cannot be joined while its claim ends', async () => {
    service.script(
      () => failure(403, 'forbidden'),
      () => ok(),
    )
    const store = sharedStore()
    const [client] = two({ ...store, delete: (key) => slow(500)().then(() => store.delete(key)) })
    expect((await settle(client.microblog.search(query))).error).toMatchObject({ status: 403 })
    const next = client.microblog.search(query).then(({ posts }) => idsOf(posts))
    const { error } = await settle(client.microblog.search(query, { deadline: 100 }))
    // A call of the failed request would have its attempt.
    expect(error).toMatchObject({ code: 'timeout', attempts: [] })
    expect((await settle(next)).value).toEqual(['1'])
    expect(service.arrivals).toHaveLength(2)
  })
})
