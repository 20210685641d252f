import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts'
import { searchOptions } from 'social-search-sdk/query'
import * as z from 'zod'
import { client, queryClient } from './api.ts'
import { Failure } from './status.tsx'
import { dayName, dayOf, daysBetween } from './Summary.tsx'

const states = ['new', 'seen', 'done', 'ignored'] as const
/** The service does not document mentions: this is what the sandbox sends. */
const mention = z.object({
  ...{ id: z.string(), text: z.string(), author: z.string(), network: z.string() },
  ...{ url: z.httpUrl(), publishedAt: z.iso.datetime(), state: z.enum(states) },
})
type Mention = z.infer<typeof mention>
type Day = { day: string } & Record<Mention['state'], number>
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
  const total = perDay.reduce((sum, day) => sum + states.reduce((all, state) => all + day[state], 0), 0)
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
          <div aria-hidden="true">
            <BarChart
              responsive
              className="chart"
              data={perDay}
              accessibilityLayer={false}
              margin={{ top: 8, left: -28, right: 4 }}
            >
              <CartesianGrid vertical={false} stroke="var(--line)" />
              <XAxis dataKey="day" tickFormatter={dayName} interval={6} tickLine={false} axisLine={false} />
              <YAxis allowDecimals={false} tickLine={false} axisLine={false} />
              <Tooltip labelFormatter={dayName} cursor={{ fill: 'var(--line)' }} isAnimationActive={false} />
              {states.map((state) => (
                <Bar
                  key={state}
                  dataKey={state}
                  stackId="day"
                  onClick={({ payload }) => setDay((payload as Day).day)}
                  fill={`var(--${state})`}
                  maxBarSize={14}
                  isAnimationActive={false}
                />
              ))}
            </BarChart>
          </div>
          <details className="quiet">
            <summary>Show as a table</summary>
            <table>
              <thead>
                <tr>
                  <th>Day</th>
                  {states.map((state) => (
                    <th key={state}>{state}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {perDay.toReversed().map(({ day, ...counts }) => (
                  <tr key={day}>
                    <th scope="row">
                      <button onClick={() => setDay(day)}>{dayName(day)}</button>
                    </th>
                    {states.map((state) => (
                      <td key={state}>{counts[state]}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
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
  const none = { new: 0, seen: 0, done: 0, ignored: 0 }
  const all = daysBetween(newest - (days - 1) * 86_400_000, newest).map((day): Day => ({ day, ...none }))
  const found = new Map(all.map((each) => [each.day, each]))
  for (const { publishedAt, state } of mentions) {
    const day = found.get(dayOf(publishedAt))
    if (day) day[state]++
  }
  return all
}
