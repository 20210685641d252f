import { go, useAddress } from './address.ts'
import { Coverage, type Stale } from './Coverage.tsx'
import { type Verdict, isolated, numbersIn, verdictOf } from './headline.ts'
import { NotStored, type usePosts } from './load.ts'
import {
  type Result,
  commonSpan,
  hasPostsSince,
  numbersOf,
  peakOf,
  spanOf,
  valuesOf,
  within,
} from './measure.ts'
import { type Search, networks } from './networks.ts'
import {
  type Period,
  before,
  bucketName,
  bucketOf,
  bucketsOf,
  dayName,
  dayOf,
  lengthOf,
  unitFor,
} from './period.ts'
import { Posts, sorts } from './Posts.tsx'
import { focusTitle } from './status.tsx'
import { Summary } from './Summary.tsx'
import { Trend } from './Trend.tsx'

interface Props {
  period: Period
  searches: Search[]
  loads: ReturnType<typeof usePosts>[]
  results: Result[]
  /** What the button of the form says; null if the budget is used up. */
  button: string | null
  /** Set while the form asks for something else. */
  stale: Stale | null
}

/** Who leads and why, in words, numbers and a chart, and the posts of one search or two. */
export function Results({ period, searches, loads, results, button, stale }: Props) {
  const address = useAddress()
  const unit = unitFor(period, address['by'])
  const { metrics } = networks[searches[0]!.network]
  const metric = metrics.find((name) => name === address['metric']) ?? 'posts'
  const loudness = metrics.includes('views') ? 'views' : 'engagement'
  const orders = sorts.filter(({ id }) => id !== 'views' || loudness === 'views')
  const sort = orders.find(({ id }) => id === address['sort']) ?? orders[0]!

  const loaded = results.filter(({ isLoaded }) => isLoaded)
  const isFirst = results.some(({ isLoaded }, i) => !isLoaded && loads[i]!.isFetching)
  const span = commonSpan(loaded, period)
  const isPartial = span.from > spanOf(period).from
  const buckets = bucketsOf(period, unit)
  const at = buckets.find((bucket) => bucket === address['at'])
  const bucket = at && bucketName(at, unit)
  const posts = results.map((result) =>
    isFirst ? [] : within(result, span).filter(({ timestamp }) => !at || bucketOf(timestamp, unit) === at),
  )
  const earlier = spanOf(before(period))
  const hasEarlier = !at && loaded.length > 0 && hasPostsSince(loaded, earlier.from)

  const values = valuesOf(isFirst ? [] : results, {
    span,
    buckets,
    unit,
    metric,
  })
  const peaks = results.map((_, i) => peakOf(values.map((row) => row[i] ?? null)))
  const choose = (bucket: string) => go({ at: bucket === at ? '' : bucket, by: unit })
  const { headline, why } = verdict()
  const isNothing = !isFirst && !at && posts.every((each) => each.length === 0)
  const hasSummary = isFirst || loaded.length > 0
  const isNotStored = loads.every(({ error }) => error instanceof NotStored)
  return (
    <div className={stale ? 'results stale stack' : 'results stack'} aria-busy={isFirst}>
      {hasSummary && (
        <section className="stack" aria-label="Summary">
          <div className="verdict">
            <div className="row">
              <p className="headline" role="status" tabIndex={-1}>
                {headline}
              </p>
              {bucket && (
                <button className="chip" onClick={(event) => (focusTitle(event), go({ at: '' }))}>
                  {bucket} <span aria-hidden="true">×</span>
                  <span className="hidden">Show all {unit}</span>
                </button>
              )}
            </div>
            <p>{why}</p>
            <Coverage
              {...{ period, searches, loads, results, span, stale, hasEarlier, isDay: at !== undefined }}
            />
          </div>
          {!isNothing && (
            <div className="answer">
              <Summary
                results={results}
                now={posts.map((each, i) => (!isFirst && results[i]!.isLoaded ? numbersOf(each) : null))}
                then={results.map((result) => (hasEarlier ? numbersOf(within(result, earlier)) : null))}
                metric={metric}
                metrics={metrics}
              />
              <Trend {...{ period, unit, metric, results, values, peaks }} selected={at} onSelect={choose} />
            </div>
          )}
        </section>
      )}
      {/* If nothing is stored, it takes the place of the summary, as a new section: so nothing moves. */}
      <section key={String(isNotStored)} className="stack" aria-labelledby="list-title">
        <div className={hasSummary ? 'order row' : 'hidden'}>
          <h3 id="list-title">{bucket ? `Posts of ${bucket}` : hasSummary ? 'Biggest moments' : 'Posts'}</h3>
          {posts.some((each) => each.length > 1) && (
            <select
              className="end quiet"
              aria-label="Order"
              value={sort.id}
              onChange={(event) => go({ sort: event.target.value }, { replace: true })}
            >
              {orders.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </div>
        <div className="versus">
          {searches.map((search, i) => (
            <Posts
              key={search.query}
              search={search}
              load={loads[i]!}
              index={i}
              isHeld={isFirst}
              button={button}
              shown={posts[i]!.toSorted(sort.compare)}
            />
          ))}
        </div>
      </section>
    </div>
  )

  function verdict(): Verdict {
    const missing = results.find(({ isLoaded }) => !isLoaded)
    if (isFirst) {
      const isWaiting = loads.some(({ isFetching, wait }) => isFetching && wait)
      return { headline: isWaiting ? 'Waiting for the service…' : 'Loading posts…', why: '' }
    }
    if (missing) return { headline: `No answer yet: ${isolated(missing.query)} is not loaded`, why: '' }
    if (span.from >= span.until) return { headline: 'These days are not loaded yet', why: '' }
    const sides = results.map(({ query }, i) => ({ query: isolated(query), posts: posts[i]! }))
    const when = isPartial ? `since ${dayName(dayOf(span.from))}` : `in ${lengthOf(period)} days`
    return bucket ? numbersIn(sides, bucket, loudness) : verdictOf(sides, when, isPartial, loudness)
  }
}
