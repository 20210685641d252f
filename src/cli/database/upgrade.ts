import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../lib/sqlite-file.ts'
import { UsageError } from '../command-errors.ts'
import { toStderr } from '../terminal.ts'
import { createTables, currentFormat, sharedTables } from './schema.ts'
import { SearchWriter } from './searches.ts'
import { SeenRecords } from './seen-records.ts'
import { type RecordTable, columnNamesOf, hasTable, sqlName, tablesIn } from './tables.ts'

/**
 * Brings a file of any older format to the newest one, in one transaction: tables of records stay as they are, and what has another
 * place today moves there.
 *
 * @throws {UsageError} for a file of another program, or of a newer version.
 */
export function upgrade(database: DatabaseSync, path: string): void {
  const format = formatOf(database)
  if (!hasTable(database, 'social_search_searches')) {
    const isEmpty = database.prepare('SELECT 1 FROM sqlite_master').get() === undefined
    if (isEmpty) return
    throw new UsageError(`${path} is the database of another program; pass another file`)
  }
  if (format === currentFormat) return
  if (format > currentFormat)
    throw new UsageError(
      `${path} has format ${format}, of a newer social-search than this one, which knows formats up to ${currentFormat}; update it`,
    )
  inTransaction(database, () => {
    // Another process may have done it by now.
    if (formatOf(database) < currentFormat) moveAll(database)
  })
  toStderr(`${path} has been upgraded to format ${currentFormat}`)
}

function formatOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}

function moveAll(database: DatabaseSync): void {
  const had = (name: string): boolean => hasTable(database, `social_search_${name}`)
  const hasOrder = had('added')
  const tables = tablesIn(database)
  for (const { name } of tables) {
    const triggers = ['added', 'changed', 'unindexed', 'deleted'].map((each) => sqlName(`${name}_${each}`))
    database.exec(`${triggers.map((each) => `DROP TRIGGER IF EXISTS ${each};`).join('')}
      DROP VIEW IF EXISTS ${sqlName(`${name}_found`)}; DROP TABLE IF EXISTS ${sqlName(`${name}_fts`)}`)
  }
  database.exec('DROP VIEW IF EXISTS social_search_gaps')
  // Today, a view has its name.
  const hasSpent = had('spent')
  if (hasSpent) {
    // Older files did not say which records it had found.
    if (!columnNamesOf(database, 'social_search_spent').includes('records'))
      database.exec('ALTER TABLE social_search_spent ADD COLUMN records TEXT')
    database.exec(
      'CREATE TEMP TABLE spent AS SELECT * FROM social_search_spent; DROP TABLE social_search_spent',
    )
  }
  if (!columnNamesOf(database, 'social_search_results').includes('first_seen'))
    database.exec('ALTER TABLE social_search_results ADD COLUMN first_seen TEXT')
  database.exec('ALTER TABLE social_search_searches ADD COLUMN state TEXT')
  database.exec(sharedTables)
  const seen = new SeenRecords(database)
  for (const table of tables) {
    createTables(database, table)
    if (!hasOrder) orderRows(database, table)
    if (had('found')) moveFound(database, table)
    const keys = database.prepare(`SELECT ${sqlName(table.key)} AS key FROM ${sqlName(table.name)}`)
    for (const { key } of keys.iterate()) seen.add(table.name, String(key))
  }
  for (const { records, key } of database.prepare('SELECT records, key FROM social_search_deleted').all())
    seen.add(String(records), String(key))
  addSearches(database)
  // What a search had cost a day becomes a purchase.
  if (hasSpent)
    database.exec(`INSERT INTO social_search_purchases (search, at, credits, uncertain)
      SELECT (SELECT ifnull(min(number), 0) FROM social_search_searches AS searches WHERE searches.search = spent.search
        AND ifnull(searches.network, '') = spent.network AND ifnull(searches.records = spent.records, 1)),
        day || ' 00:00:00.000', credits, uncertain FROM temp.spent;
      DROP TABLE temp.spent`)
  database.exec(`
    UPDATE social_search_searches AS searches
      SET state = (SELECT state FROM social_search_jobs AS jobs WHERE jobs.job = searches.job);
    DELETE FROM social_search_added
      WHERE number <= (SELECT state + 0 FROM social_search_jobs WHERE job = 'export ' || records);
    INSERT INTO social_search_seen SELECT hash FROM social_search_forgotten WHERE true ON CONFLICT DO NOTHING;
    DROP TABLE IF EXISTS social_search_found; DROP TABLE social_search_jobs; DROP TABLE social_search_missing;
    DROP TABLE social_search_deleted; DROP TABLE social_search_forgotten`)
}

/** Of a job that was killed during its first page, a file knew the cost and the state, and not the search. */
function addSearches(database: DatabaseSync): void {
  const jobs = database.prepare(`SELECT job FROM social_search_jobs
    WHERE json_valid(job) AND job NOT IN (SELECT job FROM social_search_searches)`)
  const writer = new SearchWriter(database)
  for (const { job } of jobs.all()) writer.numberOf(JSON.parse(String(job)) as object)
}

/** In the first version, `export --new` was of the view of what watches had found. A post that another query had found since comes again. */
function orderRows(database: DatabaseSync, { name, key }: RecordTable): void {
  database.exec(`INSERT INTO social_search_added (records, row) SELECT '${name}', number FROM ${sqlName(name)}
    WHERE ${sqlName(key)} NOT IN (SELECT key FROM social_search_found GROUP BY key HAVING max(number) <=
      (SELECT state + 0 FROM social_search_jobs WHERE job = 'export ${name}_found')) ORDER BY number`)
}

/** A result has the time at which it was first there, as only what a watch had found did. */
function moveFound(database: DatabaseSync, { name, key }: RecordTable): void {
  database.exec(`UPDATE social_search_results AS results SET first_seen = found.first_seen
    FROM social_search_found AS found JOIN ${sqlName(name)} AS records ON records.${sqlName(key)} = found.key
    JOIN social_search_searches AS searches ON searches.search = found.query AND searches.records = '${name}'
    WHERE results.search = searches.number AND results.number = records.number`)
}
