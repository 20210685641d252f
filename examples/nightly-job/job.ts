/**
 * Stores the posts about a query that are new since the last run in posts.db. Run it each night. After a run that ended for
 * any reason, kill -9 included, the next one continues.
 */
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { CreditBudget, CreditBudgetError, SocialSearch, isSocialSearchError } from 'social-search-sdk'
import { watchSearch } from 'social-search-sdk/watch'

const params = { query: 'typescript', filters: { lang: 'en' } }
const creditsPerRun = 20

const client = SocialSearch.fromEnv()
// Free. Without a key or the service, the job ends here, and makes no file.
await client.openapi()

const db = new DatabaseSync('posts.db', { timeout: 10_000 })
db.exec(`
  CREATE TABLE IF NOT EXISTS posts (id TEXT PRIMARY KEY, post TEXT NOT NULL); -- JSON
  CREATE TABLE IF NOT EXISTS watches (params TEXT PRIMARY KEY, state TEXT NOT NULL);
`)
const insert = db.prepare('INSERT INTO posts VALUES (?, ?) ON CONFLICT DO NOTHING')
const update = db.prepare('UPDATE posts SET post = ? WHERE id = ?')
const keep = db.prepare('REPLACE INTO watches VALUES (?, ?)')
const name = JSON.stringify(params)
const stored = db.prepare('SELECT state FROM watches WHERE params = ?').get(name)
const state = stored === undefined ? null : JSON.parse(String(stored['state']))

const budget = new CreditBudget(creditsPerRun)
let added = 0
try {
  for await (const batch of watchSearch(client.microblog, params, {
    once: true,
    state,
    maxPages: 50,
    budget,
  })) {
    // Posts and state together, or neither.
    db.exec('BEGIN')
    for (const post of batch.posts) added += Number(insert.run(post.id, JSON.stringify(post)).changes)
    // Paid for already: their counts as they are now.
    for (const post of batch.known) update.run(JSON.stringify(post), post.id)
    keep.run(name, JSON.stringify(batch.state))
    db.exec('COMMIT')
  }
} catch (error) {
  if (!isSocialSearchError(error)) throw error
  if (error instanceof CreditBudgetError) console.log('The budget is used up; the next run continues')
  else {
    // You paid for this page: keep it, even though it does not have the documented shape.
    if (error.code === 'invalid_response')
      writeFileSync(`unexpected-${error.requestId ?? Date.now()}.json`, JSON.stringify(error.body))
    console.error(`${error.name}: ${error.message} (charged: ${error.charged})`)
    process.exitCode = 1
  }
} finally {
  db.close()
  console.log(`${added} new posts in posts.db, ${budget.summary().spent} of ${creditsPerRun} credits spent`)
}
