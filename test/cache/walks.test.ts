import { describe, expect, it } from 'vitest'
import { type CacheStore } from '../../src/extensions/cache/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { networkPosts, page } from '../support/pages.ts'
import { ok, scriptedService } from '../support/service.ts'
import { idsOf, threePages, query } from '../support/search.ts'
import { cached, mapStore } from './cached.ts'

const service = scriptedService()
virtualTime()

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A page of a search whose shape is not documented. */
const stories = (number: number, title: string) =>
  ok({ requestId: 'r', posts: number > 3 ? [] : [{ id: `${title} ${number}` }], page: number })
const paging = {
  next: (body: object, params: object) =>
    (body as { posts: unknown[] }).posts.length === 0
      ? null
      : { ...params, page: ((params as { page?: number }).page ?? 1) + 1 },
}

/** The pages, with 15 seconds after each them. */
async function* withPauses<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page, void, undefined> {
  for await (const page of pages) {
    yield page
    await wait(15_000)
  }
}

async function collect<Item>(pages: AsyncIterable<{ posts: Item[] }>): Promise<Item[]> {
  const items: Item[] = []
  for await (const { posts } of pages) items.push(...posts)
  return items
}

describe('search()', () => {
  it('never puts a stored page behind a newer one when paging.next names the pages', async () => {
    const version = (title: string) => [1, 2, 3, 4].map((number) => stories(number, title))
    service.script(...version('old'), ...version('new'))
    const { client } = cached()
    const walk = () => client.technews.search(query, { paging })
    const titles = async (pages = walk().pages()) => (await collect(pages)).map(({ id }) => id)
    expect((await settle(titles(withPauses(walk().pages())))).value).toEqual(['old 1', 'old 2', 'old 3'])
    await pass(1000)
    expect((await settle(titles())).value).toEqual(['new 1', 'new 2', 'new 3'])
    expect((await settle(titles())).value).toEqual(['new 1', 'new 2', 'new 3'])
    expect(service.arrivals).toHaveLength(8)
  })

  it('never puts a stored page behind a newer one when a walk resumes by number', async () => {
    const version = (title: string) =>
      [[`${title} 2`], [`${title} 3`], []].map((urns, index) => ok(networkPosts(index + 2, ...urns)))
    service.script(...version('old'), ...version('new'))
    const { client } = cached()
    const walk = () => client.professionalnet.posts.search(query).resume({ next: { ...query, page: 2 } })
    const urns = async (pages = walk().pages()) => (await collect(pages)).map(({ urn }) => urn)
    expect((await settle(urns(withPauses(walk().pages())))).value).toEqual(['old 2', 'old 3'])
    await pass(16_000)
    expect((await settle(urns())).value).toEqual(['new 2', 'new 3'])
    expect((await settle(urns())).value).toEqual(['new 2', 'new 3'])
    expect(service.arrivals).toHaveLength(6)
  })

  it.each<[string, Partial<CacheStore>]>([
    ['keeps no first page', {}],
    ['deletes no page either', { delete: () => {} }],
  ])('never reads a page that was stored behind another first page when the store %s', async (_, methods) => {
    const old = [ok(page(['1'], 'A')), ok(page(['2'], 'B')), ok(page(['3']))]
    service.script(...old, ok(page(['new 1'], 'A')), ok(page(['new 2'])))
    const store = mapStore()
    let first: string | undefined
    const set: CacheStore['set'] = (key, value) => (first ??= key) !== key && store.set(key, value)
    const { walk } = cached({}, { ...store, set, ...methods })
    await walk()
    expect(await walk()).toEqual(['new 1', 'new 2'])
  })

  it('reads no stored page behind a newer one when the store fails to replace or delete pages', async () => {
    service.script(...threePages(), ok(page(['0'], 'A')), ok(page(['1'])))
    const store = mapStore()
    const { walk } = cached({}, store)
    await walk()
    store.set = store.delete = () => {
      throw new Error('disk full')
    }
    expect(await walk('refresh')).toEqual(['0', '1'])
  })

  it('reads no page behind a single page that was fetched anew, also while a slow store keeps it', async () => {
    service.script(...threePages(), ok(page(['0', '1'], 'A')), ok(page(['2', '3'])))
    const store = mapStore()
    const slowly: CacheStore = {
      get: (key) => wait(50).then(() => store.get(key)),
      set: (key, value) => wait(200).then(() => store.set(key, value)),
      delete: (key) => wait(500).then(() => store.delete(key)),
    }
    const { client, walk } = cached({}, slowly)
    await walk()
    await pass(2000)
    const byHand = async () => {
      const first = await client.microblog.search(query, { cache: 'refresh' })
      return idsOf((await client.microblog.search(first.next!)).posts)
    }
    expect((await settle(byHand())).value).toEqual(['2', '3'])
  })

  it('answers single pages from the store when the page before them has not changed', async () => {
    service.script(...threePages())
    const { client } = cached()
    const byHand = async () => {
      const ids: string[] = []
      for (let next: object | null = query; next !== null;) {
        const { posts, ...page } = await client.microblog.search(next as typeof query)
        ids.push(...idsOf(posts))
        next = page.next
      }
      return ids
    }
    const first = await settle(byHand())
    expect((await settle(byHand())).value).toEqual(first.value)
    expect(service.arrivals).toHaveLength(3)
  })

  it('fetches a single page anew when the option cache is refresh', async () => {
    service.script(ok(page(['1'])), ok(page(['2'])))
    const { client } = cached()
    const further = { ...query, cursor: 'A' }
    await settle(client.microblog.search(further))
    const { value } = await settle(client.microblog.search(further, { cache: 'refresh' }))
    expect(idsOf(value!.posts)).toEqual(['2'])
  })
})
