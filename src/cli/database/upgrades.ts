import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../lib/sqlite-file.ts'
import { UsageError } from '../command-errors.ts'
import { say } from '../terminal.ts'
import { createFoundView, createSharedTables, createTables } from './schema.ts'
import { type RecordTable, allTables, columnNamesOf, sqlName } from './tables.ts'

/** What leads from each format of a file to the next one. Published steps never change. */
const steps: readonly ((database: DatabaseSync) => void)[] = [
  numberRows,
  keepPurchases,
  mergeFound,
  dropIndex,
]

/** The format that this version writes, as `user_version` says it. Files of version 0.1.0 say 0. */
export const currentFormat = steps.length

/** The format of a file. */
function formatOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}

/** @throws {UsageError} for a file that this version cannot read. */
export function assertReadable(database: DatabaseSync, path: string): void {
  const format = formatOf(database)
  if (!isOurs(database) || format <= currentFormat) return
  throw new UsageError(
    `${path} has format ${format}, of a newer social-search than this one, which knows formats up to ${currentFormat}; update it`,
  )
}

/** Brings a file that can be read to the newest format, in one transaction. */
export function upgrade(database: DatabaseSync, path: string): void {
  if (!isOurs(database) || formatOf(database) === currentFormat) return
  inTransaction(database, () => {
    // Another process may have done it by now.
    for (const step of steps.slice(formatOf(database))) step(database)
    database.exec(`PRAGMA user_version = ${currentFormat}`)
  })
  say(`${path} has been upgraded to format ${currentFormat}`)
}

/**
 * Marks a file that has nothing yet.
 *
 * @throws {UsageError} for a file of another program.
 */
export function claim(database: DatabaseSync, path: string): void {
  if (isOurs(database)) return
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_master').get() === undefined
  if (!isEmpty || formatOf(database) > currentFormat)
    throw new UsageError(`${path} is the database of another program; pass another file`)
  database.exec(`PRAGMA user_version = ${currentFormat}`)
}

function isOurs(database: DatabaseSync): boolean {
  return columnNamesOf(database, 'social_search_jobs').length > 0
}

/** Rows get numbers in the order in which they came, those first that `export --new` has exported. */
function numberRows(database: DatabaseSync): void {
  for (const table of tablesIn(database)) {
    database.exec(`DROP TRIGGER IF EXISTS ${sqlName(`${table.name}_deleted`)}`)
    createTables(database, table)
    numberRowsOf(database, table)
  }
}

function tablesIn(database: DatabaseSync): RecordTable[] {
  return allTables().filter(({ name }) => columnNamesOf(database, name).length > 0)
}

/** What each search had cost a day becomes a purchase; from now on, each request is one. */
function keepPurchases(database: DatabaseSync): void {
  createSharedTables(database)
  database.exec(
    `INSERT INTO social_search_purchases (search, at, credits, uncertain)
       SELECT (SELECT ifnull(min(number), 0) FROM social_search_searches AS searches WHERE searches.search = spent.search
         AND ifnull(searches.network, '') = spent.network AND searches.records = spent.records),
         day || ' 00:00:00.000', credits, uncertain FROM social_search_spent AS spent;
     DROP TABLE social_search_spent`,
  )
  // The view of that name.
  createSharedTables(database)
}

function numberRowsOf(database: DatabaseSync, { name, key }: RecordTable): void {
  const job = (source: string): string => `export ${source}`
  const read = database.prepare('SELECT state FROM social_search_jobs WHERE job = ?')
  const exported = Number(read.get(job(`${name}_found`))?.['state'] ?? 0)
  const keys = (condition: string): string => `(SELECT key FROM social_search_found WHERE ${condition})`
  // A post that another query has found since comes again.
  const wasExported = `(${sqlName(key)} IN ${keys('number <= ?1')} AND ${sqlName(key)} NOT IN ${keys('number > ?1')})`
  const add = (condition: string): void => {
    database
      .prepare(
        `INSERT INTO social_search_added (records, row) SELECT '${name}', number FROM ${sqlName(name)}
         WHERE ${condition} ORDER BY number`,
      )
      .run(exported)
  }
  add(wasExported)
  if (exported > 0)
    database
      .prepare('REPLACE INTO social_search_jobs SELECT ?, ifnull(max(number), 0) FROM social_search_added')
      .run(job(name))
  add(`NOT ${wasExported}`)
}

/** A result has the time at which it was first there, as only what a watch had found did. */
function mergeFound(database: DatabaseSync): void {
  database.exec('ALTER TABLE social_search_results ADD COLUMN first_seen TEXT')
  for (const table of tablesIn(database)) {
    const { name, key } = table
    const hasView = columnNamesOf(database, `${name}_found`).length > 0
    database.exec(`UPDATE social_search_results AS results SET first_seen =
        (SELECT first_seen FROM social_search_found AS found JOIN ${sqlName(name)} AS records ON records.${sqlName(key)} = found.key
         WHERE records.number = results.number AND found.query = searches.search)
      FROM social_search_searches AS searches WHERE searches.number = results.search AND searches.records = '${name}';
      DROP VIEW IF EXISTS ${sqlName(`${name}_found`)}; DROP TRIGGER ${sqlName(`${name}_deleted`)}`)
    createTables(database, table)
    if (hasView) createFoundView(database, table)
  }
  database.exec('DROP TABLE social_search_found')
}

/** `find` reads the texts themselves, in place of an index of their words, and triggers keep the history of counts. */
function dropIndex(database: DatabaseSync): void {
  for (const table of tablesIn(database)) {
    for (const trigger of ['added', 'changed', 'unindexed'])
      database.exec(`DROP TRIGGER IF EXISTS ${sqlName(`${table.name}_${trigger}`)}`)
    database.exec(`DROP TABLE IF EXISTS ${sqlName(`${table.name}_fts`)}`)
    createTables(database, table)
  }
}
