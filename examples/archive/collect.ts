/**
 * Stores the posts that each search has found since the last run. Run it again after it ended for any reason, kill -9
 * included: new posts come first, then what earlier runs have left.
 */
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { CreditBudgetError, SocialSearch, ValidationError, isSocialSearchError } from 'social-search-sdk'
import { SharedBudget, sqliteStore } from 'social-search-sdk/shared'
import { type Walk, newWalk, openArchive, storePage, unfinishedWalks } from './archive.ts'
import { dailyCredits, searches } from './searches.ts'

// The operating system drops this lock when the process ends, however that happens.
const lock = new DatabaseSync('posts.lock')
try {
  lock.exec('BEGIN EXCLUSIVE')
} catch (error) {
  console.error(`Cannot lock posts.lock; is another run collecting? (${(error as Error).message})`)
  process.exit(1)
}

const db = openArchive()
const store = sqliteStore('credits.sqlite')
const budget = new SharedBudget({ store, name: 'archive', limit: dailyCredits, every: 'day' })
const client = SocialSearch.fromEnv()

async function collect(walk: Walk): Promise<void> {
  const { params, next } = walk
  let added = 0
  try {
    for await (const page of client.microblog.search(params, { budget }).resume({ next }).pages()) {
      added += storePage(db, walk, page)
      if (walk.next === null) break
    }
  } finally {
    console.log(`${params.query}: ${added} new posts${walk.next ? ', more to come' : ''}`)
  }
}

try {
  const wanted = searches.map((params) => ({ ...params, category: 'Latest' as const }))
  const keys = new Set(wanted.map((params) => JSON.stringify(params)))
  const unfinished = unfinishedWalks(db).filter(({ params }) => keys.has(JSON.stringify(params)))
  const newest = wanted.map((params) => () => newWalk(db, params))
  for (const start of [...newest, ...unfinished.map((walk) => () => walk)]) {
    const walk = start()
    try {
      await collect(walk)
    } catch (error) {
      if (!isSocialSearchError(error) || error instanceof CreditBudgetError) throw error
      // The service may refuse an old cursor: the next run begins this walk again.
      if (error instanceof ValidationError)
        db.prepare('UPDATE walks SET next = search WHERE id = ?').run(walk.id)
      // You paid for this page: keep it, even though it does not have the documented shape.
      if (error.code === 'invalid_response')
        writeFileSync(`unexpected-${error.requestId ?? Date.now()}.json`, JSON.stringify(error.body))
      console.error(`${error.name}: ${error.message} (charged: ${error.charged})`)
      process.exitCode = 1
    }
  }
} catch (error) {
  if (!(error instanceof CreditBudgetError)) throw error
  console.log('The budget of today is used up; tomorrow continues')
}
const { spent, uncertain } = await budget.summary()
console.log(`Today: ${spent} of ${dailyCredits} credits spent, ${uncertain} uncertain`)
await budget.close()
store.close()
