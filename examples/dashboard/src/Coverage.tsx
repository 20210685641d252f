import { useOffer } from './Credits.tsx'
import { sinceName } from './figures.tsx'
import { buy, type usePosts } from './load.ts'
import { type Result, type Span, reaches, spanOf } from './measure.ts'
import type { Search } from './networks.ts'
import { type Period, before, lengthOf } from './period.ts'
import { focusTitle } from './status.tsx'

/** What is shown while the form asks for something else, and what the button of the form says. */
export interface Stale {
  shown: string
  button: string
}

interface Props {
  period: Period
  searches: Search[]
  loads: ReturnType<typeof usePosts>[]
  results: Result[]
  span: Span
  stale: Stale | null
  /** Whether the numbers are compared with the period before. */
  hasEarlier: boolean
  /** Whether a day is chosen. */
  isDay: boolean
}

/** Says once what the numbers leave out, and offers the next page of each search that lacks posts. */
export function Coverage({ period, searches, loads, results, span, stale, hasEarlier, isDay }: Props) {
  const earlier = before(period)
  const since = spanOf(earlier).from
  const lacking = searches.filter((_, i) => !reaches(results[i]!, since))
  const offer = useOffer(searches[0]!.network, Math.max(1, lacking.length), 1)
  const isFetching = loads.some(({ isFetching }) => isFetching)
  const isPartial = span.from > spanOf(period).from
  const start = sinceName(span.from)
  if (stale)
    return (
      <p className="coverage row quiet">
        Showing {stale.shown}
        {isPartial && `, only ${start}`}.
        <span>
          <button form="search" className="primary">
            {stale.button}
          </button>{' '}
          to update
        </span>
      </p>
    )
  if (results.some(({ isLoaded }) => !isLoaded))
    return <p className="coverage row quiet">{isPartial && !isFetching && `Only ${start}.`}</p>

  const days = `${lengthOf(period)} days`
  const complete = `All posts in these ${days}`
  const [text, goal] = isPartial
    ? [`Only ${start}: older posts are not loaded.`, '']
    : isDay
      ? [`${complete} are loaded.`, '']
      : lacking.length > 0
        ? [`${complete}.`, `to compare with the ${days} before`]
        : [
            `${complete}, ${hasEarlier ? `compared with the ${days} before` : 'and no older ones to compare with'}.`,
            '',
          ]
  return (
    <p className="coverage row quiet">
      {text}
      {lacking.length > 0 && (isPartial || !isDay) && (
        <span>
          <button
            aria-disabled={isFetching || offer.pages === 0}
            onClick={(event) => {
              if (isFetching || offer.pages === 0) return
              focusTitle(event)
              buy(lacking, { pages: 1, since, continues: true })
            }}
          >
            {isFetching
              ? 'Loading…'
              : offer.pages > 0
                ? `Load more · ${offer.price}`
                : 'Load more: too few credits'}
          </button>{' '}
          {goal}
        </span>
      )}
    </p>
  )
}
