import type { DatabaseSync } from 'node:sqlite'
import { operationOf } from '../../api/operations.ts'
import { isRecord, parsed } from '../../lib/json.ts'
import { RecordWriter, timeText } from './record-writer.ts'
import { createFoundView, createSharedTables, createTables } from './schema.ts'
import { SearchWriter } from './searches.ts'
import { type RecordTable, allTables, quoted, tableOf } from './tables.ts'

/** Gives the tables of an earlier version their history, full text and searches. Call it within a transaction. */
export function upgrade(database: DatabaseSync): void {
  const old = allTables().filter((table) => isOld(database, table))
  for (const table of old) rebuild(database, table)
  if (old.length > 0) addSearches(database)
  if (columnsOf(database, 'social_search_spent') === 'search,network,day,credits,uncertain')
    rebuildSpent(database)
}

function columnsOf(database: DatabaseSync, name: string): string {
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(name)
  return columns.map((each) => String(each['name'])).join()
}

/** Says of costs for which kind of records they were: the first that the search has returned. */
function rebuildSpent(database: DatabaseSync): void {
  database.exec(
    'CREATE TEMP TABLE old_spent AS SELECT * FROM social_search_spent; DROP TABLE social_search_spent',
  )
  createSharedTables(database)
  database.exec(`INSERT INTO social_search_spent SELECT search, network,
    (SELECT records FROM social_search_searches AS searches WHERE searches.search = old_spent.search
     AND ifnull(searches.network, '') = old_spent.network ORDER BY number LIMIT 1), day, credits, uncertain FROM old_spent;
    DROP TABLE old_spent`)
}

/** Whether a table has exactly the columns of an earlier version: others are not ours to change. */
function isOld(database: DatabaseSync, { name, key, columns }: RecordTable): boolean {
  const before = [...(key === 'key' ? ['key'] : []), ...columns.map(({ path }) => path), 'record']
  return columnsOf(database, name) === before.join()
}

function rebuild(database: DatabaseSync, table: RecordTable): void {
  const { name } = table
  const found = quoted(`${name}_found`)
  const hasFound = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = ?")
  const wasFound = hasFound.get(`${name}_found`) !== undefined
  const indexes = database
    .prepare("SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    .all(name)
  // A full text that a reader has made of the table would not follow it.
  database.exec(`DROP VIEW IF EXISTS ${found}; DROP TABLE IF EXISTS ${quoted(`${name}_fts`)};
    CREATE TEMP TABLE old_records AS SELECT rowid AS number, * FROM ${quoted(name)}; DROP TABLE ${quoted(name)}`)
  createTables(database, table)
  if (wasFound) createFoundView(database, table)
  const writer = new RecordWriter(database, table)
  const seen = database.prepare('SELECT min(first_seen) AS time FROM social_search_found WHERE key = ?')
  for (const { record } of database.prepare('SELECT record FROM old_records ORDER BY number').iterate()) {
    const value: unknown = JSON.parse(String(record))
    const time = seen.get(writer.keyOf(value))?.['time']
    writer.write(value, typeof time === 'string' ? time : null)
  }
  database.exec('DROP TABLE old_records')
  for (const { sql } of indexes) database.exec(String(sql))
}

/** Adds the searches of the jobs, and what each watch has found. */
function addSearches(database: DatabaseSync): void {
  for (const { job, state } of database.prepare('SELECT job, state FROM social_search_jobs').all()) {
    const value = parsed(String(job))
    const { watch, operation: id = watch } = (isRecord(value) ? value : {}) as {
      watch?: string
      operation?: string
    }
    const operation = operationOf(id ?? '')
    if (operation?.list === undefined) continue
    const table = tableOf(operation)
    createTables(database, table)
    const number = new SearchWriter(database, table).numberOf(value as object)
    const at = Number((parsed(String(state)) as { pace?: { at?: number } } | null)?.pace?.at)
    const first = `(SELECT min(first_seen) FROM social_search_found WHERE query = search)`
    database
      .prepare(
        `UPDATE social_search_searches SET first_look = ${first}, last_look = ifnull(?, ${first}) WHERE number = ?`,
      )
      .run(Number.isFinite(at) ? timeText(new Date(at)) : null, number)
    if (watch === undefined) continue
    database
      .prepare(
        `INSERT INTO social_search_results SELECT ?1, records.number FROM social_search_found AS found
         JOIN ${quoted(table.name)} AS records ON records.${quoted(table.key)} = found.key
         WHERE query = (SELECT search FROM social_search_searches WHERE number = ?1) ON CONFLICT DO NOTHING`,
      )
      .run(number)
  }
}
