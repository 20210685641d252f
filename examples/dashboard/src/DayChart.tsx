import type { ReactNode } from 'react'
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts'

const dayMs = 86_400_000
const date = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
export const dayName = (day: unknown) => date.format(new Date(String(day)))
export const dayOf = (time: string | number) => new Date(time).toISOString().slice(0, 10)

/** The days from one to another, both included. */
export function daysBetween(from: number, to: number): string[] {
  const days = []
  for (let at = Date.parse(dayOf(from)); at <= to; at += dayMs) days.push(dayOf(at))
  return days
}

/** Counts of one day, one for each series. */
export interface Day {
  day: string
  counts: number[]
}

interface Props {
  days: Day[]
  series: { name: string; color: string }[]
  /** Stacks the bars of a day; otherwise they stand beside each other. */
  isStacked?: boolean
  /** Days between two labels of the axis; default as many labels as fit. */
  interval?: number
  /** Called with the day of a bar, or of a row of the table. */
  onDay?: (day: string) => void
  /** Shown between the bars and the table. */
  children?: ReactNode
}

/** Counts by day, as bars and as a table. */
export function DayChart({ days, series, isStacked, interval, onDay, children }: Props) {
  return (
    <>
      <div aria-hidden="true">
        <BarChart
          responsive
          className="chart"
          data={days}
          accessibilityLayer={false}
          margin={{ top: 8, left: -28, right: 4 }}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="day"
            tickFormatter={dayName}
            tickLine={false}
            axisLine={false}
            {...(interval === undefined ? { minTickGap: 24 } : { interval })}
          />
          <YAxis allowDecimals={false} tickLine={false} axisLine={false} />
          <Tooltip labelFormatter={dayName} cursor={{ fill: 'var(--line)' }} isAnimationActive={false} />
          {series.map(({ name, color }, i) => (
            <Bar
              key={name}
              name={name}
              dataKey={`counts[${i}]`}
              {...(isStacked && { stackId: 'day' })}
              onClick={({ payload }) => onDay?.((payload as Day).day)}
              fill={color}
              maxBarSize={14}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </div>
      {children}
      <details className="quiet">
        <summary>Show as a table</summary>
        <table>
          <thead>
            <tr>
              <th>Day</th>
              {series.map(({ name }) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, counts }) => (
              <tr key={day}>
                <th scope="row">
                  {onDay ? <button onClick={() => onDay(day)}>{dayName(day)}</button> : dayName(day)}
                </th>
                {counts.map((count, i) => (
                  <td key={i}>{count}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
