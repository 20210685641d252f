import { useState } from 'react'
import { compact } from './headline.ts'
import { Swatch } from './status.tsx'

/** Values of one day, week or month, one for each series; null if they are unknown. */
export interface Row {
  bucket: string
  values: (number | null)[]
}

interface Props {
  rows: Row[]
  /** Each has a name, and the color of its place or an own one. */
  series: { name: string; color?: string }[]
  nameOf: (bucket: unknown) => string
  /** The bucket of the highest bar of each series, which is marked. */
  peaks?: (number | null)[]
  suffix?: string
  selected?: string | undefined
  /** Called with the bucket of a bar, or of a row of the table. */
  onSelect: (bucket: string) => void
  /** Stacks the bars of a bucket; otherwise they stand beside each other. */
  isStacked?: boolean
}

/** Values by day, week or month, as bars and as a table. */
export function Chart({
  rows,
  series,
  nameOf,
  peaks = [],
  suffix = '',
  selected,
  onSelect,
  isStacked,
}: Props) {
  const [pointed, setPointed] = useState<string>()
  const heights = rows.map(({ values }) =>
    isStacked
      ? values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
      : Math.max(0, ...values.map(Number)),
  )
  const top = roundUp(Math.max(1, ...heights))
  const named = rows.find(({ bucket }) => bucket === (pointed ?? selected))
  const text = (value: number | null | undefined) => (value == null ? '–' : compact.format(value) + suffix)
  return (
    <>
      <div className="chart" aria-hidden="true">
        <p className="legend row quiet">
          {series.map(({ name, color }, i) => (
            <span key={name}>
              <Swatch index={i} color={color} /> {name} {named && <strong>{text(named.values[i])}</strong>}
            </span>
          ))}
          <span className="end">{named && nameOf(named.bucket)}</span>
        </p>
        <div className="scale quiet">
          <span>{text(top)}</span>
          <span>{top > 1 && text(top / 2)}</span>
          <span>0</span>
        </div>
        <div className={isStacked ? 'bars stacked' : 'bars'} onPointerLeave={() => setPointed(undefined)}>
          {rows.map(({ bucket, values }, index) => (
            <div
              key={bucket}
              className={`bucket${selected && bucket !== selected ? ' other' : ''}${values[0] !== undefined && values.every((value) => value === null) ? ' unknown' : ''}`}
              title={nameOf(bucket)}
              onPointerEnter={() => setPointed(bucket)}
              onClick={() => onSelect(bucket)}
            >
              {series.map(({ name, color }, i) => (
                <i
                  key={name}
                  className={`bar s${i}${peaks[i] === index ? ' peak' : ''}`}
                  style={{
                    height: `${(100 * (values[i] ?? 0)) / top}%`,
                    ...(color && { background: color }),
                  }}
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
        <table>
          <thead>
            <tr>
              <th>Time</th>
              {series.map(({ name }) => (
                <th key={name}>{name}</th>
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
                {series.map(({ name }, i) => (
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
