import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type CacheStore, ResultCache, sqliteCacheStore } from '../../src/extensions/cache/index.ts'
import { apiKey, failure, ok, scriptedService } from '../support/service.ts'
import { threePages, query } from '../support/search.ts'
import { page } from '../support/pages.ts'
import { newFolder } from '../support/folder.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { realTime } from '../support/real-time.ts'
import { cached, mapStore } from './cached.ts'

const service = scriptedService()

describe('a ResultCache without a store', () => {
  it('keeps 500 answers by default', async () => {
    service.script(() => ok())
    const { client } = cached({ limits: { perMinute: 1000 } })
    const search = (n: number) => client.microblog.search({ query: `query ${n}` })
    for (let n = 0; n <= 500; n++) await search(n)
    await search(1)
    expect(service.arrivals).toHaveLength(501)
    await search(0)
    expect(service.arrivals).toHaveLength(502)
  })
})

describe('a ResultCache with a store', () => {
  it('stores neither the params nor the key, also if the service repeats it', async () => {
    const headers = { 'content-type': `application/json; key=${apiKey}` }
    service.script(Response.json({ ...page(['1']), key: apiKey }, { headers }))
    const store = mapStore()
    const { client } = cached({ organization: undefined }, store)
    await realTime.settle(client.microblog.search({ query: 'very private' }))
    await expect.poll(() => store.values.size).toBe(1)
    expect(JSON.stringify([...store.values])).not.toMatch(/org_live|very private/)
  })

  it('stores only valid answers that cost credits', async () => {
    service.script(
      failure(400, 'validation_error'),
      () => ok({ requestId: 'r', posts: 'none' }),
      () => ok({ requestId: 'r', industries: [], meta: { total: 0, page: 1, pageCount: 0, pageSize: 25 } }),
    )
    const store = mapStore()
    const { client } = cached({}, store)
    await realTime.settle(client.microblog.search(query))
    await realTime.settle(client.microblog.search(query, { validation: 'off' }))
    await realTime.settle(client.professionalnet.industries.list())
    expect(service.arrivals).toHaveLength(3)
    expect(store.values.size).toBe(0)
  })

  it('removes everything when it is told to', async () => {
    service.script(...threePages())
    const store = mapStore()
    const { cache, client } = cached({}, { ...store, clear: () => store.values.clear() })
    const walk = () => realTime.settle(client.microblog.search(query).toArray({ limit: 9 }))
    await walk()
    await expect.poll(() => store.values.size).toBe(3)
    await cache.clear()
    expect(store.values.size).toBe(0)
    await expect(new ResultCache({ maxAge: 1, store }).clear()).rejects.toThrow('clear()')
  })
})

describe('a store', () => {
  const logged = () => {
    const warnings: unknown[] = []
    const warn = (message: string, fields: object) => void warnings.push([message, fields])
    return { warnings, logger: { warn } }
  }

  it.each(['get', 'set'])('that fails in %s() costs a warning and no answer', async (method) => {
    service.script(() => ok())
    const { warnings, logger } = logged()
    const fail = () => {
      throw new Error('disk full')
    }
    const { client } = cached({ logger }, { ...mapStore(), [method]: fail })
    expect((await realTime.settle(client.microblog.search(query))).error).toBeUndefined()
    await expect.poll(() => warnings).toHaveLength(1)
    expect((await realTime.settle(client.microblog.search(query))).error).toBeUndefined()
    expect(service.arrivals).toHaveLength(2)
    expect(warnings[0]).toMatchObject(['the cache failed', { reason: 'disk full' }])
  })

  it('that hangs costs a warning and a second, and no answer', async () => {
    service.script(() => ok())
    const { warnings, logger } = logged()
    const hanging = { ...mapStore(), get: () => new Promise(() => {}) }
    const { client } = cached({ logger }, hanging)
    useVirtualTime()
    onTestFinished(() => void vi.useRealTimers())
    const { error, ms } = await settle(client.microblog.search(query))
    expect([error, ms]).toEqual([undefined, 1000])
    expect(warnings).toMatchObject([['the cache failed', { reason: expect.stringContaining('1000 ms') }]])
  })

  it('that parses JSON itself is read as well', async () => {
    service.script(() => ok())
    const store = mapStore()
    const get = (key: string) => JSON.parse(store.values.get(key) ?? 'null') as unknown
    const { client } = cached({}, { ...store, get })
    await realTime.settle(client.microblog.search(query))
    await realTime.settle(client.microblog.search(query))
    expect(service.arrivals).toHaveLength(1)
  })
})

describe('sqliteCacheStore()', () => {
  let folder = ''
  beforeEach(() => (folder = newFolder()))

  it.skipIf(process.platform === 'win32').each(['answers.sqlite', 'file:answers.sqlite?mode=memory'])(
    'lets only its user read %s when the file exists already',
    async (name) => {
      const path = join(folder, name)
      const modes = () =>
        readdirSync(folder).map((file) => (statSync(join(folder, file)).mode & 0o777).toString(8))
      for (const suffix of ['', '-wal']) writeFileSync(path + suffix, '')
      for (const suffix of ['', '-wal']) chmodSync(path + suffix, 0o644)
      const store = sqliteCacheStore(path)
      await store.set('key', '"value"', 1000)
      expect(modes()).toEqual(['600', '600', '600'])
      store.close()
      await expect.poll(() => readdirSync(folder)).toEqual([name])
    },
  )

  it('keeps each answer until its time, and no file when its path is :memory:', async () => {
    const store = sqliteCacheStore(':memory:')
    for (const key of ['one', 'other']) await store.set(key, '"value"', 60_000)
    for (const key of ['one', 'other']) expect(await store.get(key)).toBe('"value"')
    expect(existsSync(':memory:')).toBe(false)
    store.close()
  })

  it('keeps answers for another process, in a file that only its user can read', async () => {
    service.script(() => ok())
    const path = join(folder, 'answers.sqlite')
    const store = sqliteCacheStore(path)
    let isWritten = false
    const set: CacheStore['set'] = async (...given) => {
      await store.set(...given)
      isWritten = true
    }
    await realTime.settle(cached({ organization: 'file' }, { ...store, set }).client.microblog.search(query))
    await expect.poll(() => isWritten).toBe(true)
    store.close()
    const again = sqliteCacheStore(path)
    const { client } = cached({ organization: 'file' }, again)
    expect((await realTime.settle(client.microblog.search(query).withResponse())).value?.cached).toBeDefined()
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    await again.set('other', '"a"', 50)
    await expect.poll(() => again.get('other')).toBeUndefined()
    await again.set('other', '"b"', 60_000)
    await again.clear()
    expect(await again.get('other')).toBeUndefined()
    again.close()
  })
})
