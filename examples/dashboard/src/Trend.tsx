import { go } from './address.ts'
import { Chart } from './Chart.tsx'
import type { Metric, Result } from './measure.ts'
import { type Period, type Unit, bucketName, bucketsOf, unitsFor } from './period.ts'
import { names } from './Summary.tsx'

interface Props {
  period: Period
  unit: Unit
  metric: Metric
  results: Result[]
  /** Of each day, week or month. */
  values: (number | null)[][]
  peaks: (number | null)[]
  selected: string | undefined
  onSelect: (bucket: string) => void
}

/** One number of each search over time. */
export function Trend({ period, unit, metric, results, values, peaks, selected, onSelect }: Props) {
  const rows = bucketsOf(period, unit).map((bucket, i) => ({ bucket, values: values[i] ?? [] }))
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
        series={results.map(({ query }) => query)}
        noun={metric}
        nameOf={(bucket) => bucketName(bucket, unit)}
      />
    </section>
  )
}
