import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../lib/sqlite-file.ts'
import { UsageError } from '../command-errors.ts'
import { say } from '../terminal.ts'
import { createFoundView, createTables } from './schema.ts'
import { hasTable, sqlName, tablesIn } from './tables.ts'

/**
 * What leads from each format of a file to the next one. A step never changes: it has SQL of its own, of the tables as they were then.
 * It finds no views and no triggers, which are made anew after the last step.
 */
const steps: readonly ((database: DatabaseSync) => void)[] = [
  numberRows,
  keepPurchases,
  mergeFound,
  dropIndex,
]

/** The tables of records that a file of these formats may have, with the column that tells records apart. */
const keys = {
  microblog_posts: 'id',
  professionalnet_posts: 'urn',
  professionalnet_person_posts: 'key',
  professionalnet_person_comments: 'key',
  professionalnet_comments: 'key',
  professionalnet_reactions: 'key',
  professionalnet_industries: 'key',
  technews_posts: 'key',
  mentions: 'key',
  listeners: 'key',
  feeds: 'key',
} as const

/** Triggers and the view of a table, of all formats. */
const derivedOfTable = [
  'added',
  'changed',
  'unindexed',
  'numbered',
  'deleted',
  'counted',
  'recounted',
  'edited',
  'found',
]
const derivedOfAll = ['social_search_gaps', 'social_search_spent']

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
    const format = formatOf(database)
    // Another process may have done it by now.
    if (format === currentFormat) return
    const dropped = dropDerived(database)
    for (const step of steps.slice(format)) step(database)
    for (const table of tablesIn(database)) {
      createTables(database, table)
      if (dropped.includes(`${table.name}_found`)) createFoundView(database, table)
    }
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
  return hasTable(database, 'social_search_jobs')
}

/** Drops the views and triggers of this program, and returns their names. Those of users stay. */
function dropDerived(database: DatabaseSync): string[] {
  const ofTables = Object.keys(keys).flatMap((name) => derivedOfTable.map((each) => `${name}_${each}`))
  const derived = database
    .prepare(
      `SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger') AND name IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify([...derivedOfAll, ...ofTables]))
  for (const { type, name } of derived) database.exec(`DROP ${String(type)} ${sqlName(String(name))}`)
  return derived.map(({ name }) => String(name))
}

function formerTablesIn(database: DatabaseSync): { readonly name: string; readonly key: string }[] {
  return Object.entries(keys).flatMap(([name, key]) => (hasTable(database, name) ? { name, key } : []))
}

/** Rows get numbers in the order in which they came, those first that `export --new` has exported. */
function numberRows(database: DatabaseSync): void {
  database.exec(`CREATE TABLE social_search_added (
    number INTEGER PRIMARY KEY AUTOINCREMENT, records TEXT NOT NULL, row INTEGER NOT NULL, UNIQUE (records, row))`)
  const read = database.prepare('SELECT state FROM social_search_jobs WHERE job = ?')
  for (const { name, key } of formerTablesIn(database)) {
    const exported = Number(read.get(`export ${name}_found`)?.['state'] ?? 0)
    const found = (condition: string): string => `(SELECT key FROM social_search_found WHERE ${condition})`
    // A post that another query has found since comes again.
    const wasExported = `(${key} IN ${found('number <= ?1')} AND ${key} NOT IN ${found('number > ?1')})`
    const add = (condition: string): void => {
      database
        .prepare(
          `INSERT INTO social_search_added (records, row) SELECT '${name}', number FROM ${name}
           WHERE ${condition} ORDER BY number`,
        )
        .run(exported)
    }
    add(wasExported)
    if (exported > 0)
      database
        .prepare('REPLACE INTO social_search_jobs SELECT ?, ifnull(max(number), 0) FROM social_search_added')
        .run(`export ${name}`)
    add(`NOT ${wasExported}`)
  }
}

/** What each search had cost a day becomes a purchase; from now on, each request is one. */
function keepPurchases(database: DatabaseSync): void {
  database.exec(
    `CREATE TABLE social_search_purchases (
       number INTEGER PRIMARY KEY, search INTEGER NOT NULL, at TEXT NOT NULL, label TEXT,
       credits NUMERIC NOT NULL, uncertain NUMERIC NOT NULL);
     INSERT INTO social_search_purchases (search, at, credits, uncertain)
       SELECT (SELECT ifnull(min(number), 0) FROM social_search_searches AS searches WHERE searches.search = spent.search
         AND ifnull(searches.network, '') = spent.network AND searches.records = spent.records),
         day || ' 00:00:00.000', credits, uncertain FROM social_search_spent AS spent;
     DROP TABLE social_search_spent`,
  )
}

/** A result has the time at which it was first there, as only what a watch had found did. */
function mergeFound(database: DatabaseSync): void {
  database.exec('ALTER TABLE social_search_results ADD COLUMN first_seen TEXT')
  for (const { name, key } of formerTablesIn(database))
    database.exec(
      `UPDATE social_search_results AS results SET first_seen =
         (SELECT first_seen FROM social_search_found AS found JOIN ${name} AS records ON records.${key} = found.key
          WHERE records.number = results.number AND found.query = searches.search)
       FROM social_search_searches AS searches WHERE searches.number = results.search AND searches.records = '${name}'`,
    )
  database.exec('DROP TABLE social_search_found')
}

/** `find` reads the texts themselves, in place of an index of their words. */
function dropIndex(database: DatabaseSync): void {
  for (const { name } of formerTablesIn(database)) database.exec(`DROP TABLE IF EXISTS ${name}_fts`)
}
