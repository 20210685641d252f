/**
 * What the package costs beside its peers. Everything is measured in turns, in one run, and given as ratios, since times
 * of different runs or machines cannot be compared.
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
import { summarize } from './summary.ts'
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

const small = own(plan.dist, plan.against, 'ours-search')
const whole = ours.map((each) => ({ ...each, name: `${each.name}, whole client` }))
const bundles = await measureBundles([...peers, ...small, ...whole])
show(bundles.table)

const start = await measureStart(contestants, plan)
show(start.table)

const stub = await measureCalls(contestants, plan)
show(stub.table)

const server = new Child('server', [])
const baseUrl = `http://127.0.0.1:${(await server.answer<{ port: number }>()).port}/v1`
const http = await measureCalls(contestants, plan, baseUrl)
show(http.table)

const queue = await measureQueue([base, ...ours], plan)
show(...queue.tables)

const walks = []
for (const items of plan.walks) {
  const walk = await measureWalk([raw, ...ours], plan, items, baseUrl)
  walks.push({ items, peaks: walk.peaks })
  show(walk.table)
}
await server.end()

const names = ours.map(({ name }) => name)
const summary = summarize(names, { stub, http, start, sizes: bundles.sizes, queue: queue.figures, walks })
console.log(textTable(summary))
console.log(versions())

if (!plan.quick) {
  const head = `# The package beside its peers\n\nMade by \`npm run bench\`. Ratios are medians of the rounds of one run, with their quartiles.\n\n${versions()}.\n`
  writeFileSync(join(folder, 'results.md'), [head, ...[summary, ...tables].map(markdownTable)].join('\n'))
}
