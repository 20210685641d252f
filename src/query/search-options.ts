import type { DataTag, InfiniteData } from '@tanstack/query-core'
import {
  type CallArguments,
  type CallId,
  type CallResult,
  type PagedCallId,
  type QueryClientOf,
  methodOf,
} from './calls.ts'

/** A query sends nothing by itself except its first fetch: every request may cost credits. */
const noRefetch = {
  retry: false,
  retryOnMount: false,
  refetchOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
  staleTime: Infinity,
} as const

type NoRefetch = { -readonly [Name in keyof typeof noRefetch]: (typeof noRefetch)[Name] }

/** Options of a query of TanStack Query 5. */
export interface SearchOptions<Data> extends NoRefetch {
  queryKey: DataTag<readonly unknown[], Data>
  queryFn: (context: { signal: AbortSignal }) => Promise<Data>
}

/** Options of an infinite query of TanStack Query 5. */
export interface InfiniteSearchOptions<Params, Page> extends NoRefetch {
  queryKey: DataTag<readonly unknown[], InfiniteData<Page, Params>>
  queryFn: (context: { signal: AbortSignal; pageParam: Params }) => Promise<Page>
  initialPageParam: Params
  /** The params of the next page, from `page.next`. */
  getNextPageParam: (page: Page) => Params | null
}

/**
 * Returns options for `useQuery` and a `QueryClient` of TanStack Query 5. The query is fetched once: no
 * retry, and no refetch on focus, mount or reconnect. Params in any order are the same query.
 *
 * @param id The call, by the id of its operation.
 * @param params Its params, or the id of a record.
 * @param options Options of the call, such as `budget`.
 * @throws {ConfigurationError} if the client has no such call.
 * @example
 * const { data } = useQuery(searchOptions(client, 'professionalnet.company.get', { url }))
 */
export function searchOptions<Id extends CallId>(
  client: QueryClientOf<Id>,
  id: Id,
  params: CallArguments<Id>['params'],
  options?: CallArguments<Id>['options'],
): SearchOptions<CallResult<Id>> {
  const fetch = fetchOf(client, id, options)
  return {
    ...noRefetch,
    queryKey: ['social-search', id, params] as never,
    queryFn: ({ signal }) => fetch(params, signal),
  }
}

/**
 * Returns options for `useInfiniteQuery` of TanStack Query 5. Each page is fetched once, when `fetchNextPage()` asks for it,
 * as with {@link searchOptions}.
 *
 * @param id The call, by the id of its operation.
 * @param params Its params; those of further pages come from `page.next`.
 * @param options Options of each call, such as `budget`.
 * @example
 * const { data, fetchNextPage } = useInfiniteQuery(infiniteSearchOptions(client, 'microblog.search', { query }))
 */
export function infiniteSearchOptions<Id extends PagedCallId>(
  client: QueryClientOf<Id>,
  id: Id,
  params: CallArguments<Id>['params'],
  options?: CallArguments<Id>['options'],
): InfiniteSearchOptions<CallArguments<Id>['params'], CallResult<Id>> {
  const fetch = fetchOf(client, id, options)
  return {
    ...noRefetch,
    // Infinite queries have a separate key, because they are stored in another shape than a single page.
    queryKey: ['social-search', id, params, 'pages'] as never,
    queryFn: ({ signal, pageParam }) => fetch(pageParam, signal),
    initialPageParam: params,
    getNextPageParam: (page) => page.next,
  }
}

/** The fetch of a call's result as a real promise: a call with pages is sent when it is awaited, and only then. */
function fetchOf<Id extends CallId>(client: object, id: Id, options: object | undefined) {
  const method = methodOf(client, id)
  return async (params: unknown, signal: AbortSignal): Promise<CallResult<Id>> =>
    (await method(params, { ...options, signal })) as CallResult<Id>
}
