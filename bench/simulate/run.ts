/** Compares duration and 429s of calls between our own pacer and other strategies, on a virtual clock. */
import { writeFileSync } from 'node:fs'
import { runJobs } from './pool.ts'
import { type Plan, readPlan } from './plan.ts'
import { broken } from './promises.ts'
import type { Summary } from './summary.ts'
import { legend, markdownTable, textTable } from './table.ts'

let plan: Plan
try {
  plan = readPlan(process.argv.slice(2))
} catch (error) {
  console.error(`simulate: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(2)
}

const { scenarios, strategies, calls, seeds } = plan
const jobs = scenarios.flatMap((scenario) =>
  strategies
    .filter((strategy) => strategy.applies(scenario))
    .map((strategy) => ({ scenario: scenario.name, strategy: strategy.name, calls, seeds })),
)
const results = runJobs(jobs)
const done: Summary[] = []
const sections: string[] = []
const title = `${calls} calls, ${seeds} seeds`

console.log(`${title}\n\n${legend.join('\n')}\n`)
for (const scenario of scenarios) {
  const rows = await Promise.all(results.filter((_, index) => jobs[index]?.scenario === scenario.name))
  if (rows.length === 0) continue
  console.log(textTable(scenario, rows))
  sections.push(markdownTable(scenario, rows))
  done.push(...rows)
}

if (plan.isWhole) {
  const head = `# Limits, simulated\n\nMade by \`npm run simulate\`: ${title}.\n\n${legend.join('\n')}\n`
  writeFileSync(new URL('results.md', import.meta.url), [head, ...sections].join('\n'))
}
if (plan.isQuick) {
  const complaints = broken(done)
  for (const complaint of complaints) console.error(`simulate: ${complaint}`)
  if (complaints.length > 0) process.exitCode = 1
}
