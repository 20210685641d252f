import {
  InfiniteQueryObserver,
  QueryClient,
  QueryObserver,
  focusManager,
  hashKey,
  onlineManager,
} from '@tanstack/query-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigurationError, SocialSearch, createTransport, microblog } from '../../src/index.ts'
import { infiniteSearchOptions, searchOptions } from '../../src/extensions/query/index.ts'
import { type Sandbox, createSandbox } from '../support/sandbox.ts'

let sandbox: Sandbox
let client: SocialSearch
let queries: QueryClient

beforeEach(() => {
  sandbox = createSandbox({ limits: { perMinute: false } })
  client = new SocialSearch(sandbox.clientOptions())
  queries = new QueryClient({ defaultOptions: { queries: { retry: 3, retryDelay: 1 } } })
  queries.mount()
})
afterEach(() => {
  queries.clear()
  queries.unmount()
  focusManager.setFocused(undefined)
  onlineManager.setOnline(true)
})

const coffee = { query: 'coffee' }

/** Lets the effects of a query begin. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 20))

async function leaveAndReturn(): Promise<void> {
  focusManager.setFocused(false)
  focusManager.setFocused(true)
  onlineManager.setOnline(false)
  onlineManager.setOnline(true)
  await turn()
}

describe('infiniteSearchOptions()', () => {
  const threePages = async (more: { staleTime?: number } = {}) => {
    const options = { ...infiniteSearchOptions(client, 'microblog.search', coffee), ...more }
    const observer = new InfiniteQueryObserver(queries, options)
    const unsubscribe = observer.subscribe(() => {})
    while (!observer.getCurrentResult().isSuccess) await turn()
    for (let page = 2; page <= 3; page++) await observer.fetchNextPage()
    return { options, observer, unsubscribe }
  }

  it('buys each of three pages once when the window is focused, the network returns and a component mounts', async () => {
    const { options, observer, unsubscribe } = await threePages()
    await leaveAndReturn()
    unsubscribe()
    new InfiniteQueryObserver(queries, options).subscribe(() => {})
    await leaveAndReturn()
    const pages = observer.getCurrentResult().data?.pages ?? []
    expect(new Set(pages.flatMap(({ posts }) => posts.map(({ id }) => id))).size).toBe(60)
    expect(sandbox.ledger.spent).toBe(6)
  })

  it('does not refetch old pages when the caller sets staleTime', async () => {
    const { options, unsubscribe } = await threePages({ staleTime: 0 })
    await leaveAndReturn()
    unsubscribe()
    new InfiniteQueryObserver(queries, options).subscribe(() => {})
    await turn()
    expect(sandbox.ledger.spent).toBe(6)
  })

  it('has no next page after the last one', async () => {
    const options = infiniteSearchOptions(client, 'professionalnet.industries.list', { q: 'soft' })
    const observer = new InfiniteQueryObserver(queries, options)
    observer.subscribe(() => {})
    while (!observer.getCurrentResult().isSuccess) await turn()
    for (let page = 0; page < 20 && observer.getCurrentResult().hasNextPage; page++)
      await observer.fetchNextPage()
    expect(observer.getCurrentResult().hasNextPage).toBe(false)
  })

  it('has a different key than searchOptions()', () => {
    const one = searchOptions(client, 'microblog.search', coffee)
    const all = infiniteSearchOptions(client, 'microblog.search', coffee)
    expect(hashKey(one.queryKey)).not.toBe(hashKey(all.queryKey))
  })
})

describe('searchOptions()', () => {
  it('is charged once when the response is lost, also when a component mounts again', async () => {
    sandbox.inject({ reset: 'after' })
    const observer = new QueryObserver(queries, searchOptions(client, 'microblog.search', coffee))
    const unsubscribe = observer.subscribe(() => {})
    while (!observer.getCurrentResult().isError) await turn()
    expect(observer.getCurrentResult().error).toMatchObject({ name: 'ConnectionError', charged: 'unknown' })
    await leaveAndReturn()
    unsubscribe()
    new QueryObserver(queries, searchOptions(client, 'microblog.search', coffee)).subscribe(() => {})
    await leaveAndReturn()
    expect(sandbox.ledger.spent).toBe(2)
    await observer.refetch()
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('is the same query when params are in another order or undefined', async () => {
    const filters = { lang: 'en', removeReplies: true }
    const page = await queries.query(
      searchOptions(client, 'microblog.search', { query: 'coffee', count: 5, filters }),
    )
    const again = await queries.query(
      searchOptions(client, 'microblog.search', {
        category: undefined,
        filters: { removeReplies: true, lang: 'en' },
        count: 5,
        query: 'coffee',
      }),
    )
    expect(again).toBe(page)
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('fetches again when the caller sets staleTime', async () => {
    const options = { ...searchOptions(client, 'microblog.search', coffee), staleTime: 0 }
    await queries.query(options)
    await queries.query(options)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('sends nothing when the query is cancelled in the queue', async () => {
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const fetch = (request: Request) => answered.then(() => sandbox.fetch(request))
    const client = new SocialSearch({ ...sandbox.clientOptions(), fetch })
    const busy = [1, 2].map(() => client.microblog.search(coffee).then())
    const options = searchOptions(client, 'microblog.search', { query: 'tea' })
    const cancelled = queries.query(options)
    await queries.cancelQueries({ queryKey: options.queryKey })
    await expect(cancelled).rejects.toThrow('CancelledError')
    answer()
    await Promise.all(busy)
    await turn()
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('passes params, ids and options to any call', async () => {
    const url = 'https://professionalnet.example/company/quillfeather-software'
    const { company } = await queries.query(searchOptions(client, 'professionalnet.company.get', { url }))
    expect(company.id).toBeTruthy()
    const { mentions } = await queries.query(searchOptions(client, 'mentions.list', { count: 1 }))
    const [{ id }] = mentions as [{ id: string }]
    const mention = await queries.query(searchOptions(client, 'mentions.get', id))
    expect(mention.requestId).toBeTruthy()
    const budgeted = searchOptions(client, 'technews.search', coffee, { budget: { reserve: refuse } })
    await expect(queries.query(budgeted)).rejects.toThrow('no credits')
  })

  it('accepts a single resource', async () => {
    const only = { microblog: microblog(createTransport(sandbox.clientOptions())) }
    const { posts } = await queries.query(searchOptions(only, 'microblog.search', coffee))
    expect(posts).toHaveLength(20)
  })

  it('throws a ConfigurationError when it is given a resource in place of the client', () => {
    const wrong = client.microblog as unknown as typeof client
    expect(() => searchOptions(wrong, 'microblog.search', coffee)).toThrow(
      new ConfigurationError(
        'the client has no microblog.search(); pass a SocialSearch, or an object such as { microblog: microblog(transport) }',
      ),
    )
  })
})

function refuse(): never {
  throw new Error('no credits')
}

describe.each([
  ['searchOptions', searchOptions],
  ['infiniteSearchOptions', infiniteSearchOptions as unknown as typeof searchOptions],
] as const)('%s()', (_, make) => {
  const keyOf = (options: object) =>
    hashKey(make(client, 'technews.search', { query: 'tea' }, options).queryKey)

  it('has another key for each option on which the answer depends', () => {
    const options = [
      ...[{}, { validation: 'off' }, { validation: 'lenient' }],
      ...[{ extraParams: { sort: 'new' } }, { extraParams: { sort: 'old' } }, { extraParams: { id: 9n } }],
      ...[{ paging: { items: 'hits' } }, { paging: { items: (body: { a: [] }) => body.a } }],
      { paging: { items: (body: { b: [] }) => body.b } },
    ]
    expect(new Set(options.map(keyOf)).size).toBe(options.length)
  })

  it('has the same key for equal options, also if a component makes them anew', () => {
    const component = () => ({ extraParams: { a: 1, b: 2 }, paging: { items: (body: { a: [] }) => body.a } })
    expect(keyOf(component())).toBe(keyOf(component()))
    expect(keyOf({ extraParams: { a: 1, b: 2 } })).toBe(keyOf({ extraParams: { b: 2, a: 1 } }))
  })

  it('has the same key whatever options say of how the answer is fetched and paid for', () => {
    const { signal } = new AbortController()
    const options = [
      ...[
        { timeout: 1 },
        { deadline: 1 },
        { maxQueueWait: 1 },
        { retry: false },
        { priority: 1 },
        { signal },
      ],
      ...[{ headers: { 'x-signature': 's' } }, { limit: 1 }, { maxPages: 1 }, { validation: undefined }],
    ]
    expect(new Set([{}, ...options].map(keyOf)).size).toBe(1)
    expect(make(client, 'technews.search', { query: 'tea' }).queryKey.slice(0, 3)).toEqual([
      ...['social-search', 'technews.search'],
      { query: 'tea' },
    ])
  })
})
