import { InfiniteQueryObserver, skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { SocialSearch, Wait } from 'social-search-sdk'
import { boughtAt, client, isMiss, queryClient, stored } from './api.ts'
import { type Search, pagesOf } from './networks.ts'

/** The proxy's cache does not keep the answer, or no longer. */
class NotStored extends Error {}

/** How a search is going. */
interface Progress {
  wait?: Wait | null
}
const progressOf = (search: Search) => ['progress', search] as const
const queryOf = (search: Search) => pagesOf(stored, search)

type Page = Awaited<ReturnType<ReturnType<typeof queryOf>['queryFn']>>

const none: Search = { network: 'microblog', query: '', params: { query: '' } }

/** The posts of a search, beginning with those that the proxy keeps. It buys nothing: only `load(client, …)` does. */
export function usePosts(search = none) {
  const query = useInfiniteQuery({ ...queryOf(search), enabled: false })
  const { data, error: last, isFetching, isPaused } = query
  // That the proxy keeps no more is no failure.
  const error = last instanceof NotStored ? null : last
  const progress = useQuery<Progress>({ queryKey: progressOf(search), queryFn: skipToken })
  const isNew = !data && !last && !isFetching && search !== none
  useEffect(() => {
    if (isNew) void load(stored, search)
  }, [JSON.stringify(search)])

  // What the proxy keeps is read at once: the page is laid out for it from the start.
  const isLoading = isFetching || (isNew && progress.data === undefined)
  const here = postsOf(search)
  return {
    ...progress.data,
    ...here,
    search,
    error,
    /** Whether it has nothing, because nobody has bought it or somebody has canceled it. */
    isMissing: !here.isLoaded && !isLoading && !isPaused && !error,
    isFetching: isLoading,
    isPaused,
  }
}

/** The posts of a search that are here. */
export function postsOf(search: Search) {
  const pages = queryClient.getQueryData<{ pages: Page[] }>(queryOf(search).queryKey)?.pages ?? []
  // New posts may push old ones to the next page, so that both pages have them.
  const all = pages.flatMap(({ posts }) => posts)
  return {
    query: search.query,
    pages: pages.length,
    isLoaded: pages.length > 0,
    posts: [...new Map(all.map((post) => [post.id, post])).values()],
    /** How many posts have no readable date, which the service allows. Nothing counts them. */
    undated: pages.reduce((sum, { undated }) => sum + undated, 0),
    isComplete: pages.length > 0 && !pages.at(-1)!.next,
    /** When its oldest page was bought. */
    oldest: Math.min(...pages.map(({ requestId }) => boughtAt.get(requestId) ?? Date.now())),
  }
}

/** A search and its posts so far. */
export type Load = ReturnType<typeof usePosts>

/**
 * Loads pages until there are this many, or posts from before a time. With `client`, it buys those that the proxy does not
 * keep; with `stored`, it ends there. Views show each page as it arrives.
 */
export async function load(
  from: SocialSearch,
  search: Search,
  { pages = Infinity, since = -Infinity } = {},
): Promise<void> {
  const report = (progress: Progress) => queryClient.setQueryData<Progress>(progressOf(search), progress)
  const query = pagesOf(from, search, { observers: [{ onWait: (wait) => report({ wait }) }] })
  const observer = new InfiniteQueryObserver(queryClient, {
    ...query,
    queryFn: (context: Parameters<typeof query.queryFn>[0]) =>
      query
        .queryFn(context)
        .catch((error: unknown) => {
          throw from === stored && isMiss(error) ? new NotStored() : error
        })
        .finally(() => report({ wait: null })),
    enabled: false,
  })
  // While somebody listens, leaving the view cancels nothing.
  const stop = observer.subscribe(() => {})
  const loaded = () => observer.getCurrentResult().data?.pages ?? []
  const isEnough = () =>
    loaded().length >= pages || Date.parse(loaded().at(-1)?.posts.at(-1)?.timestamp ?? '') < since
  try {
    for (let before = -1; before < loaded().length && !isEnough();) {
      before = loaded().length
      const { hasNextPage } = await observer.fetchNextPage({ cancelRefetch: false })
      if (!hasNextPage) break
    }
  } finally {
    stop()
  }
}

/** What to buy. */
interface Purchase {
  search: Search
  /** Pages, at most. */
  pages: number
  /** The time that the posts have to reach back to. */
  since: number
  /** Continues with the page after those that are there. Otherwise it begins again; what the proxy keeps costs nothing. */
  continues: boolean
}

export function buy(purchases: Purchase[]): void {
  void cancel()
  for (const { search, pages, since, continues } of purchases) {
    const query = queryClient
      .getQueryCache()
      .find<{ pages: unknown[] }>({ queryKey: queryOf(search).queryKey })
    const before = continues ? (query?.state.data?.pages.length ?? 0) : 0
    queryClient.setQueryData<Progress>(progressOf(search), {})
    if (!continues) query?.reset()
    void load(client, search, { pages: before + pages, since })
  }
}

/** Cancels all searches. */
export const cancel = () =>
  queryClient.cancelQueries({ predicate: ({ queryKey }) => queryKey.at(-1) === 'pages' })
