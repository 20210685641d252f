import { useState } from 'react'
import { figure } from './headline.ts'
import { type Row, peakOf } from './measure.ts'
import { type Unit, bucketName, zone } from './period.ts'
import { Swatch } from './status.tsx'

interface Props {
  rows: Row[]
  /** The name of each series. */
  series: string[]
  unit: Unit
  selected?: string | undefined
  /** Called with the bucket of a bar, or of a row of the table. */
  onSelect: (bucket: string) => void
}

const nameOf = ({ bucket, part }: Row, unit: Unit) =>
  [bucketName(bucket, unit), part].filter(Boolean).join(' ')

/** Values by day, week or month, as bars and as a table. What is covered only in part is lighter, and its name says so. */
export function Chart({ rows, series, unit, selected, onSelect }: Props) {
  const [pointed, setPointed] = useState<string>()
  /** The highest bar of each series, which is marked and named. */
  const peaks = series.map((_, i) => rows[peakOf(rows.map(({ values }) => values[i] ?? null))])
  const top = roundUp(Math.max(1, ...rows.flatMap(({ values }) => values.map(Number))))
  const isCounted = rows.some(({ values }) => values.some((value) => value !== null))
  const last = rows.length - 1
  /** How many bars apart times stand below: four or three times where that comes out even. */
  const step = last < 4 ? 1 : last / [3, 2, 1].find((parts) => last % parts === 0)!
  const ticks = rows.filter((_, i) => i % step === 0)
  const tickOf = (bucket: string) => bucketName(bucket, unit === 'weeks' ? 'days' : unit)
  const named = rows.find(({ bucket }) => bucket === (pointed ?? selected))
  const note = (i: number) => {
    if (named) return figure(named.values[i])
    const peak = peaks[i]
    return peak && `peak ${figure(peak.values[i])}, ${bucketName(peak.bucket, unit)}`
  }
  return (
    <div className="plot">
      {/* With other bars, it is another chart: none of them has moved. */}
      <div key={rows.length} className="chart" aria-hidden="true">
        <p className="legend row quiet">
          {named && <span>{nameOf(named, unit)}:</span>}
          {series.map((name, i) => (
            <span key={name}>
              {series.length > 1 && <Swatch index={i} />} {(series.length > 1 || !named) && <bdi>{name}</bdi>}
              {!named && peaks[i] && ','} <strong>{note(i)}</strong>
            </span>
          ))}
          {!named && isCounted && rows.some(({ part }) => part) && (
            <span>
              <span className="swatch">□</span> incomplete {unit.slice(0, -1)}
            </span>
          )}
        </p>
        <div className="scale quiet">
          <span>{isCounted && figure(top)}</span>
          <span>{isCounted && top > 1 && figure(top / 2)}</span>
          <span>{isCounted && 0}</span>
        </div>
        <div className="bars" onPointerLeave={() => setPointed(undefined)}>
          {!isCounted && 'Counting…'}
          {rows.map((row) => (
            <div
              key={row.bucket}
              className={`bucket${selected && row.bucket !== selected ? ' other' : ''}${row.part ? ' open' : ''}`}
              title={nameOf(row, unit)}
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
          {ticks.map((row) => (
            <span key={row.bucket}>{tickOf(row.bucket)}</span>
          ))}
        </div>
      </div>
      <details className="quiet">
        <summary>Table</summary>
        <table aria-label={`Numbers by ${unit.slice(0, -1)}`}>
          <thead>
            <tr>
              <th>{zone()}</th>
              {series.map((name) => (
                <th key={name}>
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map((row) => (
              <tr key={row.bucket}>
                <th scope="row">
                  <button aria-pressed={row.bucket === selected} onClick={() => onSelect(row.bucket)}>
                    {nameOf(row, unit)}
                  </button>
                </th>
                {series.map((name, i) => (
                  <td key={name}>{figure(row.values[i])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  )
}

/** The next number whose half is even enough to label a line: 2, 4, 6, 8, 10, 14, 20 … */
function roundUp(value: number): number {
  const size = 10 ** Math.floor(Math.log10(value))
  return [1, 1.4, 2, 4, 6, 8, 10].map((step) => step * size).find((step) => step >= value)!
}
