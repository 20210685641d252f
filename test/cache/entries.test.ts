import { describe, expect, it } from 'vitest'
import type { Logger } from '../../src/index.ts'
import { createProxy } from '../../src/extensions/proxy/index.ts'
import { page } from '../support/pages.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { makeClient, ok, scriptedService } from '../support/service.ts'
import { idsOf, query } from '../support/search.ts'
import { cached, mapStore } from './cached.ts'

const service = scriptedService()
virtualTime()

/** A client whose store has one answer; `change` replaces what `get` returns for it. */
async function clientWith(change: (entry: Record<string, unknown>) => unknown) {
  service.script(() => ok())
  const { values, set, delete: remove } = mapStore()
  let isChanged = false
  const warnings: unknown[] = []
  const get = (key: string) => {
    const value = values.get(key)
    return isChanged && value !== undefined ? change(JSON.parse(value) as Record<string, unknown>) : value
  }
  const logger: Logger = { warn: (message, { reason }) => warnings.push([message, reason]) }
  const { client } = cached({ logger }, { get, set, delete: remove })
  await settle(client.microblog.search(query))
  expect((await settle(client.microblog.search(query).withResponse())).value?.cached).toBeDefined()
  isChanged = true
  return { client, warnings }
}

type Change = (entry: Record<string, unknown>) => unknown

describe('an answer with the secret in it', () => {
  it.each<[string, string, string]>([
    ['a number', '123456789012', '123456789012'],
    ['a key with a backslash', 'key_canary_0123456789\\', '"key_canary_0123456789\\\\"'],
    ['a key that begins within an escape', '/n"x0123456789', '"\\/n\\"x0123456789"'],
  ])('stays JSON for the caller, the store and a proxy: %s', async (_, apiKey, written) => {
    service.script(() => ok(`${JSON.stringify(page(['1'])).slice(0, -1)},"echo":[${written},1]}`))
    const { values, ...store } = mapStore()
    const { client } = cached({ apiKey }, store)
    const search = () => settle(client.microblog.search(query).withResponse())
    const proxy = createProxy({ client, allow: ['microblog.search'], authorize: () => ({ id: 'ada' }) })
    const behindProxy = {
      baseUrl: 'https://app.example',
      apiKey: undefined,
      auth: false,
      fetch: proxy,
    } as const
    const browser = makeClient(behindProxy)
    const ofPage = () => settle(browser.microblog.search(query).withResponse())
    const ends = [await search(), await search(), await ofPage()]
    for (const { value } of ends) {
      expect(value?.data).toMatchObject({ posts: [{ id: '1' }], echo: ['[redacted]', 1] })
      expect(await value?.response.json()).toMatchObject({ echo: ['[redacted]', 1] })
    }
    expect(ends.map(({ value }) => value?.credits.spent)).toEqual([2, 0, 0])
    expect(JSON.stringify([...values])).not.toContain('0123456789')
  })
})

describe('an entry of a store', () => {
  it.each<[string, Change]>([
    ['has the answer to another operation', (entry) => ({ ...entry, text: '{}' })],
    ['is a list', (entry) => Object.values(entry)],
    ['is text that is not JSON', () => '{"at":'],
  ])('is a miss with a warning when it %s', async (_, change) => {
    const { client, warnings } = await clientWith(change)
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect([value && idsOf(value.data.posts), value?.cached]).toEqual([['1'], undefined])
    expect(client.credits).toMatchObject({ spent: 4, saved: 2 })
    expect(warnings).toContainEqual(['the cache failed', expect.any(String)])
  })

  it.each([
    ['a miss', 61_000, 'more', undefined],
    ['a hit', 59_000, 'less', { age: 0, saved: 2 }],
  ])('is %s when it is from %i ms in the future, %s than maxAge', async (_, ms, __, hit) => {
    const { client } = await clientWith((entry) => ({ ...entry, at: Number(entry['at']) + ms }))
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(value?.cached).toEqual(hit && expect.objectContaining(hit))
    expect(service.arrivals).toHaveLength(hit ? 1 : 2)
  })

  it('is not written when the service may not have charged the answer', async () => {
    const credits = 'spent=0, uncertain=2, charged=unknown'
    const headers = { 'content-type': 'application/json', 'social-search-credits': credits }
    service.script(() => ok(undefined, { headers }))
    const { client } = cached()
    await settle(client.microblog.search(query))
    await settle(client.microblog.search(query))
    expect(service.arrivals).toHaveLength(2)
    expect(client.credits).toMatchObject({ uncertain: 4, saved: 0 })
  })
})
