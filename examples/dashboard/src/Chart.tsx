import { Bar, BarChart, CartesianGrid, Cell, Tooltip, XAxis, YAxis } from 'recharts'

/** Counts of one bucket, one for each series; null if they are unknown. */
export interface Row {
  bucket: string
  counts: (number | null)[]
}

interface Props {
  rows: Row[]
  series: { name: string; color: string }[]
  nameOf: (bucket: unknown) => string
  /** The bucket whose bars are marked. */
  selected?: string | undefined
  /** Called with the bucket of a bar, or of a row of the table. */
  onSelect: (bucket: string) => void
  /** Stacks the bars of a bucket; otherwise they stand beside each other. */
  isStacked?: boolean
}

/** Counts by day, week or month, as bars and as a table. */
export function Chart({ rows, series, nameOf, selected, onSelect, isStacked }: Props) {
  return (
    <>
      <div aria-hidden="true">
        <BarChart
          responsive
          className="chart"
          data={rows}
          accessibilityLayer={false}
          margin={{ top: 8, left: -28, right: 4 }}
          barCategoryGap="18%"
          barGap={1}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis dataKey="bucket" tickFormatter={nameOf} tickLine={false} axisLine={false} minTickGap={24} />
          <YAxis allowDecimals={false} tickLine={false} axisLine={false} />
          <Tooltip
            labelFormatter={nameOf}
            cursor={{ fill: 'var(--line)' }}
            itemStyle={{ color: 'var(--ink)' }}
            itemSorter={({ dataKey }) => String(dataKey)}
            isAnimationActive={false}
          />
          {series.map(({ name, color }, i) => (
            <Bar
              key={name}
              name={name}
              dataKey={`counts[${i}]`}
              {...(isStacked && { stackId: 'all' })}
              fill={color}
              background={{ fill: 'transparent' }} // a click above a low bar counts, too
              onClick={({ payload }) => onSelect((payload as Row).bucket)}
              maxBarSize={isStacked ? 36 : 28}
              isAnimationActive={false}
            >
              {rows.map(({ bucket }) => (
                <Cell key={bucket} fillOpacity={!selected || bucket === selected ? 1 : 0.3} />
              ))}
            </Bar>
          ))}
        </BarChart>
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
            {rows.toReversed().map(({ bucket, counts }) => (
              <tr key={bucket}>
                <th scope="row">
                  <button aria-pressed={bucket === selected} onClick={() => onSelect(bucket)}>
                    {nameOf(bucket)}
                  </button>
                </th>
                {counts.map((count, i) => (
                  <td key={i}>{count ?? '–'}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
