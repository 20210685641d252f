import { stripTypeScriptTypes } from 'node:module'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { CreditBudget, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { watchSearch } from '../../src/extensions/watch/index.ts'
import { samplesOf } from '../docs/samples.ts'

it('docs/jobs.md stores posts with better-sqlite3 as it says', async () => {
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const sample = samplesOf('docs/jobs.md').find((text) => text.includes('INTO watches')) ?? ''
  const body = stripTypeScriptTypes(sample)
    .replaceAll(/^import .*$/gm, '')
    .replace("new DatabaseSync('posts.db')", 'Database')
    .replace('db.close()', '')
  const job = new Function(
    'SocialSearch',
    'Database',
    'CreditBudget',
    'watchSearch',
    `return (async () => {${body}})()`,
  )
  const db = new Database(':memory:')
  const fromEnv = () => new SocialSearch(sandbox.clientOptions())
  const run = (): Promise<void> => job({ fromEnv }, db, CreditBudget, watchSearch)

  await run()
  sandbox.publish([{ body: 'coffee' }])
  await run()
  const rows = db.prepare('SELECT count(*) AS stored FROM posts').get()
  expect([rows, sandbox.ledger.spent]).toEqual([{ stored: 21 }, 4])
})
