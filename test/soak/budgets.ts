/**
 * Sets the clocks of processes that share a budget to and fro, kills them and loses replies, and checks with a ledger of its own that
 * no period is spent twice. The same seed gives the same plans.
 *
 *   node test/soak/budgets.ts --store sqlite --runs 2000 --seed 1
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import fc from '../support/chance.ts'
import { wholeNumber } from '../../bench/simulate/plan.ts'
import { type SharedStore, memoryStore, sqliteStore } from '../../src/extensions/shared/index.ts'
import { startPostgres } from '../postgres/server.ts'
import { openStore } from '../redis/clients.ts'
import { startRedis } from '../redis/server.ts'
import { keepsEachPeriod } from '../shared/clock-attacks.ts'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'memory' },
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string' },
  },
})

/** Connections to a store, and what ends it. */
interface Opened {
  readonly stores: readonly SharedStore[]
  end(): unknown
}

async function onServer(name: 'redis' | 'postgres'): Promise<Opened> {
  const server = name === 'redis' ? await startRedis() : await startPostgres()
  const connections = await Promise.all([1, 2, 3].map(() => openStore(name, server.url)))
  const end = async (): Promise<void> => {
    for (const { cut } of connections) cut()
    await ('remove' in server ? server.remove() : server.kill())
  }
  return { stores: connections.map(({ store }) => store), end }
}

const open: Record<string, () => Opened | Promise<Opened>> = {
  none: () => ({ stores: [], end: () => {} }),
  memory: () => ({ stores: [memoryStore()], end: () => {} }),
  sqlite: () => {
    const folder = mkdtempSync(join(tmpdir(), 'budgets-'))
    const stores = [1, 2, 3].map(() => sqliteStore(join(folder, 'shared.sqlite')))
    const end = (): void => {
      for (const store of stores) store.close()
      rmSync(folder, { recursive: true })
    }
    return { stores, end }
  },
  redis: () => onServer('redis'),
  postgres: () => onServer('postgres'),
}

const opening = open[values.store]
if (opening === undefined) throw new Error(`--store is one of ${Object.keys(open).join(', ')}`)
const { stores, end } = await opening()
const seed = values.seed === undefined ? Date.now() % 1e9 : wholeNumber('seed', values.seed)
const numRuns = wholeNumber('runs', values.runs)
try {
  await fc.assert(keepsEachPeriod(stores), { numRuns, seed })
  console.log(`no period was spent twice in ${numRuns} runs on ${values.store}, seed ${seed}`)
} finally {
  await end()
}
