import { useState } from 'react'
import { compact } from './headline.ts'
import { peakOf } from './measure.ts'
import { type Unit, bucketName } from './period.ts'
import { Swatch } from './status.tsx'

/** Values of one day, week or month, one for each series; null if they are unknown. */
interface Row {
  bucket: string
  values: (number | null)[]
}

interface Props {
  rows: Row[]
  /** The name of each series. */
  series: string[]
  unit: Unit
  selected?: string | undefined
  /** Called with the bucket of a bar, or of a row of the table. */
  onSelect: (bucket: string) => void
  /** Stacks the bars of a bucket; otherwise they stand beside each other. */
  isStacked?: boolean
}

/** Values by day, week or month, as bars and as a table, from the first ones that are known. */
export function Chart({ rows: all, series, unit, selected, onSelect, isStacked }: Props) {
  const [pointed, setPointed] = useState<string>()
  const rows = all.filter(({ values }) => values.some((value) => value !== null))
  const nameOf = (bucket: string) => bucketName(bucket, unit)
  /** The highest bar of each series, which is marked and named. */
  const peaks = series.map(
    (_, i) => rows[isStacked ? -1 : peakOf(rows.map(({ values }) => values[i] ?? null))],
  )
  const heights = rows.map(({ values }) =>
    isStacked
      ? values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
      : Math.max(0, ...values.map(Number)),
  )
  const top = roundUp(Math.max(1, ...heights))
  const last = rows.length - 1
  /** All bars have their time below, or the first, the last, and one that stands in the middle. */
  const ticks =
    last < 4 ? [...rows.keys()] : last % 2 === 0 || last > 11 ? [0, Math.floor(last / 2), last] : [0, last]
  const named = rows.find(({ bucket }) => bucket === (pointed ?? selected))
  const text = (value: number | null | undefined) => (value == null ? '–' : compact.format(value))
  const note = (i: number) => {
    if (named) return text(named.values[i])
    const peak = peaks[i]
    return peak && `peak ${text(peak.values[i])} · ${nameOf(peak.bucket)}`
  }
  return (
    <>
      <div className="chart" aria-hidden="true">
        <p className="legend row quiet">
          {series.map((name, i) => (
            <span key={name}>
              <Swatch index={i} /> <bdi>{name}</bdi> <strong>{note(i)}</strong>
            </span>
          ))}
          <span className="end">{named ? nameOf(named.bucket) : isStacked && `by ${unit.slice(0, -1)}`}</span>
        </p>
        <div className="scale quiet">
          <span>{rows.length > 0 && text(top)}</span>
          <span>{rows.length > 0 && top > 1 && text(top / 2)}</span>
          <span>0</span>
        </div>
        <div className={isStacked ? 'bars stacked' : 'bars'} onPointerLeave={() => setPointed(undefined)}>
          {rows.map((row) => (
            <div
              key={row.bucket}
              className={`bucket${selected && row.bucket !== selected ? ' other' : ''}`}
              title={nameOf(row.bucket)}
              onPointerEnter={() => setPointed(row.bucket)}
              onClick={() => onSelect(row.bucket)}
            >
              {series.map((name, i) => (
                <i
                  key={name}
                  className={`bar s${i}${peaks[i] === row ? ' peak' : ''}`}
                  style={{ height: `${(100 * (row.values[i] ?? 0)) / top}%` }}
                />
              ))}
            </div>
          ))}
        </div>
        <div className="ticks quiet" style={{ paddingInline: `max(0px, ${50 / rows.length}% - 1.5em)` }}>
          {ticks.map((at) => (
            <span key={at}>{bucketName(rows[at]!.bucket, unit === 'weeks' ? 'days' : unit)}</span>
          ))}
        </div>
      </div>
      <details className="quiet">
        <summary>Show as a table</summary>
        <table aria-label={`Numbers by ${unit.slice(0, -1)}`}>
          <thead>
            <tr>
              <th>Time</th>
              {series.map((name) => (
                <th key={name}>
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map(({ bucket, values }) => (
              <tr key={bucket}>
                <th scope="row">
                  <button aria-pressed={bucket === selected} onClick={() => onSelect(bucket)}>
                    {nameOf(bucket)}
                  </button>
                </th>
                {series.map((name, i) => (
                  <td key={name}>{text(values[i])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}

/** The next number whose half is even enough to label a line: 2, 4, 6, 10, 20 … */
function roundUp(value: number): number {
  const size = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 6, 10].map((step) => step * size).find((step) => step >= value)!
}
