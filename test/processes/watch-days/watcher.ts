// Watches some searches into a database, by a fast clock, until it is killed.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { SocialSearch } from '../../../src/index.ts'
import { SharedBudget, sqliteStore } from '../../../src/extensions/shared/index.ts'
import { type SearchToWatch, type WatchState, watchSearches } from '../../../src/extensions/watch/index.ts'
import { type FastClock, liveFast } from './clock.ts'

/** What the test tells a watcher. */
export interface Orders {
  readonly clock: FastClock
  readonly folder: string
  readonly baseUrl: string
  readonly searches: Readonly<Record<string, SearchToWatch>>
  readonly limit: number
}

const { clock, folder, baseUrl, searches, limit } = JSON.parse(process.argv[2] ?? '') as Orders
liveFast(clock)

// So long by the fast clock that a busy machine is no fault.
const patience = 12 * 3_600_000
const client = new SocialSearch({
  ...{ baseUrl, apiKey: 'org_live_key', timeout: patience, retry: false, logger: false },
  limits: { perMinute: false },
  // Node's own fetch has timers that would go as fast.
  fetch: async (...asked) => {
    const given = new Request(...asked)
    const { url, method, headers } = given
    const options = { method, headers: Object.fromEntries(headers) }
    const sent = request(url, options).end(await given.text())
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return new Response(await text(answer), { status: answer.statusCode ?? 0 })
  },
})
const budget = new SharedBudget({
  ...{
    store: sqliteStore(`${folder}/shared.sqlite`),
    storeTimeout: patience,
    lease: patience,
    logger: false,
  },
  ...{ name: 'brands', limit, every: 'day', timeZone: 'Europe/Paris' },
})
const database = new DatabaseSync(`${folder}/posts.db`)
database.exec('PRAGMA busy_timeout = 10000')
const stored = database.prepare('SELECT state FROM states WHERE name = ?')
const [post, batch, keep] = [
  database.prepare('INSERT INTO posts VALUES (?, ?, ?)'),
  database.prepare('INSERT INTO batches (name, gaps) VALUES (?, ?) RETURNING id'),
  database.prepare('REPLACE INTO states VALUES (?, ?)'),
]
for (;;) {
  const states = Object.fromEntries(
    Object.keys(searches).flatMap((name) => {
      const row = stored.get(name)
      return row === undefined ? [] : [[name, JSON.parse(String(row['state'])) as WatchState]]
    }),
  )
  try {
    for await (const { name, posts, state, gaps } of watchSearches(client, searches, { budget, states })) {
      database.exec('BEGIN IMMEDIATE')
      const { id } = batch.get(name, JSON.stringify(gaps)) as { id: number }
      // The primary key refuses a post that comes twice.
      for (const each of posts) post.run(name, 'urn' in each ? each.urn : each.id, id)
      keep.run(name, JSON.stringify(state))
      database.exec('COMMIT')
    }
  } catch (error) {
    // On a busy machine, minutes of the fast clock pass before a call is sent, or the store is free.
    if ((error as { charged?: string }).charged !== 'no') throw error
  }
}
