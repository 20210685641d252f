import { useOffer } from './Credits.tsx'
import { sinceName } from './figures.tsx'
import { type Load, buy } from './load.ts'
import { type Span, reaches, spanOf } from './measure.ts'
import { type Period, before, lengthOf } from './period.ts'
import { focusTitle } from './status.tsx'

interface Props {
  period: Period
  loads: Load[]
  span: Span
  /** Whether the numbers are compared with the period before. */
  hasEarlier: boolean
  /** Whether a day is chosen. */
  isDay: boolean
}

/** Says once what the numbers leave out, and offers the next page of each search that lacks posts. */
export function Coverage({ period, loads, span, hasEarlier, isDay }: Props) {
  const since = spanOf(before(period)).from
  const lacking = loads.filter((load) => !reaches(load, since)).map(({ search }) => search)
  const offer = useOffer(loads[0]!.search.network, Math.max(1, lacking.length), 1)
  const isFetching = loads.some(({ isFetching }) => isFetching)
  const isPartial = span.from > spanOf(period).from
  const start = sinceName(span.from)
  if (loads.some(({ isLoaded }) => !isLoaded))
    return <p className="coverage row quiet">{isPartial && !isFetching && `Only ${start}.`}</p>

  const days = `${lengthOf(period)} days`
  const comparison = hasEarlier ? `compared with the ${days} before` : 'and no older ones to compare with'
  function loadMore(event: { currentTarget: Element }) {
    if (isFetching) return
    focusTitle(event)
    buy(lacking, { pages: 1, since, continues: true })
  }
  return (
    <p className="coverage row quiet">
      {isPartial
        ? `Only ${start}: older posts are not loaded.`
        : `All posts in these ${days}${isDay || lacking.length > 0 ? '' : `, ${comparison}`}.`}
      {lacking.length > 0 && (isPartial || !isDay) && offer.pages > 0 && (
        <span>
          <button aria-disabled={isFetching} onClick={loadMore}>
            {isFetching ? 'Loading…' : `Load more · ${offer.price}`}
          </button>{' '}
          {!isPartial && `to compare with the ${days} before`}
        </span>
      )}
    </p>
  )
}
