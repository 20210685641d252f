import { QueryClient, QueryClientProvider, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { StrictMode, createElement } from 'react'
import { type Root, createRoot } from 'react-dom/client'
import type { ProfessionalnetCompanyGetBody, SocialSearch } from 'social-search-sdk'
import { searchOptions } from 'social-search-sdk/query'
import { searchOf } from './app.ts'

globalThis.start = (options) => {
  const search = searchOf(options)
  const client = new QueryClient()
  let root: Root | undefined
  let result: ReturnType<typeof useSearch> | undefined
  let error: Error | null = null
  const useSearch = () => useInfiniteQuery(search)
  const Posts = () => {
    result = useSearch()
    // Read here, since a component is rendered again only for what it reads.
    error = result.error
    return result.data?.pages.map(({ posts }) =>
      posts.map(({ id, body }) => createElement('p', { key: id }, body)),
    )
  }
  return {
    mount() {
      root = createRoot(document.body)
      root.render(
        createElement(StrictMode, null, createElement(QueryClientProvider, { client }, createElement(Posts))),
      )
    },
    unmount: () => root?.unmount(),
    next: async () => result?.fetchNextPage(),
    shown: () => error?.name ?? document.querySelectorAll('p').length,
  }
}

/** Compiled, not run: the data has the type of the call. */
export function useCompany(client: SocialSearch, url: string): ProfessionalnetCompanyGetBody | undefined {
  return useQuery(searchOptions(client, 'professionalnet.company.get', { url })).data
}
