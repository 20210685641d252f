import { useInfiniteQuery, useMutation, useQueries, useQuery } from '@tanstack/react-query'
import { infiniteSearchOptions, searchOptions } from 'social-search-sdk/query'
import * as z from 'zod/mini'
import { client, queryClient } from './api.ts'
import { type Row, peakOf } from './measure.ts'
import { type Day, addDays, bucketsOf, lastDays, partOf, startOf } from './period.ts'

/** The service documents no field of a mention but its id: these are the sandbox's, and any may be missing. */
const optional = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined)
const text = optional(z.string())
const mention = z.object({
  ...{ id: z.string(), text, author: text, network: text, listenerId: text, url: text, publishedAt: text },
  ...{ state: z.catch(z.string(), 'new'), fitScore: optional(z.number()) },
})
export type Mention = z.infer<typeof mention>
const listener = z.object({ id: z.string(), name: z.catch(z.string(), '–') })
type Listener = z.infer<typeof listener>

/** Undefined is a mention without a time. */
export const timeOf = ({ publishedAt }: Mention) => Date.parse(publishedAt ?? '')

/** Which mentions to list or count. The service documents no params of it: these are the sandbox's, too. */
export interface Filters {
  state?: string
  network?: string
  listenerId?: string
  since?: string
  until?: string
  minFitScore?: number
}
/** The first view and the chart show four weeks that end today. */
const period = () => lastDays(28)
const midnight = (day: Day) => new Date(startOf(day)).toISOString()
export const ofDay = (day: Day): Filters => ({ since: midnight(day), until: midnight(addDays(day, 1)) })

/** The ages that mentions are split by, as the address spells them: so many days, older ones, or all. */
export const ages = ['', '1', '7', '28', 'older']
export const isDay = (at: string) => !ages.includes(at)
export const nameOfAge = (at: string) => ({ '': 'Any age', 1: 'Today', older: 'Older' })[at] ?? `${at} days`

/** Filters of an age or a day. */
export function ofAge(at: string): Filters {
  if (at === '') return {}
  if (at === 'older') return { until: midnight(period().from) }
  return isDay(at) ? ofDay(at) : { since: midnight(lastDays(Number(at)).from) }
}

/** What a reload of the view asks for again: others may find and mark mentions meanwhile. */
const fresh = { refetchOnMount: true, staleTime: 10_000 } as const
const listKey = ['social-search', 'mentions.list']

/** Pages of mentions in the order of the service. A marked one stays where it is until they are loaded again. */
export function useMentions(filters: Filters & { sort?: string }) {
  const params = { count: 50, ...filters }
  const list = infiniteSearchOptions(client, 'mentions.list', params, { validation: 'lenient' })
  const { data, hasNextPage, fetchNextPage, ...status } = useInfiniteQuery({
    ...{ ...list, ...fresh },
    queryKey: list.queryKey as readonly unknown[],
    async queryFn(context: Parameters<typeof list.queryFn>[0]) {
      const { mentions = [], next } = await list.queryFn(context)
      return { mentions: mentions.map((each) => mention.safeParse(each).data), next }
    },
    getNextPageParam: ({ next }: { next: typeof list.initialPageParam | null }) => next,
  })
  // New mentions may push old ones to the next page, so that both have them.
  const all = data?.pages.flatMap(({ mentions }) => mentions.filter((each) => each !== undefined))
  const mentions = all && [...new Map(all.map((each) => [each.id, each])).values()]
  return { ...status, mentions, more: hasNextPage ? () => void fetchNextPage() : null }
}

const listenerList = {
  ...searchOptions(client, 'listeners.list', { count: 100 }),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    client.listeners
      .list({ count: 100 }, { schema: listener, validation: 'lenient', signal })
      .toArray({ limit: 100 }),
}
export const useListeners = () => useQuery<Listener[]>(listenerList).data ?? []

const countOf = (filters: Filters) => ({
  ...searchOptions(client, 'mentions.count', { ...filters }),
  ...fresh,
})
export const useCountError = () => useQuery(countOf({})).error

/** How many mentions pass each of some filters; null until the service has counted them, for free. */
export function useCounts(all: Filters[], enabled = true): (number | null)[] {
  const queries = all.map((filters) => ({ ...countOf(filters), enabled }))
  return useQueries({ queries }).map(({ data }) => {
    const count = data?.['count']
    return typeof count === 'number' ? count : null
  })
}

/** Up to so many are loaded, and counted here. */
const most = 500

/** Mentions of four weeks, by day and by each of some listeners: of what is loaded, or as the service counts them. */
export function useRecent(filters: Filters, listeners: Listener[] = []) {
  const days = bucketsOf(period(), 'days')
  const since = midnight(days[0]!)
  const [total = null] = useCounts([{ ...filters, since }])
  const isFew = total !== null && total <= most
  const { data } = useQuery({
    ...fresh,
    queryKey: ['dashboard', 'recent', { ...filters, since }],
    enabled: isFew,
    retry: false,
    queryFn: ({ signal }) =>
      client.mentions
        .list({ ...filters, since, count: 100 }, { schema: mention, validation: 'lenient', signal })
        .toArray({ limit: most }),
  })
  const of = (part: Filters): Filters => ({ ...filters, since, ...part })
  const today = ofDay(days.at(-1)!)
  const wanted = [
    ...days.toReversed().map((day) => of(ofDay(day))),
    ...listeners.flatMap(({ id }) => [of({ listenerId: id }), of({ ...today, listenerId: id })]),
  ]
  const counted = useCounts(wanted, total !== null && !isFew)
  const counts = data ? wanted.map((each) => data.filter(passes(each)).length) : counted
  const byDay = counts.slice(0, days.length).toReversed()
  /** A chart of some of the days would tell of fewer mentions than there are. */
  const isWhole = byDay.length === days.length && byDay.every(Number.isFinite)
  const rows: Row[] = days.map((bucket, i) => ({
    ...{ bucket, values: [isWhole ? byDay[i]! : null] },
    part: partOf(bucket, 'days', { from: -Infinity, until: Infinity }),
  }))
  const byListener = listeners.map((each, i) => ({
    ...each,
    count: counts[days.length + 2 * i] ?? null,
    ofToday: counts[days.length + 2 * i + 1] ?? null,
  }))
  return { total, rows, listeners: byListener }
}

/** The listener with most mentions of today, unless two have as many. */
export function leaderIn(listeners: ReturnType<typeof useRecent>['listeners']) {
  return listeners[peakOf(listeners.map(({ ofToday }) => ofToday))]
}

const passes =
  ({ since = '', until = '', minFitScore = 0, ...same }: Filters) =>
  (each: Mention) =>
    !((each.fitScore ?? 0) < minFitScore) &&
    !(timeOf(each) < Date.parse(since)) &&
    !(timeOf(each) >= Date.parse(until)) &&
    Object.entries(same).every(([name, value]) => each[name as keyof typeof same] === value)

/** A mention, its new state, and the one that it had. */
export interface Change {
  id: string
  state: string
  was: string
}

/** The first unseen mentions that pass filters. Once they are marked, they are others. */
export const firstUnseen = (filters: Filters) =>
  client.mentions
    .list({ ...filters, state: 'new', count: 20 }, { schema: mention, validation: 'lenient' })
    .toArray({ limit: 20 })

/** Changes the states of mentions. They show at once; what fails goes back. */
export function useChanges() {
  return useMutation({
    mutationFn: (changes: Change[]) =>
      Promise.all(changes.map(({ id, state }) => client.mentions.setState(id, { state }))),
    onMutate: apply,
    onError(_error, changes) {
      apply(changes.map(({ id, was }) => ({ id, state: was, was })))
      // Some of several may have worked.
      void queryClient.invalidateQueries({ queryKey: listKey })
    },
    onSettled: countAgain,
  })
}

/** Counts again what depends on states. */
function countAgain(): void {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [, id, params] }) =>
      (id === 'mentions.count' || id === 'recent') && (params as Filters).state !== undefined,
  })
}

function apply(changes: Change[]): void {
  const states = new Map(changes.map(({ id, state }) => [id, state]))
  const changed = (each?: Mention) => each && { ...each, state: states.get(each.id) ?? each.state }
  queryClient.setQueriesData<{ pages: { mentions: (Mention | undefined)[] }[] }>(
    { queryKey: listKey },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({ ...page, mentions: page.mentions.map(changed) })),
      },
  )
}
