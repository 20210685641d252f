/** Measures what each mechanism of the pace is worth: the simulation without it, beside the whole. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ablations } from './ablations.ts'
import { ours, oursWithShares } from './ours.ts'
import { runJobs } from './pool.ts'
import { scenarios } from './scenarios.ts'

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '20' } } })
const seeds = Number(values.seeds)
const jobs = [ours, oursWithShares].flatMap((strategy) =>
  scenarios
    .filter((scenario) => strategy.applies(scenario))
    .map((scenario) => ({ scenario: scenario.name, strategy: strategy.name, calls: 200, seeds })),
)

const columns: string[][] = []
for (const ablation of [undefined, ...ablations]) {
  const summaries = await Promise.all(runJobs(jobs, ablation?.name))
  columns.push([
    ablation?.name ?? 'whole',
    '--:',
    ...summaries.map(({ ratio, refused }) => `${ratio.mean.toFixed(3)} (${refused.mean.toFixed(0)})`),
  ])
}
const names = jobs.map(({ scenario, strategy }) =>
  strategy === ours.name ? scenario : `${scenario}, shares`,
)
const table = ['scenario', '---', ...names].map(
  (name, row) => `| ${[name, ...columns.map((column) => column[row])].join(' | ')} |`,
)
const text = `# The pace without its parts

Made by \`node bench/simulate/ablate.ts\`: 200 calls, ${seeds} seeds. Each column takes one mechanism out of the sources
(\`ablations.ts\`). Figures are means of the time, divided by the optimum, with the number of 429s in brackets.

${table.join('\n')}

${readFileSync(new URL('removed.md', import.meta.url), 'utf8')}`
writeFileSync(new URL('ablations.md', import.meta.url), text)
