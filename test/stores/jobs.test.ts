import { stripTypeScriptTypes } from 'node:module'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { SharedBudget, memoryStore } from '../../src/extensions/shared/index.ts'
import { watchSearches } from '../../src/extensions/watch/index.ts'
import { samplesOf } from '../docs/samples.ts'

it('docs/jobs.md stores posts with better-sqlite3 as it says', async () => {
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const sample = samplesOf('docs/jobs.md').find((text) => text.includes('INTO watches')) ?? ''
  const body = stripTypeScriptTypes(sample)
    .replaceAll(/^import .*$/gm, '')
    .replace("new DatabaseSync('posts.db')", 'Database')
  const job = new Function(
    'SocialSearch',
    'Database',
    'SharedBudget',
    'sqliteStore',
    'watchSearches',
    `return (async () => {${body}})()`,
  )
  const db = new Database(':memory:')
  const fromEnv = () => new SocialSearch(sandbox.clientOptions())
  const run = (): Promise<void> => job({ fromEnv }, db, SharedBudget, memoryStore, watchSearches)

  await run()
  const count = db.prepare('SELECT count(*) AS stored FROM posts')
  const { stored } = count.get() as { stored: number }
  sandbox.publish([{ body: 'acme' }])
  // Fifteen minutes later, both searches are due.
  db.exec("UPDATE watches SET state = json_set(state, '$.pace.at', 0)")
  await run()
  expect([count.get(), sandbox.ledger.spent]).toEqual([{ stored: stored + 1 }, 8])
})
