import { describe, expect, it } from 'vitest'
import { type CacheStore, ResultCache } from '../../src/cache/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { networkPosts, page } from '../support/pages.ts'
import { makeClient, ok, scriptedService } from '../support/service.ts'
import { idsOf, threePages, query } from '../support/search.ts'

const service = scriptedService()
virtualTime()

const minute = 60_000

function cached(store?: CacheStore) {
  return makeClient({ cache: new ResultCache({ maxAge: minute, store }) })
}

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
    await new Promise((resolve) => setTimeout(resolve, 15_000))
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
    const client = cached()
    const walk = () => client.technews.search(query, { paging })
    const titles = async (pages = walk().pages()) => (await collect(pages)).map(({ id }) => id)
    expect((await settle(titles(withPauses(walk().pages())))).value).toEqual(['old 1', 'old 2', 'old 3'])
    await pass(1000)
    expect((await settle(titles())).value).toEqual(['new 1', 'new 2', 'new 3'])
    expect((await settle(titles())).value).toEqual(['new 1', 'new 2', 'new 3'])
    expect(service.arrivals).toHaveLength(8)
  })

  it('never puts a stored page behind a newer one when a walk resumes by number', async () => {
    const version = (title: string) => [
      ok(networkPosts(2, `${title} 2`)),
      ok(networkPosts(3, `${title} 3`)),
      ok(networkPosts(4)),
    ]
    service.script(...version('old'), ...version('new'))
    const client = cached()
    const walk = () => client.professionalnet.posts.search(query).resume({ next: { ...query, page: 2 } })
    const urns = async (pages = walk().pages()) => (await collect(pages)).map(({ urn }) => urn)
    expect((await settle(urns(withPauses(walk().pages())))).value).toEqual(['old 2', 'old 3'])
    await pass(16_000)
    expect((await settle(urns())).value).toEqual(['new 2', 'new 3'])
    expect((await settle(urns())).value).toEqual(['new 2', 'new 3'])
    expect(service.arrivals).toHaveLength(6)
  })

  it('never reads a page that was stored behind another first page when the store keeps no first page', async () => {
    const old = [ok(page(['1'], 'A')), ok(page(['2'], 'B')), ok(page(['3']))]
    service.script(...old, ok(page(['new 1'], 'A')), ok(page(['new 2'])))
    const values = new Map<string, string>()
    let first: string | undefined
    const client = cached({
      get: (key) => values.get(key),
      set: (key, value) => (first ??= key) !== key && values.set(key, value),
      delete: (key) => values.delete(key),
    })
    await settle(client.microblog.search(query).toArray({ limit: 9 }))
    const { value } = await settle(client.microblog.search(query).toArray({ limit: 9 }))
    expect(idsOf(value!)).toEqual(['new 1', 'new 2'])
  })

  it('reads no stored page behind a newer one when the store fails to replace or delete pages', async () => {
    service.script(...threePages(), ok(page(['0'], 'A')), ok(page(['1'])))
    const values = new Map<string, string>()
    let isFull = false
    const unlessFull = (work: () => void) => {
      if (isFull) throw new Error('disk full')
      work()
    }
    const client = cached({
      get: (key) => values.get(key),
      set: (key, value) => unlessFull(() => values.set(key, value)),
      delete: (key) => unlessFull(() => values.delete(key)),
    })
    await settle(client.microblog.search(query).toArray({ limit: 9 }))
    isFull = true
    const walk = client.microblog.search(query, { cache: 'refresh' }).toArray({ limit: 9 })
    expect(idsOf((await settle(walk)).value!)).toEqual(['0', '1'])
  })

  it('reads no page behind a single page that was fetched anew, also while a slow store keeps it', async () => {
    service.script(...threePages(), ok(page(['0', '1'], 'A')), ok(page(['2', '3'])))
    const values = new Map<string, string>()
    const slowly = async <T>(ms: number, work: () => T): Promise<T> => {
      await new Promise((resolve) => setTimeout(resolve, ms))
      return work()
    }
    const client = cached({
      get: (key) => slowly(50, () => values.get(key)),
      set: (key, value) => slowly(200, () => values.set(key, value)),
      delete: (key) => slowly(500, () => values.delete(key)),
    })
    await settle(client.microblog.search(query).toArray({ limit: 9 }))
    await pass(2000)
    const byHand = async () => {
      const first = await client.microblog.search(query, { cache: 'refresh' })
      return idsOf((await client.microblog.search(first.next!)).posts)
    }
    expect((await settle(byHand())).value).toEqual(['2', '3'])
  })

  it('reads no page behind a single page that changed while an equal one was compared', async () => {
    const changed = () => ok(page(['0', '1'], 'A'))
    const later = () => new Promise<Response>((resolve) => setTimeout(() => resolve(changed()), 100))
    service.script(...threePages(), threePages()[0]!, later, ok(page(['2', '3'])))
    const values = new Map<string, string>()
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    const client = cached({
      get: (key) => wait(500).then(() => values.get(key)),
      set: (key, value) => void values.set(key, value),
      delete: (key) => wait(800).then(() => values.delete(key)),
    })
    await settle(client.microblog.search(query).toArray({ limit: 9 }))
    await pass(2000)
    const { next } = (await settle(client.microblog.search(query))).value!
    // Calls with other hooks do not share a request.
    const refresh = [{}, { hooks: { beforeRequest: [() => {}] } }].map((options) =>
      client.microblog.search(query, { ...options, cache: 'refresh' }).then(),
    )
    await settle(Promise.all(refresh))
    // The first comparison has ended; the second page is still to be deleted.
    await pass(500)
    expect(idsOf((await settle(client.microblog.search(next!))).value!.posts)).toEqual(['2', '3'])
    expect(service.arrivals).toHaveLength(6)
  })

  it('answers single pages from the store when the page before them has not changed', async () => {
    service.script(...threePages())
    const client = cached()
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
    const client = cached()
    const further = { ...query, cursor: 'A' }
    await settle(client.microblog.search(further))
    const { value } = await settle(client.microblog.search(further, { cache: 'refresh' }))
    expect(idsOf(value!.posts)).toEqual(['2'])
  })
})
