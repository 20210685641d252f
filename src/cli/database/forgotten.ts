import { createHash, randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { cellOf } from '../../extensions/export/fields.ts'
import { isRecord } from '../../lib/json.ts'
import type { RecordTable } from './tables.ts'

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
export function authorName(name: string): string {
  return name.normalize().replace(/^@/, '').toLowerCase()
}

/** Who wrote a record. Where the service documents no fields, any text of it may be the author. */
export function authorsOf({ columns, authors }: RecordTable, record: unknown): string[] {
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
