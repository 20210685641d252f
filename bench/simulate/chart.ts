import { bars } from './bars.ts'
import type { JobResult } from './job.ts'
import type { Scenario } from './scenarios.ts'
import { type Svg, drawing, muted, text } from './svg.ts'
import { timeline, timelineHeight } from './timeline.ts'

const width = 1120

/** The scenarios whose first seed is drawn over time. */
const drawn = ['alone', '2-processes']

/** All results in one picture. */
export function chart(title: string, scenarios: readonly Scenario[], results: readonly JobResult[]): Svg {
  const summaries = results.map(({ summary }) => summary)
  const { parts, height } = bars(70, scenarios, summaries)
  const top = 70 + height + 10
  const columns = drawn.map((name) => results.filter(({ summary }) => summary.scenario === name))
  const depth = Math.max(...columns.map((column) => column.length))
  return drawing(width, top + 62 + depth * timelineHeight, [
    text(20, 28, `Limits, simulated: ${title}`, { 'font-size': 18, 'font-weight': 'bold' }),
    text(
      20,
      48,
      'Bars are means over the seeds, strokes reach to the worst seed. Bars are pale where calls failed, and end at the edge where the figure is larger.',
      {
        fill: muted,
      },
    ),
    ...parts,
    text(20, top + 16, 'Requests admitted in the last 60 s, over time, with the first seed', {
      'font-size': 14,
      'font-weight': 'bold',
    }),
    text(20, top + 33, 'A red stroke is a request that was turned away.', { fill: muted }),
    ...columns.flatMap((column, index) => {
      const x = 50 + index * 540
      return [
        text(x, top + 54, drawn[index] ?? '', { 'font-weight': 'bold', 'font-size': 12 }),
        ...column.flatMap(({ summary, arrivals }, row) =>
          timeline({ x, y: top + 62 + row * timelineHeight, width: 500 }, summary.strategy, arrivals),
        ),
      ]
    }),
  ])
}
