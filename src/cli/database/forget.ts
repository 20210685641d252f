import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../lib/sqlite-file.ts'
import { type Collection, withCollection } from './open-database.ts'
import { type RecordTable, quoted } from './tables.ts'
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

/**
 * Deletes records, their history and all that leads to them, and sees to it that no later run adds them again.
 *
 * @param confirm Asks before anything is deleted; it throws if the answer is no.
 * @returns how many records were deleted.
 * @throws {UsageError} for a file without records.
 */
export function forgetRecords(
  path: string,
  options: ForgetOptions,
  confirm: (records: number) => Promise<void>,
): Promise<number> {
  return withCollection(path, 'forget', async (collection) => {
    const { database, tables } = collection
    const total = tables.reduce((sum, table) => sum + rowsOf(database, table, options).length, 0)
    await confirm(total)
    const forgotten = inTransaction(database, () => forgetIn(collection, options))
    // The index keeps words of deleted texts until its parts are merged.
    for (const { name, text } of tables)
      if (text !== undefined)
        database.exec(`INSERT INTO ${quoted(`${name}_fts`)} (${quoted(`${name}_fts`)}) VALUES ('optimize')`)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return forgotten
  })
}

/** Call it within a transaction. */
export function forgetIn({ database, tables }: Collection, options: ForgetOptions): number {
  const { author, ids = [] } = options
  const forgotten = new Forgotten(database)
  for (const table of tables) {
    const remove = database.prepare(`DELETE FROM ${quoted(table.name)} WHERE number = ?`)
    for (const number of rowsOf(database, table, options)) remove.run(number)
    // Also before it comes for the first time.
    for (const id of ids) forgotten.add(table.name, id)
  }
  if (author !== undefined) forgotten.addAuthor(author)
  return forgotten.addDeleted()
}

/** The numbers of the rows to forget. */
function rowsOf(
  database: DatabaseSync,
  table: RecordTable,
  { author, ids = [], olderThan, now = Date.now() }: ForgetOptions,
): number[] {
  const { name, key, time, columns, authors } = table
  const numbers = new Set<number>()
  const add = (rows: readonly Readonly<Record<string, unknown>>[]): void => {
    for (const { number } of rows) numbers.add(Number(number))
  }
  for (const id of ids)
    add(database.prepare(`SELECT number FROM ${quoted(name)} WHERE ${quoted(key)} = ?`).all(id))
  if (olderThan !== undefined) {
    const at = [...(time === undefined ? [] : [time]), 'counted_at'].map((each) => `time_of(${quoted(each)})`)
    const published = at.length === 1 ? at[0] : `coalesce(${at.join(', ')})`
    add(database.prepare(`SELECT number FROM ${quoted(name)} WHERE ${published} < ?`).all(now - olderThan))
  }
  if (author !== undefined && (columns.length === 0 || authors.length > 0)) {
    const wanted = authorName(author)
    const rows = database.prepare(`SELECT number, record FROM ${quoted(name)}`).iterate()
    for (const { number, record } of rows)
      if (authorsOf(table, JSON.parse(String(record))).includes(wanted)) numbers.add(Number(number))
  }
  return [...numbers]
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

  /** Forgets what was deleted since the last time, also with SQL. Returns how many records that are. */
  addDeleted(): number {
    const rows = this.#database.prepare('SELECT records, key FROM social_search_deleted').all()
    for (const { records, key } of rows) this.add(String(records), String(key))
    if (rows.length > 0) this.#database.exec('DELETE FROM social_search_deleted')
    return rows.length
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
