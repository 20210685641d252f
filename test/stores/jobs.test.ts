import { stripTypeScriptTypes } from 'node:module'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { CreditBudgetError, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { SharedBudget, memoryStore } from '../../src/extensions/shared/index.ts'
import { watchSearches } from '../../src/extensions/watch/index.ts'
import { samplesOf } from '../docs/samples.ts'

it('docs/jobs.md stores posts with better-sqlite3 as it says', async () => {
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const sample = samplesOf('docs/jobs.md').find((text) => text.includes('INTO watches')) ?? ''
  const own = { exitCode: 0 }
  const errors: string[] = []
  const body = stripTypeScriptTypes(sample)
    .replaceAll(/^import .*$/gm, '')
    .replace("new DatabaseSync('posts.db')", 'Database')
    .replace('limit: 200', 'limit')
  const job = new Function(
    'SocialSearch',
    'Database',
    'SharedBudget',
    'sqliteStore',
    'watchSearches',
    'CreditBudgetError',
    'process',
    'console',
    'limit',
    `return (async () => {${body}})()`,
  )
  const db = new Database(':memory:')
  const fromEnv = () => new SocialSearch(sandbox.clientOptions())
  const printed = { error: (text: string) => errors.push(text) }
  const run = (limit = 200): Promise<void> =>
    job({ fromEnv }, db, SharedBudget, memoryStore, watchSearches, CreditBudgetError, own, printed, limit)

  await run()
  const count = db.prepare('SELECT count(*) AS stored FROM posts')
  const { stored } = count.get() as { stored: number }
  sandbox.publish([{ body: 'acme' }])
  // Fifteen minutes later, both searches are due.
  const laterOn = () => db.exec("UPDATE watches SET state = json_set(state, '$.pace.at', 0)")
  laterOn()
  await run()
  expect([count.get(), sandbox.ledger.spent]).toEqual([{ stored: stored + 1 }, 8])
  const ofYesterday = samplesOf('docs/jobs.md', 'sql').find((sql) => sql.includes('-1 day')) ?? ''
  const yesterday = db.prepare(ofYesterday)
  expect(yesterday.all()).toEqual([])
  db.exec("UPDATE posts SET found = date('now', '-1 day') WHERE body = 'acme'")
  expect(yesterday.all()).toMatchObject([{ brand: 'acme', body: 'acme' }])

  laterOn()
  await run(2)
  expect([own.exitCode, errors]).toEqual([5, [expect.stringContaining('2 credits')]])
})
