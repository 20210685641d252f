/**
 * Compares the package with its peers. It measures everything in turns, in one run, and reports ratios, since times of
 * different runs or machines cannot be compared.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildAll } from './build.ts'
import { base, imports, own, peers, raw } from './contestants.ts'
import { folder } from './folders.ts'
import { installPeers } from './install.ts'
import { measureBundles } from './measure/bundle.ts'
import { measureCalls } from './measure/calls.ts'
import { measureQueue } from './measure/queue.ts'
import { measureStart } from './measure/start.ts'
import { measureWalk } from './measure/walk.ts'
import { type Plan, readPlan } from './plan.ts'
import { Child } from './processes.ts'
import { type Table, markdownTable, textTable } from './report.ts'
import { type Measured, summarize } from './summary.ts'
import { versions } from './versions.ts'

let plan: Plan
try {
  plan = readPlan(process.argv.slice(2))
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(2)
}

installPeers()
const ours = own(plan.dist, plan.against)
const contestants = [...peers, ...ours]
await buildAll([imports, ...contestants])

const tables: Table[] = []
const show = (...shown: Table[]): void => {
  tables.push(...shown)
  for (const table of shown) console.log(textTable(table))
}

const measured: Measured = { walks: [] }
const { sections } = plan

if (sections.includes('bundle')) {
  const small = own(plan.dist, plan.against, 'ours-search')
  const whole = ours.map((each) => ({ ...each, name: `${each.name}, whole client` }))
  const { sizes, table } = await measureBundles([...peers, ...small, ...whole])
  measured.sizes = sizes
  show(table)
}
if (sections.includes('start')) {
  measured.start = await measureStart(contestants, plan)
  show(measured.start.table)
}

const server = new Child('server', [])
const baseUrl = `http://127.0.0.1:${(await server.answer<{ port: number }>()).port}/v1`
if (sections.includes('calls')) {
  measured.stub = await measureCalls(contestants, plan)
  show(measured.stub.table)
  measured.http = await measureCalls(contestants, plan, baseUrl)
  show(measured.http.table)
}
if (sections.includes('queue')) {
  const { figures, tables } = await measureQueue([base, ...ours], plan)
  measured.queue = figures
  show(...tables)
}
if (sections.includes('walk')) {
  for (const items of plan.walks) {
    const { peaks, table } = await measureWalk([raw, base, ...ours], plan, items, baseUrl)
    measured.walks.push({ items, peaks })
    show(table)
  }
}
await server.end()

const names = ours.map(({ name }) => name)
const summary = summarize(names, measured)
console.log(textTable(summary))
console.log(versions())

if (plan.isWhole) {
  const head = `# The package beside its peers\n\nMade by \`npm run bench\`. Ratios are medians of the rounds of one run, with their quartiles.\n\n${versions()}.\n`
  writeFileSync(join(folder, 'results.md'), [head, ...[summary, ...tables].map(markdownTable)].join('\n'))
}
