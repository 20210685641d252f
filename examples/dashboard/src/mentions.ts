import { type InfiniteData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { searchOptions } from 'social-search-sdk/query'
import * as z from 'zod/mini'
import type { Address } from './address.ts'
import { client, queryClient } from './api.ts'

/** How many mentions are loaded at once, in five pages. */
export const batchSize = 500

/** The service documents no field of a mention but its id: these are the sandbox's, and any may be missing. */
const optional = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined)
const text = optional(z.string())
const mention = z.object({
  ...{ id: z.string(), text, author: text, network: text, listenerId: text },
  ...{ url: optional(z.httpUrl()), publishedAt: optional(z.iso.datetime({ offset: true })) },
  ...{ state: z.catch(z.string(), 'new'), fitScore: optional(z.number()) },
})
export type Mention = z.infer<typeof mention>
const listener = z.object({ id: z.string(), name: z.catch(z.string(), '–') })

export const isUnseen = ({ state }: Mention) => state === 'new'
/** Undefined is a mention without a time. */
export const timeOf = ({ publishedAt }: Mention) => Date.parse(publishedAt ?? '')

/** Mentions, newest first, and the params of those that follow; null if these are all. */
interface Batch {
  mentions: Mention[]
  next: object | null
}

const batches = {
  queryKey: ['mentions'],
  async queryFn({ pageParam, signal }: { pageParam: object; signal: AbortSignal }): Promise<Batch> {
    const batch: Batch = { mentions: [], next: null }
    const options = { schema: mention, validation: 'lenient', maxPages: batchSize / 100, signal } as const
    for await (const page of client.mentions.list(pageParam, options).pages()) {
      batch.mentions.push(...page.mentions)
      batch.next = page.next
    }
    return batch
  },
  initialPageParam: { count: 100 },
  getNextPageParam: ({ next }: Batch) => next,
}

const listenerList = {
  ...searchOptions(client, 'listeners.list', { count: 100 }),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    client.listeners
      .list({ count: 100 }, { schema: listener, validation: 'lenient', signal })
      .toArray({ limit: 100 }),
}
export const useListeners = () => useQuery<z.infer<typeof listener>[]>(listenerList).data ?? []

/** What is covered of all mentions that pass the filters. Every figure, chart and list of mentions counts by it. */
export interface Covered {
  /** Those that are loaded, newest first. */
  found: Mention[]
  /** How many there are, and how many are unseen; null if nobody knows. */
  total: number | null
  unseen: number | null
  /** The time since which all are loaded. */
  from: number
}

export function useCovered(filters: Address = {}) {
  const { data, error, refetch, hasNextPage, isFetching, isPaused, fetchNextPage } = useInfiniteQuery(batches)
  // New mentions may push old ones to the next batch, so that both have them.
  const loaded = new Map(data?.pages.flatMap(({ mentions }) => mentions.map((each) => [each.id, each])))
  const all = [...loaded.values()]
  const found = all.filter(passes(filters))
  const isCounted = hasNextPage && !filters['fit']
  const params = {
    ...(filters['network'] && { network: filters['network'] }),
    ...(filters['listener'] && { listenerId: filters['listener'] }),
  }
  const counted = [useCount(params, isCounted), useCount({ ...params, state: 'new' }, isCounted)]
  const here = [found.length, found.filter(isUnseen).length]
  // A count below what is here counts something else.
  const [total = null, unseen = null] = hasNextPage
    ? counted.map((count, i) => (count !== null && count >= here[i]! ? count : null))
    : here
  const oldest = Math.min(...all.map(timeOf).filter((time) => !Number.isNaN(time)))
  const covered: Covered = { found, total, unseen, from: hasNextPage ? oldest : -Infinity }
  const more = isFetching ? null : () => void fetchNextPage()
  return { covered: data && covered, all, more, error, isPaused, refetch }
}

/** The service counts for free what is not loaded. */
function useCount(params: object, enabled: boolean): number | null {
  const { data } = useQuery({ ...searchOptions(client, 'mentions.count', params), enabled })
  const count = enabled && data?.['count']
  return typeof count === 'number' ? count : null
}

/** A mention, and the state that it gets. */
export type Change = Pick<Mention, 'id' | 'state'>

/** Changes the states of mentions. They show at once; what fails goes back. */
export function useChanges() {
  return useMutation({
    mutationFn: (changes: Change[]) =>
      Promise.all(changes.map(({ id, state }) => client.mentions.setState(id, { state }))),
    onMutate: (changes) => {
      const before = queryClient.getQueryData<InfiniteData<Batch>>(batches.queryKey)
      apply(changes)
      return before?.pages.flatMap(({ mentions }) => mentions)
    },
    onError: (_error, changes, before) => {
      const ids = new Set(changes.map(({ id }) => id))
      apply(before?.filter(({ id }) => ids.has(id)) ?? [])
      // Some of several may have worked.
      void queryClient.invalidateQueries({ queryKey: batches.queryKey })
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['social-search', 'mentions.count'] }),
  })
}

function apply(changes: Change[]): void {
  const states = new Map(changes.map(({ id, state }) => [id, state]))
  const changed = (mention: Mention) => ({ ...mention, state: states.get(mention.id) ?? mention.state })
  queryClient.setQueryData<InfiniteData<Batch>>(
    batches.queryKey,
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((batch) => ({ ...batch, mentions: batch.mentions.map(changed) })),
      },
  )
}

/** Whether a mention passes the filters of the address, other than that by state. */
const passes =
  ({ network, listener, fit }: Address) =>
  (mention: Mention) =>
    (!network || mention.network === network) &&
    (!listener || mention.listenerId === listener) &&
    (!fit || (mention.fitScore ?? 0) >= Number(fit))
