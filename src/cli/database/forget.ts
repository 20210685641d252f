/**
 * Deleting for good. Rows go in batches, so that others can write in between; triggers take what belongs to a row along. A salted hash of
 * each stays, and no later run adds it again. In the end the log is emptied, since it has pages as they were.
 */
import type { DatabaseSync } from 'node:sqlite'
import { type Patience, inTransaction } from '../../lib/sqlite-file.ts'
import { sleep } from '../../lib/time.ts'
import { type Collection, whenFree, withCollection } from './open-database.ts'
import { type RecordTable, sqlName } from './tables.ts'
import { createHash, randomBytes } from 'node:crypto'
import { cellOf } from '../../extensions/export/fields.ts'
import { isRecord } from '../../lib/json.ts'

/** Which records to forget. */
export interface ForgetOptions {
  /** Of this author: a handle, an address, or a full name. */
  readonly author?: string | undefined
  /** With one of these ids. */
  readonly ids?: readonly string[] | undefined
  /** Published longer ago, in milliseconds; if that is not known, last returned. */
  readonly olderThan?: number | undefined
  /** What `olderThan` counts from, in milliseconds since 1970. Default: the clock of this machine. */
  readonly now?: number | undefined
}

/** What became of what was to be forgotten. */
export interface Forgetting {
  /** How many records were deleted. */
  readonly records: number
  /** Whether no byte of them is left: another program that reads the file keeps what it sees. */
  readonly isClean: boolean
}

/**
 * Deletes records, their history and all that leads to them, and sees to it that no later run adds them again.
 *
 * @param confirm Asks before anything is deleted; it throws if the answer is no.
 * @throws {UsageError} for a file without records.
 */
export function forgetRecords(
  path: string,
  options: ForgetOptions,
  confirm: (records: number) => Promise<void>,
  patience?: Patience,
): Promise<Forgetting> {
  return withCollection(path, 'forget', async (collection) => {
    const { database, tables } = collection
    const records = await whenFree(path, () =>
      tables.reduce((sum, table) => sum + keysOf(database, table, options).length, 0),
    )
    await confirm(records)
    return forgetIn(path, collection, options, patience)
  })
}

/** So many records go at once, and others have the file for so long before the next ones. */
const [batch, pauseMs] = [500, 50]

/** Deletes records in batches that let others write in between. */
export async function forgetIn(
  path: string,
  { database, tables }: Collection,
  options: ForgetOptions,
  patience?: Patience,
): Promise<Forgetting> {
  const alone = (work: () => void) => whenFree(path, () => inTransaction(database, work), patience)
  const forgotten = new Forgotten(database)
  // Also before it comes for the first time.
  await alone(() => {
    const { author, ids = [] } = options
    for (const { name } of tables) for (const id of ids) forgotten.add(name, id)
    if (author !== undefined) forgotten.addAuthor(author)
    forgotten.noteDeleted()
  })
  let records = 0
  for (const table of tables) {
    const keys = await whenFree(path, () => keysOf(database, table, options), patience)
    // Others write meanwhile: another record may get the number of a row that has gone, but not its key.
    const remove = database.prepare(
      `DELETE FROM ${sqlName(table.name)} WHERE ${sqlName(table.key)} IN (SELECT value FROM json_each(?))`,
    )
    for (let at = 0; at < keys.length; at += batch) {
      await alone(() => {
        remove.run(JSON.stringify(keys.slice(at, at + batch)))
        forgotten.noteDeleted()
      })
      await sleep(pauseMs)
    }
    records += keys.length
  }
  return { records, isClean: await clear(database, patience) }
}

/** What a command says if a program keeps what was deleted. */
export function remainsText(path: string): string {
  return `${path}: another program is reading it, so bytes of deleted records are left in ${path}-wal; once it has ended, run this again`
}

/** How long to wait for programs that read the file, in milliseconds. */
const readersMs = 10_000

/** Empties the log, which has pages as they were. Returns false if another program reads what was deleted. */
async function clear(database: DatabaseSync, patience?: Patience): Promise<boolean> {
  const end = performance.now() + readersMs
  for (;;) {
    if (database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] !== 1) return true
    if (performance.now() > end) return false
    await sleep(pauseMs, patience?.signal)
  }
}

/** The keys of the records to forget. Where the service documents no fields, any text of a record may be its author. */
function keysOf(
  database: DatabaseSync,
  { name, key, time, columns, authors }: RecordTable,
  { author, ids = [], olderThan, now = Date.now() }: ForgetOptions,
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
    .all(JSON.stringify(ids), olderThan === undefined ? null : now - olderThan)
  return rows.map(({ key }) => String(key))
}

/** What must not come back: salted hashes, so that the file does not say who or what it was. */
export class Forgotten {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Whether a record, or who wrote it, has been forgotten. */
  has(table: RecordTable, key: string, record: unknown): boolean {
    // Most files have forgotten nothing.
    const { any } =
      this.#database.prepare('SELECT EXISTS (SELECT 1 FROM social_search_forgotten) AS any').get() ?? {}
    if (any !== 1) return false
    const find = this.#database.prepare('SELECT 1 FROM social_search_forgotten WHERE hash = ?')
    const isKnown = (kind: string, name: string): boolean => find.get(this.#hashOf(kind, name)) !== undefined
    return isKnown(table.name, key) || authorsOf(table, record).some((author) => isKnown(authorKind, author))
  }

  addAuthor(name: string): void {
    this.add(authorKind, authorName(name))
  }

  /** Forgets what was deleted since the last time, also by another program with SQL. */
  noteDeleted(): void {
    const rows = this.#database.prepare('SELECT records, key FROM social_search_deleted').all()
    for (const { records, key } of rows) this.add(String(records), String(key))
    if (rows.length > 0) this.#database.exec('DELETE FROM social_search_deleted')
  }

  add(kind: string, name: string): void {
    this.#database
      .prepare('INSERT INTO social_search_forgotten VALUES (?) ON CONFLICT DO NOTHING')
      .run(this.#hashOf(kind, name))
  }

  #hashOf(kind: string, name: string): Uint8Array {
    return createHash('sha256')
      .update(this.#salt())
      .update(JSON.stringify([kind, name]))
      .digest()
      .subarray(0, 16)
  }

  #salt(): Uint8Array {
    const find = this.#database.prepare('SELECT salt FROM social_search_salt')
    const salt = find.get()?.['salt']
    if (salt instanceof Uint8Array) return salt
    const made = randomBytes(16)
    this.#database.prepare('INSERT INTO social_search_salt VALUES (?)').run(made)
    return made
  }
}

const authorKind = 'author'

/** An author as `forget --author` compares them: `@Bob` is `bob`. */
function authorName(name: string): string {
  return name.normalize().replace(/^@/, '').toLowerCase()
}

/** Who wrote a record. Where the service documents no fields, any text of it may be the author. */
function authorsOf({ columns, authors }: RecordTable, record: unknown): string[] {
  const names =
    columns.length === 0 ? textsIn(record) : authors.map((path) => cellOf(record, path)).filter(isText)
  return names.map(authorName)
}

function textsIn(value: unknown): string[] {
  if (isText(value)) return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
