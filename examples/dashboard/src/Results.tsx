import { go, goToSearch, useAddress } from './address.ts'
import { Chart } from './Chart.tsx'
import { Choice, Select } from './controls.tsx'
import { Coverage } from './Coverage.tsx'
import { type Verdict, isolated, numbersIn, verdictOf } from './headline.ts'
import { type Load, NotStored } from './load.ts'
import { commonSpan, hasPostsSince, numbersOf, spanOf, valuesOf, within } from './measure.ts'
import { networks } from './networks.ts'
import {
  type Period,
  before,
  bucketName,
  bucketOf,
  bucketsOf,
  dayMs,
  dayName,
  dayOf,
  lengthOf,
  unitFor,
  unitsFor,
} from './period.ts'
import { Posts, sorts } from './Posts.tsx'
import { focusTitle } from './status.tsx'
import { Summary, names } from './Summary.tsx'

interface Props {
  period: Period
  loads: Load[]
  /** Whether the form asks for something else. */
  isStale: boolean
}

/** Who leads and why, in words, numbers and a chart, and the posts of one search or two. */
export function Results({ period, loads, isStale }: Props) {
  const address = useAddress()
  const { network } = loads[0]!.search
  const { metrics, name } = networks[network]
  const metric = metrics.find((name) => name === address['metric']) ?? 'posts'
  const loudness = metrics.includes('views') ? 'views' : 'engagement'
  const orders = sorts.filter(({ id }) => id !== 'views' || loudness === 'views')
  const sort = orders.find(({ id }) => id === address['sort']) ?? orders[0]!

  const loaded = loads.filter(({ isLoaded }) => isLoaded)
  const isFirst = loads.some(({ isLoaded, isFetching }) => !isLoaded && isFetching)
  const span = commonSpan(loaded, period)
  const isPartial = span.from > spanOf(period).from
  const most = isFirst ? NaN : Math.max(...loads.map((load) => within(load, span).length))
  const unit = unitFor(period, address['by'], (most * dayMs) / (span.until - span.from))
  const buckets = bucketsOf(period, unit)
  const at = buckets.find((bucket) => bucket === address['at'])
  const bucket = at && bucketName(at, unit)
  const posts = loads.map((load) =>
    isFirst ? [] : within(load, span).filter(({ timestamp }) => !at || bucketOf(timestamp, unit) === at),
  )
  const earlier = spanOf(before(period))
  const hasEarlier = !at && loaded.length > 0 && hasPostsSince(loaded, earlier.from)

  const values = valuesOf(isFirst ? [] : loads, { span, buckets, unit, metric })
  const rows = buckets.map((bucket, i) => ({ bucket, values: values[i] ?? [] }))
  const { headline, why } = verdict()
  const isNothing = !isFirst && !at && posts.every((each) => each.length === 0)
  const isEmpty = isNothing && span.from < span.until && loads.every(({ isLoaded }) => isLoaded)
  const hasSummary = isFirst || loaded.length > 0
  const isNotStored = loads.every(({ error }) => error instanceof NotStored)
  const isOver = loads.every(({ error, isFetching }) => !error && !isFetching)
  return (
    <div className={isStale ? 'results stale stack' : 'results stack'} aria-busy={isFirst}>
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
            {isEmpty ? (
              <p className="row">
                Try fewer or other words, any language, or more days.
                <button onClick={goToSearch}>Change the words</button>
              </p>
            ) : (
              <p>{why}</p>
            )}
            <Coverage {...{ period, loads, span, hasEarlier, isDay: at !== undefined }} />
          </div>
          {!isNothing && (
            <div className="answer">
              <Summary
                results={loads}
                now={posts.map((each, i) => (!isFirst && loads[i]!.isLoaded ? numbersOf(each) : null))}
                then={loads.map((load) => (hasEarlier ? numbersOf(within(load, earlier)) : null))}
                metric={metric}
                metrics={metrics}
              />
              <section className="card stack" aria-labelledby="chart-title">
                <div className="row">
                  <h3 id="chart-title">
                    {names[metric]} by {unit.slice(0, -1)}
                  </h3>
                  <Choice
                    {...{ label: 'Bars', className: 'end', options: unitsFor(period), value: unit }}
                    onChange={(by) => go({ by, at: '' }, { replace: true })}
                  />
                </div>
                <Chart
                  {...{ rows, unit, selected: at }}
                  series={loads.map(({ query }) => query)}
                  onSelect={(bucket) => go({ at: bucket === at ? '' : bucket, by: unit })}
                />
              </section>
            </div>
          )}
        </section>
      )}
      {/* If nothing is stored, it takes the place of the summary, as a new section: so nothing moves. */}
      {!(isEmpty && isOver) && (
        <section key={String(isNotStored)} className="stack" aria-labelledby="list-title">
          <div className={hasSummary ? 'order row quiet' : 'hidden'}>
            <h3 id="list-title">
              {bucket ? `Posts of ${bucket}` : hasSummary ? 'Biggest moments' : 'Posts'}
            </h3>
            {posts.some((each) => each.length > 1) && (
              <Select
                {...{ label: 'Order', value: sort.id, options: orders.map(({ id, name }) => [id, name]) }}
                onChange={(sort) => go({ sort }, { replace: true })}
              />
            )}
          </div>
          <div className="versus">
            {loads.map((load, i) => (
              <Posts
                key={load.query}
                {...{ load, index: i, isHeld: isFirst }}
                shown={posts[i]!.toSorted(sort.compare)}
              />
            ))}
          </div>
        </section>
      )}
    </div>
  )

  function verdict(): Verdict {
    const missing = loads.find(({ isLoaded }) => !isLoaded)
    if (isFirst) {
      const isWaiting = loads.some(({ isFetching, wait }) => isFetching && wait)
      return { headline: isWaiting ? 'Waiting for the service…' : 'Loading posts…', why: '' }
    }
    if (missing) return { headline: `No answer yet: ${isolated(missing.query)} is not loaded`, why: '' }
    if (span.from >= span.until) return { headline: 'These days are not loaded yet', why: '' }
    const sides = loads.map(({ query }, i) => ({ query: isolated(query), posts: posts[i]! }))
    const when = isPartial ? `since ${dayName(dayOf(span.from))}` : `in ${lengthOf(period)} days`
    const said = bucket ? numbersIn(sides, bucket, loudness) : verdictOf(sides, when, isPartial, loudness)
    const headline = `${said.headline} on the ${name.toLowerCase()}`
    return network === 'microblog' ? said : { ...said, headline }
  }
}
