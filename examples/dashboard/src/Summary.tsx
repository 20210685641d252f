import type { MicroblogPost } from 'social-search-sdk'
import { fieldsOf, streamOf, toCsv } from 'social-search-sdk/export'
import { DayChart, dayOf, daysBetween } from './DayChart.tsx'

/** What the posts that were bought so far say: when, and by whom. */
export function Summary({ bought }: { bought: [query: string, posts: MicroblogPost[]][] }) {
  const times = bought.flatMap(([, posts]) => posts.map(({ timestamp }) => Date.parse(timestamp)))
  if (times.length === 0) return null
  const perDay = bought.map(([, posts]) => countsOf(posts.map(({ timestamp }) => dayOf(timestamp))))
  const days = daysBetween(Math.min(...times), Math.max(...times))
  const color = (i: number) => (i === 0 ? 'var(--accent)' : 'var(--second)')
  return (
    <section className="summary card stack" aria-label="Summary">
      <p className="quiet">Posts by day and by author, of those bought so far</p>
      <DayChart
        days={days.map((day) => ({ day, counts: perDay.map((counts) => counts.get(day) ?? 0) }))}
        series={bought.map(([name], i) => ({ name, color: color(i) }))}
      >
        <div className="versus">
          {bought.map(([query, posts], i) => {
            const authors = [...countsOf(posts.map(({ author }) => author))].sort(([, a], [, b]) => b - a)
            return (
              <div key={query} className="stack">
                <div className="row">
                  <h3>
                    <span style={{ color: color(i) }} aria-hidden="true">
                      ■
                    </span>{' '}
                    {query}
                  </h3>
                  <button className="end" onClick={() => void download(posts, query)}>
                    CSV
                  </button>
                </div>
                <ul className="authors quiet" aria-label={`Authors about ${query}`}>
                  {authors.slice(0, 5).map(([author, count]) => (
                    <li key={author} className="row">
                      <span>@{author}</span>
                      <span className="meter" aria-hidden="true">
                        <i style={{ width: `${(100 * count) / authors[0]![1]}%`, background: color(i) }} />
                      </span>
                      <span>{count}</span>
                    </li>
                  ))}
                </ul>
              </div>
            )
          })}
        </div>
      </DayChart>
    </section>
  )
}

function countsOf(values: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

async function download(posts: MicroblogPost[], name: string): Promise<void> {
  const each = async function* () {
    yield* posts
  }
  const csv = streamOf(each()).pipeThrough(toCsv({ fields: fieldsOf('microblog.search') }))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await new Response(csv).blob())
  link.download = `${name}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}
