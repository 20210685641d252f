import type { Scenario } from './scenarios.ts'
import type { Summary } from './summary.ts'
import { type Svg, alarm, element, faint, ink, line, muted, rect, text, wrapped } from './svg.ts'
import { showCount, showRatio } from './table.ts'

/** How one figure is drawn. */
interface Panel {
  readonly x: number
  readonly title: string
  readonly ticks: readonly number[]
  readonly showTick: (value: number) => string
  /** Share of the panel's width; 1 or more is its right edge. */
  readonly scale: (value: number) => number
  readonly mean: (summary: Summary) => number
  readonly worst: (summary: Summary) => number
  readonly label: (summary: Summary) => string
}

const rowHeight = 15
const groupGap = 16
const nameX = 340
const panelWidth = 250
const maxRatio = 1.2

const panels: readonly Panel[] = [
  {
    x: 350,
    title: 'Time over the optimum',
    ticks: [1, 1.05, 1.1, 1.15, maxRatio],
    showTick: (value) => value.toFixed(2),
    scale: (value) => (value - 1) / (maxRatio - 1),
    mean: ({ ratio }) => ratio.mean,
    worst: ({ ratio }) => ratio.worst,
    label: ({ ratio, cutOff }) => `${cutOff > 0 ? '>' : ''}${showRatio(ratio.mean)}`,
  },
  {
    x: 790,
    title: 'Answers of 429 (logarithmic)',
    ticks: [0, 1, 10, 100, 1000],
    showTick: String,
    scale: (value) => Math.log10(1 + value) / Math.log10(3000),
    mean: ({ refused }) => refused.mean,
    worst: ({ refused }) => refused.worst,
    label: ({ refused }) => showCount(refused.mean),
  },
]

export const colors: Readonly<Record<string, string>> = {
  ours: '#0b4f9e',
  'ours, shares set': '#4a90d9',
  'ours, one scheduler': '#8fc1f0',
  'fetch + backoff': '#8a8a8a',
  'p-limit(p-retry)': '#e09f3e',
  'p-retry(p-limit)': '#b5651d',
  Bottleneck: '#9a6aa8',
}

/** Keeps figures readable where they cross the grid. */
const halo = { 'paint-order': 'stroke', stroke: 'white', 'stroke-width': 3 }

/** Draws grouped bars, a group for each scenario; returns them with their height. */
export function bars(
  top: number,
  scenarios: readonly Scenario[],
  summaries: readonly Summary[],
): { parts: Svg[]; height: number } {
  const parts: Svg[] = []
  let y = top + 40
  for (const { name, about } of scenarios) {
    const group = summaries.filter(({ scenario }) => scenario === name)
    if (group.length === 0) continue
    const height = group.length * rowHeight
    parts.push(text(20, y + 11, name, { 'font-weight': 'bold', 'font-size': 12 }))
    const lines = wrapped(about, 32)
    parts.push(...lines.map((part, index) => text(20, y + 26 + index * 13, part, { fill: muted })))
    parts.push(...panels.flatMap((panel) => grid(panel, y, height)))
    parts.push(...group.flatMap((summary, index) => row(summary, y + index * rowHeight)))
    y += height + groupGap
  }
  return { parts: [...panels.flatMap((panel) => axis(panel, top)), ...parts], height: y - top }
}

function axis({ x, title, ticks, scale, showTick }: Panel, top: number): Svg[] {
  const tick = (value: number): Svg =>
    text(x + scale(value) * panelWidth, top + 32, showTick(value), { 'text-anchor': 'middle', fill: muted })
  return [text(x, top + 12, title, { 'font-weight': 'bold', 'font-size': 12 }), ...ticks.map(tick)]
}

function grid({ x, ticks, scale }: Panel, y: number, height: number): Svg[] {
  return ticks.map((value) => {
    const at = x + scale(value) * panelWidth
    return line(at, y - 2, at, y + height + 2, faint)
  })
}

function row(summary: Summary, y: number): Svg[] {
  const { strategy, failed } = summary
  const isOurs = strategy.startsWith('ours')
  const name = text(nameX, y + 11, strategy, {
    'text-anchor': 'end',
    ...(isOurs && { 'font-weight': 'bold' }),
  })
  return [name, ...panels.flatMap((panel, index) => bar(panel, summary, y, index === 0 ? failed.mean : 0))]
}

/** A bar for the mean, a whisker for the worst seed, and the mean as text; pale if calls failed. */
function bar(panel: Panel, summary: Summary, y: number, failed: number): Svg[] {
  const { x, scale, mean, worst, label } = panel
  const clip = (value: number): number => Math.min(1.03, Math.max(0, scale(value))) * panelWidth
  const width = clip(mean(summary))
  const end = clip(worst(summary))
  const fill = colors[summary.strategy] ?? ink
  const more = failed === 0 ? '' : element('tspan', { dx: 6, fill: alarm }, `${showCount(failed)} failed`)
  const pale = summary.failed.mean > 0 && { opacity: 0.45 }
  return [
    rect(x, y + 2, Math.max(width, 1), rowHeight - 4, { fill, ...pale }),
    line(x + width, y + rowHeight / 2, x + end, y + rowHeight / 2, ink),
    text(x + Math.max(width, end) + 5, y + 11, label(summary), halo, more),
  ]
}
