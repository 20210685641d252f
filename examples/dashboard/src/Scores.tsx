import { type Numbers, type Result, changeOf, coveredFrom, sharesOf } from './measure.ts'
import { type Period, dayName, lengthOf } from './period.ts'

const count = new Intl.NumberFormat('en', { notation: 'compact' })
const percent = new Intl.NumberFormat('en', { style: 'percent' })
const names: Record<keyof Numbers, string> = {
  ...{ posts: 'Posts', authors: 'Authors', views: 'Views', engagement: 'Engagement' },
}

interface Props {
  results: Result[]
  period: Period
  isLoading: boolean
}

/** Says who leads, and each search in numbers. */
export function Scores({ results, period, isLoading }: Props) {
  const shares = sharesOf(results, period)
  return (
    <section className="stack" aria-label="Summary">
      <p className="headline" role="status">
        {isLoading ? 'Loading posts…' : headline(results, period)}
      </p>
      <div className="versus">
        {results.map((result, i) => {
          const { now, then } = changeOf(result, period)
          const isPartial = coveredFrom(result, period) > period.from
          const share = shares.total > 0 ? shares.counts[i]! / shares.total : null
          return (
            <article key={result.query} className="card stack">
              <h3>
                <span style={{ color: result.color }} aria-hidden="true">
                  ■
                </span>{' '}
                {result.query}
              </h3>
              <dl className="numbers">
                {(Object.keys(names) as (keyof Numbers)[]).map((name) => (
                  <div key={name}>
                    <dt className="quiet">{names[name]}</dt>
                    <dd className="figure">
                      {count.format(now[name])}
                      {isPartial && '+'}
                    </dd>
                    <dd className="quiet">{then && <Change now={now[name]} then={then[name]} />}</dd>
                  </div>
                ))}
                {results.length > 1 && (
                  <div>
                    <dt className="quiet">Share of voice</dt>
                    <dd className="figure">{share === null ? '–' : percent.format(share)}</dd>
                  </div>
                )}
              </dl>
              <p className="quiet">{coverage(result, period)}</p>
            </article>
          )
        })}
      </div>
    </section>
  )
}

function headline(results: Result[], period: Period): string {
  const { from, counts, total } = sharesOf(results, period)
  const days = from <= period.from ? `in ${lengthOf(period)} days` : `since ${dayName(from)}`
  const [a = 0, b = 0] = counts
  const [first, second] = results as [Result, Result?]
  if (!second) return `${a} ${a === 1 ? 'post' : 'posts'} about ${first.query} ${days}`
  if (total === 0) return 'Too few posts to compare'
  if (a === b) return `${first.query} and ${second.query} are level: ${a} posts each ${days}`
  const leader = a > b ? first.query : second.query
  return `${leader} leads with ${percent.format(Math.max(a, b) / total)} of ${total} posts ${days}`
}

/** What the numbers leave out. */
function coverage(result: Result, period: Period): string {
  const from = coveredFrom(result, period)
  const before = `the ${lengthOf(period)} days before`
  if (result.isComplete) return `All posts of the period, compared with ${before}.`
  const newest = `The newest ${result.posts.length} of more posts`
  if (from <= period.from) return `All posts of the period. Buy more to compare with ${before}.`
  return from === '9999' ? 'Nothing loaded.' : `${newest}, complete since ${dayName(from)}.`
}

function Change({ now, then }: { now: number; then: number }) {
  if (then === 0) return now === 0 ? '–' : 'new'
  const change = Math.round((100 * (now - then)) / then)
  if (change === 0) return 'no change'
  return (
    <>
      <span aria-hidden="true">{change > 0 ? '▲' : '▼'} </span>
      <span className="hidden">{change > 0 ? 'up' : 'down'} </span>
      {Math.abs(change)} %
    </>
  )
}
