import type { ReactNode } from 'react'
import { go, goToSearch, useAddress } from './address.ts'
import { Chart } from './Chart.tsx'
import { Choice, Select } from './controls.tsx'
import { useOffer } from './Credits.tsx'
import { fewPosts, figure, isolated, plural, verdictOf } from './headline.ts'
import { type Load, buy, cancel } from './load.ts'
import {
  type Metric,
  type Numbers,
  coveredBy,
  earlierOf,
  hasPostsSince,
  leadOf,
  leaderOf,
  numbersOf,
  reaches,
  rowsOf,
  within,
} from './measure.ts'
import { type Network, networks } from './networks.ts'
import {
  type Period,
  type Span,
  bucketName,
  bucketOf,
  bucketsOf,
  dayMs,
  lengthOf,
  spanOf,
  timeName,
  unitFor,
  unitsFor,
} from './period.ts'
import { Posts, sorts } from './Posts.tsx'
import { Failure, Notice, Swatch, Waiting, focusTitle } from './status.tsx'

const names = { posts: 'Posts', views: 'Views', engagement: 'Engagement', authors: 'Authors' }
const engagement: Record<Network, string> = {
  microblog: 'likes, reposts, quotes and replies',
  professionalnet: 'likes, shares and comments',
}

interface Props {
  /** What is shown, in words. */
  name: string
  period: Period
  loads: Load[]
  /** Whether the form asks for something else. */
  isStale: boolean
  /** A button that submits the form, unless the budget is used up. */
  action: (text: string) => ReactNode
  /** What the form may pay for; null if that is here. */
  price: string | null
  /** Earlier searches that open for free. */
  children: ReactNode
}

/** Who leads and why, in words, numbers and a chart, and the posts of one search or two. Before there are any, what is the matter. */
export function Results({ name, period, loads, isStale, action, price, children }: Props) {
  const address = useAddress()
  const { network } = loads[0]!.search
  const { metrics } = networks[network]
  const metric = metrics.find((name) => name === address['metric']) ?? 'posts'
  const loudness = metrics.includes('views') ? 'views' : 'engagement'
  const orders = sorts.filter(({ id }) => id !== 'views' || loudness === 'views')
  const sort = orders.find(({ id }) => id === address['sort']) ?? orders[0]!

  const loaded = loads.filter(({ isLoaded }) => isLoaded)
  const isFirst = loads.some(({ isLoaded, isFetching }) => !isLoaded && isFetching)
  const isPaused = loads.some(({ isPaused }) => isPaused)
  const isWhole = !isFirst && loaded.length === loads.length
  const covered = coveredBy(loaded, period)
  const isPartial = covered.from > spanOf(period).from
  const isCovered = covered.from < covered.until
  const counted = loads.map((load) => within(load, covered))
  const most = Math.max(...counted.map(({ length }) => length))
  const hasPosts = !isFirst && isCovered && most > 0
  const isEmpty = isWhole && isCovered && most === 0
  const unit = unitFor(period, address['by'], (most * dayMs) / (covered.until - covered.from))
  const buckets = bucketsOf(period, unit)
  const at = buckets.find((bucket) => bucket === address['at'])
  const posts = counted.map((all) =>
    at ? all.filter(({ timestamp }) => bucketOf(timestamp, unit) === at) : all,
  )
  const earlier = earlierOf(period)
  const hasEarlier = loaded.length > 0 && hasPostsSince(loaded, earlier.from)
  const isGrowing = loads.some(({ isFetching }) => isFetching)
  const failed = loads.filter(({ error, isFetching }) => error && !isFetching)
  return (
    <div className={isStale ? 'results stale stack' : 'results stack'} aria-busy={isFirst}>
      <section className="stack" aria-label="Summary">
        <div className="verdict">{verdict()}</div>
        {isFirst && !isPaused && <div className="card ghost" aria-hidden="true" />}
        {hasPosts && (
          <div className={loads.length > 1 ? 'answer stack pair' : 'answer stack'}>
            <Summary
              {...{ loads, period }}
              now={counted.map((all, i) => (loads[i]!.isLoaded ? numbersOf(all) : null))}
              then={loads.map((load) => (hasEarlier ? numbersOf(within(load, earlier)) : null))}
            />
            <section className="card stack" aria-labelledby="chart-title">
              <div className="row quiet">
                <h3 id="chart-title" className="hidden">
                  {names[metric]} by {unit.slice(0, -1)}
                </h3>
                <Select
                  {...{ label: 'Number', value: metric, options: metrics.map((id) => [id, names[id]]) }}
                  onChange={(metric) => go({ metric }, { replace: true })}
                />
                by
                <Choice
                  {...{ label: 'Bars', options: unitsFor(period), value: unit }}
                  onChange={(by) => go({ by, at: '' }, { replace: true })}
                />
              </div>
              <Chart
                {...{ unit, selected: at, series: loads.map(({ query }) => query) }}
                rows={rowsOf(loads, { covered, buckets, unit, metric, isGrowing })}
                onSelect={(bucket) => go({ at: bucket === at ? '' : bucket, by: unit })}
              />
            </section>
          </div>
        )}
      </section>
      {hasPosts && (
        <section className="stack" aria-labelledby="list-title">
          <div className="order row quiet">
            <h3 id="list-title" tabIndex={-1}>
              {at ? `Posts of ${bucketName(at, unit)}` : 'Posts'}
            </h3>
            {at && (
              <button className="primary" onClick={(event) => (focusTitle(event), go({ at: '' }))}>
                Show all {unit} <span aria-hidden="true">×</span>
              </button>
            )}
            {posts.some((each) => each.length > 1) && (
              <Select
                {...{ label: 'Order', value: sort.id, options: orders.map(({ id, name }) => [id, name]) }}
                onChange={(sort) => go({ sort }, { replace: true })}
              />
            )}
          </div>
          <div className="versus">
            {loads.map((load, i) => (
              <Posts key={load.query} {...{ load, index: i }} shown={posts[i]!.toSorted(sort.compare)} />
            ))}
          </div>
        </section>
      )}
    </div>
  )

  function verdict() {
    const waiting = loads.find(({ isFetching, wait }) => isFetching && wait)
    const { headline, why } = said()
    return (
      <>
        <p className="headline" role="status" tabIndex={-1}>
          {headline}
        </p>
        {failed.map(({ query, error }, i) => (
          <Failure key={query} error={error!}>
            {i === 0 && price !== null && action('Try again')}
          </Failure>
        ))}
        {failed.length > 0 && price !== null && !isGrowing && <p className="row quiet">{children}</p>}
        {waiting?.wait && <Waiting wait={waiting.wait} />}
        {isEmpty && (
          <p className="row">
            Try fewer or other words, any language, or more days.
            <button onClick={goToSearch}>Change the words</button>
          </p>
        )}
        {why && !waiting && !isEmpty && <div>{why}</div>}
        {isWhole && !isStale && <Coverage {...{ period, loads, covered }} />}
        {(isPaused || isFirst || waiting) && (
          <p className="coverage row quiet">
            <button onClick={(event) => (focusTitle(event), void cancel())}>Cancel the search</button>
          </p>
        )}
        {isStale && <Notice title={`Showing ${name}.`}>{action('Update')}</Notice>}
      </>
    )
  }

  function said() {
    if (isPaused)
      return {
        headline: 'You are offline.',
        why: `The search will be sent${price === null ? '' : `, for ${price},`} when you are online again.`,
      }
    if (loads.every(({ isMissing }) => isMissing))
      return { headline: 'Not loaded yet.', why: action('Load these posts') }
    const missing = loads.find(({ isLoaded }) => !isLoaded)
    if (isGrowing) {
      const isWaiting = loads.some(({ isFetching, wait }) => isFetching && wait)
      return { headline: isWaiting ? 'Waiting for the service…' : 'Loading posts…', why: '' }
    }
    if (failed.length > 0 && missing) {
      const queries = failed.map(({ query }) => isolated(query)).join(' and ')
      return { headline: `The search for ${queries} failed`, why: '' }
    }
    if (missing)
      return { headline: `${isolated(missing.query)} is not loaded`, why: action('Load these posts') }
    if (!isCovered) return { headline: 'These days are not loaded yet', why: '' }
    const sides = loads.map(({ query }, i) => ({ query: isolated(query), posts: counted[i]! }))
    const when = isPartial ? `since ${timeName(covered.from)}` : `in ${lengthOf(period)} days`
    return verdictOf(sides, covered, { when, isPartial, by: loudness })
  }
}

interface CoverageProps {
  period: Period
  loads: Load[]
  covered: Span
}

/** Says once what the numbers leave out, and offers the next page of each search that lacks posts. */
function Coverage({ period, loads, covered }: CoverageProps) {
  const since = earlierOf(period).from
  const lacking = loads.filter((load) => !reaches(load, since))
  const { network } = loads[0]!.search
  const { name, pageSize } = networks[network]
  const more = useOffer(network, ...lacking.map(() => 1))
  const pages = lacking.map(({ search }) => ({ search, since, pages: 1, continues: true }))
  const usual = Math.round(lacking.reduce((sum, { posts, pages }) => sum + posts.length / pages, 0))
  const posts = `${pageSize ? `up to ${pageSize * lacking.length}` : `about ${usual}`} more posts`
  const isFetching = loads.some(({ isFetching }) => isFetching)
  const isPartial = covered.from > spanOf(period).from
  const days = `${lengthOf(period)} days`
  if (isFetching) return null
  return (
    <p className="coverage row quiet">
      {isPartial
        ? `Older posts of the ${days} are not loaded.`
        : `These are all ${name.toLowerCase()} posts of the ${days}.`}
      {more.pages > 0 && (
        <span>
          <button
            className={isPartial ? 'primary' : undefined}
            onClick={(event) => (focusTitle(event), buy(pages))}
          >
            Load {posts} · {more.price}
          </button>{' '}
          {!isPartial && `to compare with the ${days} before`}
        </span>
      )}
    </p>
  )
}

interface SummaryProps {
  loads: Load[]
  /** Null while posts are missing. */
  now: (Numbers | null)[]
  then: (Numbers | null)[]
  period: Period
}

/** The numbers of each search, and who leads. */
function Summary({ loads, now, then, period }: SummaryProps) {
  const { network } = loads[0]!.search
  const { metrics } = networks[network]
  const isMany = now.every((numbers) => numbers !== null && numbers.posts >= fewPosts)
  const value = (name: Metric, i: number) => (
    <>
      <span className="figure">{figure(now[i]?.[name])}</span>{' '}
      <Change now={now[i]?.[name]} then={then[i]?.[name]} />
    </>
  )
  const hour = spanOf(period).until > Date.now() ? ', up to the same hour' : ''
  const days = `the ${lengthOf(period)} days before`
  const isCompared = then.some((numbers) => numbers !== null)
  const definition = (
    <p className="quiet">
      Engagement: {engagement[network]}.{' '}
      {isCompared ? `▲▼ Compared with ${days}${hour}.` : `Not compared with ${days}: they are not loaded.`}{' '}
      Your listeners count apart from searches.
    </p>
  )
  if (loads.length === 1)
    return (
      <div className="card summary">
        <dl className="facts">
          {metrics.map((name) => (
            <div key={name}>
              <dt>{names[name]}</dt>
              <dd>{value(name, 0)}</dd>
            </div>
          ))}
        </dl>
        {definition}
      </div>
    )
  return (
    <div className="card summary">
      <table>
        <thead>
          <tr className="quiet">
            <th scope="col">
              <span className="hidden">Number</span>
            </th>
            {loads.map(({ query }, i) => (
              <th key={query} scope="col">
                <Swatch index={i} /> <bdi>{query}</bdi>
              </th>
            ))}
            <th scope="col">Leads</th>
          </tr>
        </thead>
        <tbody>
          {metrics.map((name) => (
            <tr key={name}>
              <th scope="row">{names[name]}</th>
              {loads.map(({ query }, i) => (
                <td key={query}>{value(name, i)}</td>
              ))}
              <td className="quiet">
                {isMany && <Lead loads={loads} numbers={now.map((numbers) => numbers![name])} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {definition}
    </div>
  )
}

function Lead({ loads, numbers }: { loads: Load[]; numbers: number[] }) {
  const leader = leaderOf(numbers)
  if (leader === null) return numbers[0] === numbers[1] ? 'level' : 'about level'
  return (
    <span className="lead">
      <Swatch index={leader} /> <bdi>{loads[leader]!.query}</bdi> <strong>{leadOf(numbers)}</strong>
    </span>
  )
}

/** What a number was before, and whether it has grown. */
function Change({ now, then }: Partial<Record<'now' | 'then', number>>) {
  if (now === undefined || then === undefined) return null
  const [arrow, word] = now < then ? ['▼', 'down'] : ['▲', 'up']
  return (
    <span className="quiet">
      {now !== then && <span aria-hidden="true">{arrow} </span>}
      {now !== then && <span className="hidden">{word} </span>}
      {now === then ? 'as before' : `from ${figure(then)}`}
    </span>
  )
}
