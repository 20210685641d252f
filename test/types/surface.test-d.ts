import assert from 'node:assert/strict'
import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod/mini'
import {
  type ClientOptions,
  type ProfessionalnetCompanyGetBody,
  type ProfessionalnetIndustry,
  CreditBudget,
  type MicroblogPost,
  type MicroblogSearchPage,
  type MicroblogSearchParams,
  type OpenBody,
  type OpenRecord,
  type OperationId,
  type PagedCall,
  type PagedOptions,
  type ProfessionalnetPost,
  SocialSearch,
  createTransport,
  type Transport,
  microblog,
} from '../../src/index.ts'
import type { OAuthSession, TokenSet } from '../../src/extensions/oauth/index.ts'
import { type Fault, createSandbox } from '../support/sandbox.ts'
import type { SandboxServerOptions } from '../../src/extensions/sandbox/node.ts'

declare const client: SocialSearch
const params = { query: 'rust' }

describe('microblog.search()', () => {
  it('returns a page when awaited and posts when iterated', async () => {
    const call = client.microblog.search(params)
    expectTypeOf(call).toEqualTypeOf<PagedCall<MicroblogSearchPage, MicroblogPost>>()
    const page = await call
    expectTypeOf(page.posts).toEqualTypeOf<MicroblogPost[]>()
    expectTypeOf(page.meta.nextCursor).toEqualTypeOf<string | undefined>()
    expectTypeOf(page.next).toEqualTypeOf<MicroblogSearchParams | null>()
    for await (const post of call) expectTypeOf(post).toEqualTypeOf<MicroblogPost>()
    for await (const each of call.pages()) expectTypeOf(each).toEqualTypeOf<MicroblogSearchPage>()
    expectTypeOf(await call.toArray({ limit: 5 })).toEqualTypeOf<MicroblogPost[]>()
    expectTypeOf((await call.withResponse()).response).toEqualTypeOf<Response>()
    const limited = client.microblog.search(params, { limit: 9 })
    expectTypeOf(limited).toExtend<typeof call>()
    expectTypeOf(await limited.resume(null).toArray()).toEqualTypeOf<MicroblogPost[]>()
  })

  it('has the then() and catch() of a promise', () => {
    const call = client.microblog.search(params)
    // eslint-disable-next-line @typescript-eslint/use-unknown-in-catch-callback-variable -- what users write
    expectTypeOf(call.catch((error) => String(error.message))).resolves.toEqualTypeOf<
      MicroblogSearchPage | string
    >()
    // eslint-disable-next-line @typescript-eslint/use-unknown-in-catch-callback-variable -- what users write
    call.catch((error: Error) => error.message)
    // eslint-disable-next-line @typescript-eslint/use-unknown-in-catch-callback-variable -- what users write
    client.organization.context().then(undefined, (error: Error) => error.message)
    expectTypeOf(call).toExtend<Promise<MicroblogSearchPage>>()
    expectTypeOf(call).not.toExtend<Promise<MicroblogPost[]>>()
    expectTypeOf(client.professionalnet.company.get).returns.toExtend<
      Promise<ProfessionalnetCompanyGetBody>
    >()
    expectTypeOf(assert.rejects).toBeCallableWith(call)
  })

  it('infers the type of the records from a schema', async () => {
    const schema = z.pipe(
      z.object({ id: z.string() }),
      z.transform(({ id }) => id.length),
    )
    const call = client.microblog.search(params, { schema, limit: 3 })
    expectTypeOf((await call).posts).toEqualTypeOf<number[]>()
    for await (const item of call) expectTypeOf(item).toEqualTypeOf<number>()
  })

  it('gives quote() the params of its operation', () => {
    const quotes = (anyId: OperationId) => [
      client.quote('microblog.search', { query: 'a' }, { maxPages: 2 }),
      client.quote('mentions.get', 'men_1'),
      client.quote('technews.search', { any: 1 }),
      client.quote(anyId, { any: 1 }),
      // @ts-expect-error: it is `query`
      client.quote('microblog.search', { querry: 'a' }),
      // @ts-expect-error: it takes an id
      client.quote('mentions.get', { id: 'men_1' }),
    ]
    assert(quotes)
  })

  it('refuses params that the service does not accept', () => {
    // @ts-expect-error query is required
    client.microblog.search({})
    // @ts-expect-error a filter that does not exist
    client.microblog.search({ query: 'rust', filters: { near: 'here' } })
    // @ts-expect-error a budget is shared by reference, never a number
    client.microblog.search(params, { budget: 10 })
  })

  it('refuses options among params that are not documented', () => {
    const { signal } = new AbortController()
    // @ts-expect-error an option among the params
    client.mentions.list({ limit: 5 })
    // @ts-expect-error an option among the params
    client.professionalnet.person.posts({ url: 'x', signal })
    // @ts-expect-error an option among the params
    client.organization.usage({ signal })
    // Without pages, it is no option.
    client.mentions.count({ limit: 5 })
    client.request({ method: 'GET', path: '/mentions' }, { limit: 5 })
  })

  it('accepts any other params that are not documented', async () => {
    interface Mine {
      query: string
      page?: number
    }
    const mine: Mine = { query: 'rust' }
    const record: Record<string, unknown> = { query: 'rust' }
    const { next } = await client.technews.search(mine)
    client.technews.search(record)
    if (next !== null) client.technews.search(next)
  })

  it('does not hide a schema in options that are passed on', () => {
    // @ts-expect-error the type of the records would be wrong
    const options: PagedOptions = { schema: z.string() }
    client.microblog.search(params, options)
  })

  it('accepts undefined for optional fields', () => {
    client.microblog.search(
      { ...params, cursor: undefined, filters: { lang: undefined } },
      { signal: undefined },
    )
    type Times = Pick<TokenSet, 'refreshToken' | 'expiresAt'>
    expectTypeOf<{ refreshToken: undefined; expiresAt: undefined }>().toExtend<Times>()
    expectTypeOf<{ status: undefined; retryAfter: undefined }>().toExtend<Fault>()
    expectTypeOf<{ limits: { perMinute: undefined }; port: undefined }>().toExtend<SandboxServerOptions>()
  })
})

describe('the other calls', () => {
  it('have the documented types', async () => {
    const { company, posts, industries } = client.professionalnet
    const { employeeCountRange } = (await company.get({ url: 'u' })).company
    expectTypeOf(employeeCountRange).toEqualTypeOf<{ start: number; end: number | null } | null>()
    const { total } = (await posts.comments({ postUrl: 'u' })).meta
    expectTypeOf(total).toEqualTypeOf<number | undefined>()
    for await (const post of posts.search(params)) expectTypeOf(post).toEqualTypeOf<ProfessionalnetPost>()
    for await (const each of industries.list()) expectTypeOf(each).toEqualTypeOf<ProfessionalnetIndustry>()
  })

  it('are open if the service documents no shape, unless a schema closes them', async () => {
    const mention = await client.mentions.get('men_1')
    expectTypeOf(mention.requestId).toEqualTypeOf<string>()
    expectTypeOf(mention['anything']).toEqualTypeOf<unknown>()
    const schema = z.object({ id: z.string() })
    expectTypeOf(await client.mentions.get('men_1', { schema })).toEqualTypeOf<{ id: string }>()
    const list = client.mentions.list({}, { schema })
    expectTypeOf((await list).mentions).toEqualTypeOf<{ id: string }[]>()
    for await (const { mentions, next } of list.pages()) {
      expectTypeOf(mentions).toEqualTypeOf<{ id: string }[]>()
      list.resume({ next })
    }
    expectTypeOf((await client.listeners.list()).listeners).toEqualTypeOf<OpenRecord[]>()
    const named = client.technews.search({}, { schema, paging: { items: 'stories' } })
    expectTypeOf((await named).stories).toEqualTypeOf<{ id: string }[]>()
    expectTypeOf((await named)['posts']).toBeUnknown()
    for await (const each of client.mentions.list({}, { schema }))
      expectTypeOf(each).toEqualTypeOf<{ id: string }>()
    // @ts-expect-error the items that you expect mean nothing where the price does not depend on them
    client.technews.search({}, { expectedItems: 5 })
    client.professionalnet.posts.reactions({}, { expectedItems: 5 })
    // @ts-expect-error -- maxComments bounds them
    client.professionalnet.posts.comments({ postUrl: 'u' }, { expectedItems: 5 })
  })

  it('take a type alone if the service documents no shape', async () => {
    interface Mine {
      id: string
      note?: string
    }
    const { mentions, listeners, feeds, technews, organization, professionalnet } = client
    for (const list of [mentions.list<Mine>(), listeners.list<Mine>({}, { limit: 3 }), feeds.list<Mine>()])
      for await (const item of list) expectTypeOf(item).toEqualTypeOf<Mine>()
    expectTypeOf((await mentions.list<Mine>()).mentions).toEqualTypeOf<Mine[]>()
    const named = await technews.search<Mine, 'stories'>({}, { paging: { items: 'stories' } })
    expectTypeOf(named.stories).toEqualTypeOf<Mine[]>()
    expectTypeOf((await professionalnet.posts.reactions<Mine>()).reactions).toEqualTypeOf<Mine[]>()
    expectTypeOf((await professionalnet.person.posts<Mine>()).posts).toEqualTypeOf<Mine[]>()
    expectTypeOf((await professionalnet.person.comments<Mine>()).comments).toEqualTypeOf<Mine[]>()
    for (const { get } of [mentions, listeners, feeds])
      expectTypeOf(await get<Mine>('x', { timeout: 5 })).toEqualTypeOf<Mine>()
    expectTypeOf(await mentions.count<Mine>()).toEqualTypeOf<Mine>()
    expectTypeOf(await mentions.setState<Mine>('men_1', {})).toEqualTypeOf<Mine>()
    expectTypeOf(await organization.context<Mine>()).toEqualTypeOf<Mine>()
    expectTypeOf(await organization.usage<Mine>()).toEqualTypeOf<Mine>()
    // @ts-expect-error the records of this call are documented
    client.microblog.search<Mine>(params)
  })

  it('have the documented types where only the type of a method is used', () => {
    expectTypeOf<Awaited<ReturnType<typeof client.microblog.search>>>().toEqualTypeOf<MicroblogSearchPage>()
    expectTypeOf<Awaited<ReturnType<typeof client.mentions.get>>>().toEqualTypeOf<OpenBody>()
  })
})

describe('calls whose params and bodies are not documented', () => {
  interface StateChange {
    state: 'new' | 'done'
  }
  const change: StateChange = { state: 'done' }
  const schema = z.object({ id: z.string() })

  it('accept any fields, and your own interface, which checks them', () => {
    client.mentions.setState('men_1', change)
    client.mentions.setState('men_1', { anything: 1 })
    client.mentions.list(change, { limit: 5 })
    // @ts-expect-error a field that the interface does not have
    client.mentions.setState('men_1', { sate: 'done' } satisfies StateChange)
  })

  it('refuse values without named fields', () => {
    // @ts-expect-error its entries would be lost
    client.mentions.list(new URLSearchParams({ state: 'new' }))
    // @ts-expect-error a list has no fields
    client.mentions.setState('men_1', ['done'])
    // @ts-expect-error a text has no fields
    client.mentions.setState('men_1', 'done')
  })

  it('type the whole body by the output of a schema', async () => {
    expectTypeOf(await client.mentions.setState('men_1', change, { schema })).toEqualTypeOf<{ id: string }>()
    expectTypeOf(await client.mentions.count({}, { schema })).toEqualTypeOf<{ id: string }>()
    expectTypeOf(await client.organization.usage({}, { schema })).toEqualTypeOf<{ id: string }>()
    for (const { get } of [client.mentions, client.listeners, client.feeds])
      expectTypeOf((await get('x', { schema, timeout: 5 })).id).toEqualTypeOf<string>()
    // @ts-expect-error no such field in the output
    expectTypeOf((await client.mentions.get('men_1', { schema })).requestId).toBeAny()
    // @ts-expect-error an option that does not exist
    client.mentions.get('men_1', { schema, singal: undefined })
  })
})

describe('new SocialSearch()', () => {
  it('needs a base URL, and takes a key or a provider', () => {
    const baseUrl = 'https://api.example/v1'
    new SocialSearch({ baseUrl, apiKey: 'k' })
    new SocialSearch({ baseUrl, apiKey: async () => Promise.resolve('k') })
    new SocialSearch({ baseUrl, auth: { token: () => 'k', refresh: () => Promise.resolve() } })
    new SocialSearch({ baseUrl, budget: new CreditBudget(5), fetch: globalThis.fetch, logger: console })
    // @ts-expect-error what clients share cannot be changed for one of them
    client.withOptions({ apiKey: 'other' })
  })

  it('has the same methods as the factories', () => {
    const transport = createTransport({ baseUrl: 'https://api.example/v1', apiKey: 'k' })
    expectTypeOf(microblog(transport)).toEqualTypeOf(client.microblog)
    expectTypeOf<keyof Transport>().toEqualTypeOf<'credits' | 'status' | 'withOptions' | 'close'>()
  })

  it('accepts an OAuth session, and the fetch of a sandbox', () => {
    expectTypeOf<OAuthSession>().toExtend<NonNullable<ClientOptions['auth']>>()
    expectTypeOf(createSandbox().fetch).toExtend<NonNullable<ClientOptions['fetch']>>()
  })
})
