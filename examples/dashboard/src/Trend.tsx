import { go } from './address.ts'
import { Chart } from './Chart.tsx'
import { sharesOf } from './compare.ts'
import type { Result } from './measure.ts'
import { type Period, type Unit, bucketName, bucketsOf, unitsFor } from './period.ts'
import { names } from './Summary.tsx'

interface Props {
  period: Period
  unit: Unit
  metric: keyof typeof names
  results: Result[]
  /** Of each day, week or month. For shares, these are posts. */
  values: (number | null)[][]
  peaks: (number | null)[]
  selected: string | undefined
  onSelect: (bucket: string) => void
}

/** One number of each search over time. */
export function Trend({ period, unit, metric, results, values, peaks, selected, onSelect }: Props) {
  const isShare = metric === 'share'
  const rows = bucketsOf(period, unit).map((bucket, i) => {
    const counts = values[i] ?? []
    return { bucket, values: isShare && counts[0] != null ? sharesOf(counts as number[]) : counts }
  })
  return (
    <section className="card stack" aria-labelledby="chart-title">
      <div className="row">
        <h3 id="chart-title">
          {names[metric]} by {unit.slice(0, -1)}
        </h3>
        <div className="choice quiet end" role="group" aria-label="Bars">
          {unitsFor(period).map((each) => (
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
        {...{ rows, peaks, selected, onSelect }}
        series={results.map(({ query }) => ({ name: query }))}
        nameOf={(bucket) => bucketName(bucket, unit)}
        suffix={isShare ? '%' : ''}
      />
    </section>
  )
}
