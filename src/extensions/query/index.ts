import type { DataTag, InfiniteData } from '@tanstack/query-core'
import type { OperationId } from '../../api/operations.ts'
import type { OpenListOptions, SocialSearch } from '../../index.ts'
import { ConfigurationError } from '../../errors/index.ts'

/** Id of a call that reads, such as `microblog.search`. */
export type CallId = Exclude<OperationId, 'mentions.setState' | 'openapi'>

/** Id of a call that may have more pages. */
export type PagedCallId = {
  [Id in CallId]: ReturnType<MethodOf<Id>> extends { pages: unknown } ? Id : never
}[CallId]

/** A client, or an object with the resource of the call: `{ microblog: microblog(transport) }`. */
export type QueryClientOf<Id extends CallId> = Id extends `${infer Resource}.${string}`
  ? Pick<SocialSearch, Resource & keyof SocialSearch>
  : never

/** Params or id of a call, and its options except `signal` and `schema`. */
export type CallArguments<Id extends CallId> =
  MethodOf<Id> extends (params: infer Params, options: infer Options) => unknown
    ? { params: Exclude<Params, undefined>; options: Omit<Exclude<Options, undefined>, 'signal' | 'schema'> }
    : never

/** The result of a call. */
export type CallResult<Id extends CallId> = Awaited<ReturnType<MethodOf<Id>>>

type MethodOf<Id extends CallId> = Extract<At<SocialSearch, Id>, (...args: never) => unknown>

type At<T, Path extends string> = Path extends `${infer Name}.${infer Rest}`
  ? Name extends keyof T
    ? At<T[Name], Rest>
    : never
  : Path extends keyof T
    ? T[Path]
    : never

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
 * Options for `useQuery` of TanStack Query 5 that pay once: no retry, and no refetch on focus, mount or reconnect.
 *
 * @param id Id of the call, such as `microblog.search`.
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
    queryKey: ['social-search', id, params, ...keyOfOptions(options)] as never,
    queryFn: ({ signal }) => fetch(params, signal),
  }
}

/**
 * Options for `useInfiniteQuery` of TanStack Query 5 that pay once for each page, when `fetchNextPage()` asks for it.
 *
 * @param id Id of the call, such as `microblog.search`.
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
    queryKey: ['social-search', id, params, 'pages', ...keyOfOptions(options)] as never,
    queryFn: ({ signal, pageParam }) => fetch(pageParam, signal),
    initialPageParam: params,
    getNextPageParam: (page) => page.next,
  }
}

/** The options of a query's call that its answer depends on. The others say how it is fetched and paid for. */
const shaping: readonly string[] = ['extraParams', 'paging', 'validation'] satisfies (keyof OpenListOptions)[]

/** What a key has of the options, if the answer depends on any. A function stands for its text: a component makes it anew each time. */
function keyOfOptions(options: object | undefined): unknown[] {
  const given = Object.entries(options ?? {}).filter(
    ([name, value]) => value !== undefined && shaping.includes(name),
  )
  if (given.length === 0) return []
  const write = (_: string, value: unknown): unknown =>
    ['function', 'bigint'].includes(typeof value) ? String(value) : value
  return [JSON.parse(JSON.stringify(Object.fromEntries(given), write))]
}

/**
 * The fetch of a call's result as a real promise: a call with pages is sent when it is awaited, and only then.
 *
 * @throws {ConfigurationError} if the client has no such method.
 */
function fetchOf<Id extends CallId>(client: object, id: Id, options: object | undefined) {
  let method: unknown = client
  for (const name of id.split('.')) method = (method as Record<string, unknown> | null | undefined)?.[name]
  if (typeof method !== 'function') {
    const [resource = id] = id.split('.')
    throw new ConfigurationError(
      `the client has no ${id}(); pass a SocialSearch, or an object such as { ${resource}: ${resource}(transport) }`,
    )
  }
  const call = method as (...args: unknown[]) => PromiseLike<unknown>
  return async (params: unknown, signal: AbortSignal): Promise<CallResult<Id>> =>
    (await call(params, { ...options, signal })) as CallResult<Id>
}
