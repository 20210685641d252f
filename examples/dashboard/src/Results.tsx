import { go, useAddress } from './address.ts'
import type { Draft } from './draft.ts'
import { searchesOf } from './draft.ts'
import { usePosts } from './load.ts'
import { type Result, coveredFrom, within } from './measure.ts'
import { bucketName, bucketOf, bucketsOf, lengthOf, unitFor, units } from './period.ts'
import { Chart } from './Chart.tsx'
import { Posts, sorts } from './Posts.tsx'
import { Scores } from './Scores.tsx'
import { focusTitle } from './status.tsx'

const colors = ['var(--accent)', 'var(--second)']

/** Numbers, chart and posts of one search or two. */
export function Results({ draft }: { draft: Draft }) {
  const address = useAddress()
  const searches = searchesOf(draft)
  const loads = [usePosts(searches[0]), usePosts(searches[1])].slice(0, searches.length)
  const results = loads.map(({ posts, isComplete }, i): Result => {
    return { query: searches[i]!.query, color: colors[i]!, posts, isComplete }
  })
  const isLoading = loads.some(({ isFetching }) => isFetching)
  const unit = units.find((unit) => unit === address['by']) ?? unitFor(draft)
  const sort = sorts.find(({ id }) => id === address['sort']) ?? sorts[0]!
  const { at } = address
  const buckets = bucketsOf(draft, unit).map((bucket) => ({
    bucket,
    counts: results.map((result) => {
      const found = result.posts.filter(({ timestamp }) => bucketOf(timestamp, unit) === bucket)
      const isCovered = coveredFrom(result, draft) <= bucket || found.length > 0
      return isCovered ? within(found, draft).length : null
    }),
  }))
  const hasPosts = results.some(({ posts }) => posts.length > 0)
  return (
    <>
      {hasPosts && (
        <>
          <Scores results={results} period={draft} isLoading={isLoading} />
          <section className="card stack" aria-labelledby="chart-title">
            <div className="row">
              <h3 id="chart-title">Posts by {unit.slice(0, -1)}</h3>
              <div className="choice quiet end" role="group" aria-label="Bars">
                {units.map((each) => (
                  <button
                    key={each}
                    aria-pressed={each === unit}
                    onClick={() => go({ by: each, at: '' }, { replace: true })}
                  >
                    {each}
                  </button>
                ))}
              </div>
            </div>
            <Chart
              rows={buckets}
              series={results.map(({ query, color }) => ({ name: query, color }))}
              nameOf={(bucket) => bucketName(bucket, unit)}
              selected={at}
              onSelect={(bucket) => go({ at: bucket === at ? '' : bucket, by: unit })}
            />
          </section>
        </>
      )}
      <section className="stack" aria-labelledby="list-title">
        <div className="order row">
          <h3 id="list-title" tabIndex={-1}>
            {at ? `Posts of ${bucketName(at, unit)}` : `Posts of ${lengthOf(draft)} days`}
          </h3>
          {at && <button onClick={(event) => (focusTitle(event), go({ at: '' }))}>Show all {unit}</button>}
          <select
            className="end quiet"
            aria-label="Order"
            value={sort.id}
            onChange={(event) => go({ sort: event.target.value }, { replace: true })}
          >
            {sorts.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div className="versus">
          {searches.map((params, i) => (
            <Posts
              key={params.query}
              params={params}
              load={loads[i]!}
              color={colors[i]!}
              shown={within(loads[i]!.posts, draft)
                .filter(({ timestamp }) => !at || bucketOf(timestamp, unit) === at)
                .sort(sort.compare)}
            />
          ))}
        </div>
      </section>
    </>
  )
}
