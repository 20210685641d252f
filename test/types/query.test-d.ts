import { type InfiniteData, QueryClient } from '@tanstack/query-core'
import { describe, expectTypeOf, it } from 'vitest'
import type {
  ProfessionalnetCompanyGetBody,
  MicroblogSearchPage,
  MicroblogSearchParams,
  SocialSearch,
} from '../../src/index.ts'
import { infiniteSearchOptions, searchOptions } from '../../src/extensions/query/index.ts'

declare const client: SocialSearch
const queries = new QueryClient()

describe('searchOptions()', () => {
  it('has the type of the body of its call', () => {
    const options = searchOptions(client, 'professionalnet.company.get', { url: 'x' })
    expectTypeOf(queries.query(options)).resolves.toEqualTypeOf<ProfessionalnetCompanyGetBody>()
    const stored = queries.getQueryData(options.queryKey)
    expectTypeOf(stored).toEqualTypeOf<ProfessionalnetCompanyGetBody | undefined>()
  })

  it('accepts the params of its call, ids of calls that read, and a client with the call', () => {
    searchOptions(client, 'mentions.get', 'men_1', { timeout: 1000 })
    // @ts-expect-error the query is missing
    searchOptions(client, 'microblog.search', {})
    // @ts-expect-error changes a mention
    searchOptions(client, 'mentions.setState', 'men_1')
    // @ts-expect-error has no such resource
    searchOptions({ technews: client.technews }, 'microblog.search', { query: 'x' })
    // @ts-expect-error the query library gives the signal
    searchOptions(client, 'mentions.get', 'men_1', { signal: AbortSignal.timeout(1) })
  })
})

describe('infiniteSearchOptions()', () => {
  it('has pages with the params that lead to them', () => {
    const options = infiniteSearchOptions(client, 'microblog.search', { query: 'x' })
    type Pages = InfiniteData<MicroblogSearchPage, MicroblogSearchParams>
    expectTypeOf(queries.infiniteQuery(options)).resolves.toEqualTypeOf<Pages>()
    expectTypeOf(queries.getQueryData(options.queryKey)).toEqualTypeOf<Pages | undefined>()
  })

  it('accepts only calls with pages', () => {
    infiniteSearchOptions(client, 'mentions.list', {}, { paging: { items: 'mentions' } })
    // @ts-expect-error has one answer
    infiniteSearchOptions(client, 'professionalnet.posts.comments', { postUrl: 'x' })
  })
})
