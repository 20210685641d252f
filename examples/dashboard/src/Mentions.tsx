import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { searchOptions } from 'social-search-sdk/query'
import * as z from 'zod'
import { client, queryClient } from './api.ts'
import { type Day, DayChart, dayName, dayOf, daysBetween } from './DayChart.tsx'
import { Failure } from './status.tsx'

const states = ['new', 'seen', 'done', 'ignored'] as const
/** The service does not document mentions: this is what the sandbox sends. */
const mention = z.object({
  ...{ id: z.string(), text: z.string(), author: z.string(), network: z.string() },
  ...{ url: z.httpUrl(), publishedAt: z.iso.datetime(), state: z.enum(states) },
})
type Mention = z.infer<typeof mention>
const days = 28

const list = {
  ...searchOptions(client, 'mentions.list', { limit: 100 }),
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Mention[]> =>
    client.mentions.list({ limit: 100 }, { schema: mention, signal }).toArray({ limit: 500 }),
}

export function Mentions() {
  const { data, error, refetch } = useQuery<Mention[]>(list)
  const [day, setDay] = useState<string | null>(null)
  const perDay = byDay(data ?? [])
  const total = perDay.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0)
  const shown = data?.filter((each) => (day ? dayOf(each.publishedAt) === day : each.state === 'new')) ?? []
  return (
    <section className="mentions card stack" aria-labelledby="mentions-title">
      <h2 id="mentions-title">Mentions</h2>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <div className="ghost" role="status" aria-label="Loading mentions" />}
      {data && (
        <>
          <p className="quiet">
            <span className="figure">{total}</span> in the last {days} days
          </p>
          <ul className="row quiet">
            {states.map((state) => (
              <li key={state}>
                <span style={{ color: `var(--${state})` }} aria-hidden="true">
                  ■
                </span>{' '}
                {state}
              </li>
            ))}
          </ul>
          <DayChart
            days={perDay}
            series={states.map((name) => ({ name, color: `var(--${name})` }))}
            isStacked
            interval={6}
            onDay={setDay}
          />
          <div className="row">
            <h3>{day ? dayName(day) : 'Newest unseen'}</h3>
            {day && (
              <button className="end" onClick={() => setDay(null)}>
                Show new ones
              </button>
            )}
          </div>
          <ul className="stack">
            {shown.slice(0, day ? undefined : 3).map((mention) => (
              <Item key={mention.id} mention={mention} />
            ))}
            {shown.length === 0 && <li className="quiet">No mentions.</li>}
          </ul>
        </>
      )}
    </section>
  )
}

function Item({ mention: { id, text, author, network, url, publishedAt, state } }: { mention: Mention }) {
  const change = useMutation({
    mutationFn: (state: Mention['state']) => client.mentions.setState(id, { state }),
    onSuccess: (_answer, state) =>
      queryClient.setQueryData<Mention[]>(list.queryKey, (all) =>
        all?.map((each) => (each.id === id ? { ...each, state } : each)),
      ),
  })
  return (
    <li className="mention stack">
      <p dir="auto">{text}</p>
      <div className="row quiet">
        <a href={url} target="_blank" rel="noreferrer">
          @{author}, {network}, {dayName(publishedAt)}
        </a>
        <span className="end row">
          {(['seen', 'done'] as const).map((next) => (
            <button
              key={next}
              aria-pressed={state === next}
              disabled={change.isPending}
              onClick={() => change.mutate(state === next ? 'new' : next)}
            >
              {next === 'seen' ? 'Seen' : 'Done'}
            </button>
          ))}
        </span>
      </div>
      {change.error && <Failure error={change.error} onRetry={() => change.mutate(change.variables)} />}
    </li>
  )
}

/** Counts mentions by day and state, up to the day of the newest. */
function byDay(mentions: Mention[]): Day[] {
  const newest = Math.max(0, ...mentions.map(({ publishedAt }) => Date.parse(publishedAt)))
  return daysBetween(newest - (days - 1) * 86_400_000, newest).map((day) => {
    const found = mentions.filter(({ publishedAt }) => dayOf(publishedAt) === day)
    return { day, counts: states.map((state) => found.filter((each) => each.state === state).length) }
  })
}
