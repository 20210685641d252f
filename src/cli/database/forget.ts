/**
 * Deleting for good. Rows go in batches, so that others can write in between; triggers take what belongs to a row along. In the end the
 * log is emptied, since it has pages as they were.
 */
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../lib/sqlite-file.ts'
import { sleep } from '../../lib/time.ts'
import { type OpenDatabase, untilFree, withRecords } from './open-database.ts'
import { SeenRecords, authorName, isText, textsIn } from './seen-records.ts'
import { type RecordTable, sqlName } from './tables.ts'
import { termsOf } from './terms.ts'

/** Which records to forget. */
export interface ForgetOptions {
  /** Of this author: a handle, an address, or a full name. */
  readonly author?: string | undefined
  /** With one of these ids. */
  readonly ids?: readonly string[] | undefined
  /** Published before this time, in milliseconds since 1970; if that is not known, last returned before it. */
  readonly before?: number | undefined
}

/** What became of the records that were to go. */
interface Forgetting {
  /** How many records were deleted. */
  readonly records: number
  /** Whether no byte of them is left: another program that reads the file keeps what it sees. */
  readonly isClean: boolean
}

/**
 * Deletes records, their history and all links to them. Later runs do not add them again. The searches and their costs stay.
 *
 * @param confirm Asks before anything is deleted; it throws if the answer is no.
 * @returns also `searches`: what was searched that names the author. It stays, with what it cost.
 * @throws {UsageError} for a file without records.
 */
export function forgetRecords(
  path: string,
  options: ForgetOptions,
  confirm: (records: number) => Promise<void>,
): Promise<Forgetting & { readonly searches: readonly string[] }> {
  const work = async (file: OpenDatabase, tables: readonly RecordTable[]) => {
    const { database } = file
    const records = await file.run(() =>
      tables.reduce((sum, table) => sum + keysOf(database, table, options).length, 0),
    )
    await confirm(records)
    const forgotten = await forgetIn(file, tables, options)
    const { author } = options
    const searches = author === undefined ? [] : await file.run(() => searchesNaming(database, author))
    return { ...forgotten, searches }
  }
  return withRecords(path, 'forget', work, untilFree)
}

function searchesNaming(database: DatabaseSync, author: string): string[] {
  const terms = termsOf(author)
  const isIn = (text: unknown): boolean => isText(text) && terms.every((term) => term.isIn(text))
  const rows = database.prepare('SELECT search, params FROM social_search_searches ORDER BY number').all()
  const named = rows.filter(({ params }) => textsIn(JSON.parse(String(params))).some(isIn))
  return [...new Set(named.map(({ search }) => String(search)))]
}

/** So many records go at once, and others have the file for so long before the next ones. */
const [batch, pauseMs] = [500, 50]

/** Deletes records in batches that let others write in between. */
export async function forgetIn(
  file: OpenDatabase,
  tables: readonly RecordTable[],
  options: ForgetOptions,
): Promise<Forgetting> {
  const { database } = file
  const alone = (work: () => void) => file.run(() => inTransaction(database, work))
  const seen = await file.run(() => new SeenRecords(database))
  // Also before it comes for the first time.
  await alone(() => {
    const { author, ids = [] } = options
    for (const { name } of tables) for (const id of ids) seen.add(name, id)
    if (author !== undefined) seen.forgetAuthor(author)
  })
  let records = 0
  for (const table of tables) {
    const keys = await file.run(() => keysOf(database, table, options))
    // Others write meanwhile: another record may get the number of a row that has gone, but not its key.
    const remove = database.prepare(
      `DELETE FROM ${sqlName(table.name)} WHERE ${sqlName(table.key)} IN (SELECT value FROM json_each(?))`,
    )
    for (let at = 0; at < keys.length; at += batch) {
      const some = keys.slice(at, at + batch)
      await alone(() => {
        for (const key of some) seen.add(table.name, key)
        remove.run(JSON.stringify(some))
      })
      await sleep(pauseMs)
    }
    records += keys.length
  }
  return { records, isClean: await clear(file) }
}

/** What a command says if a program keeps what was deleted. */
export function remainsText(path: string): string {
  return `${path}: another program is reading it, so bytes of deleted records are left in ${path}-wal; once it has ended, run this again`
}

/** How long to wait for programs that read the file, in milliseconds. */
const readersMs = 10_000

/** Empties the log, which has pages as they were. Returns false if another program reads what was deleted. */
async function clear({ database, lockWait }: OpenDatabase): Promise<boolean> {
  const end = performance.now() + readersMs
  for (;;) {
    if (database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] !== 1) return true
    if (performance.now() > end) return false
    await sleep(pauseMs, lockWait.signal)
  }
}

/** The keys of the records to forget. Where the service documents no fields, any text of a record may be its author. */
function keysOf(
  database: DatabaseSync,
  { name, key, time, columns, authors }: RecordTable,
  { author, ids = [], before }: ForgetOptions,
): string[] {
  const wanted = author === undefined ? undefined : authorName(author)
  database.function('is_author', { varargs: true }, (...texts) =>
    Number(texts.some((text) => isText(text) && authorName(text) === wanted)),
  )
  const times = [...(time === undefined ? [] : [time]), 'counted_at'].map(
    (each) => `time_of(${sqlName(each)})`,
  )
  const isByAuthor =
    columns.length === 0
      ? "EXISTS (SELECT 1 FROM json_tree(record) WHERE type = 'text' AND is_author(value))"
      : `is_author(${authors.map(sqlName).join(', ')})`
  const rows = database
    .prepare(
      `SELECT ${sqlName(key)} AS key FROM ${sqlName(name)} WHERE ${sqlName(key)} IN (SELECT value FROM json_each(?1))
       OR coalesce(${times.join(', ')}, NULL) < ?2 OR ${isByAuthor}`,
    )
    .all(JSON.stringify(ids), before ?? null)
  return rows.map(({ key }) => String(key))
}
