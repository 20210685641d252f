import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { cellOf } from '../../extensions/export/fields.ts'
import { isRecord } from '../../lib/json.ts'
import type { RecordTable } from './tables.ts'

/**
 * What a file has had, also what was deleted since: no run adds that again. There are only salted hashes of it, so that the file does
 * not say who or what it was.
 */
export class SeenRecords {
  readonly #salt: unknown
  readonly #add: StatementSync
  readonly #find: StatementSync

  constructor(database: DatabaseSync) {
    this.#salt = database.prepare('SELECT salt FROM social_search_salt').get()?.['salt']
    this.#add = database.prepare('INSERT INTO social_search_seen VALUES (?) ON CONFLICT DO NOTHING')
    this.#find = database.prepare('SELECT 1 FROM social_search_seen WHERE hash = ?')
  }

  /** Adds what has no row, and says whether it may get one: it has had none before, and who wrote it has not been forgotten. */
  admits(table: RecordTable, key: string, record: unknown): boolean {
    const isForgotten = (author: string): boolean =>
      this.#find.get(this.#hashOf('author', author)) !== undefined
    return !authorsOf(table, record).some(isForgotten) && this.add(table.name, key)
  }

  /** @returns whether it is new. */
  add(table: string, key: string): boolean {
    return this.#add.run(this.#hashOf(table, key)).changes === 1
  }

  forgetAuthor(name: string): void {
    this.add('author', authorName(name))
  }

  #hashOf(kind: string, name: string): Uint8Array {
    const hash = createHash('sha256').update(this.#salt as Uint8Array)
    return hash
      .update(JSON.stringify([kind, name]))
      .digest()
      .subarray(0, 16)
  }
}

/** An author as `forget --author` compares them: `@Bob` is `bob`. */
export function authorName(name: string): string {
  return name.normalize().replace(/^@/, '').toLowerCase()
}

/** Who wrote a record. Where the service documents no fields, any text of it may be the author. */
function authorsOf({ columns, authors }: RecordTable, record: unknown): string[] {
  const names = columns.length === 0 ? textsIn(record) : authors.map((path) => cellOf(record, path))
  return names.filter(isText).map(authorName)
}

export function textsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [value]
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
