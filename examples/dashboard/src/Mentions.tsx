import { useQuery } from '@tanstack/react-query'
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts'
import { searchOptions } from 'social-search-sdk/query'
import * as z from 'zod'
import { client } from './api.ts'
import { Failure } from './status.tsx'

/** The service does not document mentions: this is what the sandbox sends. */
const mention = z.object({ id: z.string(), publishedAt: z.iso.datetime(), state: z.string() })
const states = ['new', 'seen', 'done', 'ignored'] as const
const days = 28

type Day = { day: string } & Record<(typeof states)[number], number>

export function Mentions() {
  const { data, error, refetch } = useQuery({
    ...searchOptions(client, 'mentions.list', { limit: 100 }),
    queryFn: ({ signal }) =>
      client.mentions.list({ limit: 100 }, { schema: mention, signal }).toArray({ limit: 500 }),
    select: byDay,
  })
  const total = data?.reduce((sum, day) => sum + states.reduce((all, state) => all + day[state], 0), 0)
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
              data={data}
              accessibilityLayer={false}
              margin={{ top: 8, left: -28, right: 4 }}
            >
              <CartesianGrid vertical={false} stroke="var(--line)" />
              <XAxis dataKey="day" tickFormatter={short} interval={6} tickLine={false} axisLine={false} />
              <YAxis allowDecimals={false} tickLine={false} axisLine={false} />
              <Tooltip labelFormatter={short} cursor={{ fill: 'var(--line)' }} isAnimationActive={false} />
              {states.map((state) => (
                <Bar
                  key={state}
                  dataKey={state}
                  stackId="day"
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
                {data.toReversed().map(({ day, ...counts }) => (
                  <tr key={day}>
                    <th scope="row">{short(day)}</th>
                    {states.map((state) => (
                      <td key={state}>{counts[state]}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </section>
  )
}

/** Counts mentions by day and state, up to the day of the newest. */
function byDay(mentions: z.infer<typeof mention>[]): Day[] {
  const newest = Math.max(...mentions.map(({ publishedAt }) => Date.parse(publishedAt)))
  const found = new Map<string, Day>()
  for (let ago = days - 1; ago >= 0; ago--) {
    const day = new Date(newest - ago * 86_400_000).toISOString().slice(0, 10)
    found.set(day, { day, new: 0, seen: 0, done: 0, ignored: 0 })
  }
  for (const { publishedAt, state } of mentions) {
    const day = found.get(publishedAt.slice(0, 10))
    if (day && state in day) day[state as keyof Omit<Day, 'day'>] += 1
  }
  return [...found.values()]
}

const date = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const short = (day: unknown) => date.format(new Date(String(day)))
