import { patience } from './measure.ts'
import type { Scenario } from './scenarios.ts'
import type { Summary } from './summary.ts'

const columns = [
  'strategy',
  'time / optimum',
  'worst',
  '429s',
  'worst',
  'own pace',
  'in flight',
  'foreign',
  'failed',
  'worst',
  'others served',
]

/** Explains the columns. */
export const legend = [
  'Figures are means over the seeds, and of the worst seed. Time is until all calls had ended, over the least in which',
  'anybody could have had as many successes, alone and knowing everything (bench/simulate/optimum.ts). 429s are told apart by',
  'what caused them: our own pace, our own requests in flight, or foreign load, where our own requests would have passed.',
  'Failed are the calls that did not succeed, of those made; where many failed, the time says little. "Others served" is',
  `the share of the foreign requests that the service admitted. > marks strategies of which runs were cut off at ${patience} times`,
  'the optimum; their open calls count as failed.',
]

export function textTable(scenario: Scenario, summaries: readonly Summary[]): string {
  const rows = [columns, ...summaries.map(cells)]
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
  return [heading(scenario, summaries), ...rows.map((row) => `  ${line(row)}`), ''].join('\n')
}

export function markdownTable(scenario: Scenario, summaries: readonly Summary[]): string {
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`
  const rule = columns.map((_, column) => (column === 0 ? '---' : '--:'))
  const rows = [columns, rule, ...summaries.map(cells)].map(line)
  return [`## ${scenario.name}`, '', `${heading(scenario, summaries)}.`, '', ...rows, ''].join('\n')
}

function heading({ name, about }: Scenario, [first]: readonly Summary[]): string {
  return `${name}: ${about}; optimum ${((first?.optimumMs ?? 0) / 1000).toFixed(0)} s`
}

function cells(summary: Summary): string[] {
  const { strategy, ratio, refused, causes, failed, cutOff, foreignServed } = summary
  const mark = cutOff > 0 ? '>' : ''
  return [
    strategy,
    `${mark}${showRatio(ratio.mean)}`,
    `${mark}${showRatio(ratio.worst)}`,
    ...[refused.mean, refused.worst, causes.pace, causes['in-flight'], causes.foreign].map(showCount),
    ...[failed.mean, failed.worst].map(showCount),
    foreignServed === null ? '-' : `${(foreignServed * 100).toFixed(0)} %`,
  ]
}

function showRatio(ratio: number): string {
  if (ratio === Infinity) return 'never'
  return ratio.toFixed(ratio < 10 ? 3 : 0)
}

/** Never rounds a small number to zero. */
function showCount(count: number): string {
  return count === 0 || count >= 10 ? count.toFixed(0) : count.toFixed(1)
}
