import { useState } from 'react'
import { compact } from './headline.ts'
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
  /** What the values count: posts. */
  noun: string
  nameOf: (bucket: unknown) => string
  /** The index of the highest bar of each series, which is marked and named. */
  peaks?: (number | null)[]
  selected?: string | undefined
  /** Called with the bucket of a bar, or of a row of the table. */
  onSelect: (bucket: string) => void
  /** Stacks the bars of a bucket; otherwise they stand beside each other. */
  isStacked?: boolean
}

/** Values by day, week or month, as bars and as a table. Where they are unknown, the chart is hatched. */
export function Chart({ rows, series, noun, nameOf, peaks = [], selected, onSelect, isStacked }: Props) {
  const [pointed, setPointed] = useState<string>()
  const heights = rows.map(({ values }) =>
    isStacked
      ? values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
      : Math.max(0, ...values.map(Number)),
  )
  const top = roundUp(Math.max(1, ...heights))
  const named = rows.find(({ bucket }) => bucket === (pointed ?? selected))
  const text = (value: number | null | undefined) => (value == null ? '–' : compact.format(value))
  const note = (i: number) => {
    if (named) return text(named.values[i])
    const peak = rows[peaks[i] ?? -1]
    return peak && `▼ ${nameOf(peak.bucket)}: ${text(peak.values[i])} ${noun}`
  }
  const isKnown = rows.some(({ values }) => values.some((value) => value !== null))
  const isUnknown = ({ values }: Row) => values.length > 0 && values.every((value) => value === null)
  return (
    <>
      <div className="chart" aria-hidden="true">
        <p className="legend row quiet">
          {series.map((name, i) => (
            <span key={name}>
              <Swatch index={i} /> <bdi>{name}</bdi> <strong>{note(i)}</strong>
            </span>
          ))}
          {rows.some(isUnknown) && (
            <span>
              <i className="hatch" /> not loaded
            </span>
          )}
          <span className="end">{named && nameOf(named.bucket)}</span>
        </p>
        <div className="scale quiet">
          <span>{isKnown && text(top)}</span>
          <span>{isKnown && top > 1 && text(top / 2)}</span>
          <span>0</span>
        </div>
        <div className={isStacked ? 'bars stacked' : 'bars'} onPointerLeave={() => setPointed(undefined)}>
          {rows.map((row, index) => (
            <div
              key={row.bucket}
              className={`bucket${selected && row.bucket !== selected ? ' other' : ''}${isUnknown(row) ? ' unknown' : ''}`}
              title={nameOf(row.bucket)}
              onPointerEnter={() => setPointed(row.bucket)}
              onClick={() => onSelect(row.bucket)}
            >
              {series.map((name, i) => (
                <i
                  key={name}
                  className={`bar s${i}${peaks[i] === index ? ' peak' : ''}`}
                  style={{ height: `${(100 * (row.values[i] ?? 0)) / top}%` }}
                />
              ))}
            </div>
          ))}
        </div>
        <div className="ticks quiet">
          {[0, Math.floor((rows.length - 1) / 2), rows.length - 1].map((at, i) => (
            <span key={i}>
              {(i !== 1 || rows.length > 2) && (i !== 2 || rows.length > 1) && nameOf(rows[at]?.bucket)}
            </span>
          ))}
        </div>
      </div>
      <details className="quiet">
        <summary>Show as a table</summary>
        <table aria-label={`${noun} by time`}>
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
