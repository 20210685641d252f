import { createHash } from 'node:crypto'
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { cellOf, jsonOf } from '../../extensions/export/fields.ts'
import { canonicalJson } from '../../lib/json.ts'
import { type RecordTable, sqlName } from './tables.ts'

/** A row as its key, cells and JSON. */
interface Row {
  readonly key: string
  readonly cells: readonly SQLInputValue[]
  readonly record: string
}

/** What became of a record: `number` is that of its row. */
export interface Written {
  readonly number: number
  readonly isNew: boolean
}

/** Writes the records of one table: each once, as the latest answer has it, with the history of its counts. */
export class RecordWriter {
  readonly #table: RecordTable
  readonly #insert: StatementSync
  readonly #compare: StatementSync
  readonly #update: StatementSync
  readonly #confirm: StatementSync
  readonly #count: StatementSync | undefined
  readonly #keepText: StatementSync | undefined

  /** Fails, before a page is bought, if the table has other columns. */
  constructor(database: DatabaseSync, table: RecordTable) {
    this.#table = table
    const { name, key, columns, counts, text } = table
    const [own, keyName] = [sqlName(name), sqlName(key)]
    const others = columns.map(({ path }) => path).filter((path) => path !== key)
    const names = [key, ...others, 'counted_at', 'record'].map(sqlName)
    this.#insert = database.prepare(
      `INSERT INTO ${own} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    const isEqual = (paths: readonly string[]): string =>
      paths.length === 0 ? '1' : paths.map((path) => `${sqlName(path)} IS ?`).join(' AND ')
    this.#compare = database.prepare(
      `SELECT number, counted_at, record = ? AS isSame, (${isEqual(counts)}) AS hasSameCounts,
        (${isEqual(text === undefined ? [] : [text])}) AS hasSameText FROM ${own} WHERE ${keyName} = ?`,
    )
    const values = [...others, 'counted_at', 'record'].map((path) => `${sqlName(path)} = ?`)
    this.#update = database.prepare(`UPDATE ${own} SET ${values.join(', ')} WHERE number = ?`)
    this.#confirm = database.prepare(`UPDATE ${own} SET counted_at = ? WHERE number = ?`)
    if (counts.length === 0) return
    const history = sqlName(`${name}_counts`)
    const counted = [key, 'counted_at', ...counts].map(sqlName)
    this.#count = database.prepare(
      `INSERT INTO ${history} (${counted.join(', ')}) VALUES (${counted.map(() => '?').join(', ')})`,
    )
    if (text === undefined) return
    this.#keepText = database.prepare(
      `UPDATE ${history} SET ${sqlName(text)} = (SELECT ${sqlName(text)} FROM ${own} WHERE ${keyName} = ?1)
       WHERE ${sqlName(text)} IS NULL AND rowid = (SELECT min(rowid) FROM ${history} WHERE ${keyName} = ?1)`,
    )
  }

  /**
   * Adds a record, or updates its row, unless a later answer is stored already.
   *
   * @param at When the answer came, as {@link sqliteTime} writes it; null if that is not known.
   */
  write(record: unknown, at: string | null): Written {
    const row = this.#rowOf(record)
    return this.#updated(row, at) ?? this.#added(row, at)
  }

  /** Updates the row of a record if it has one. */
  update(record: unknown, at: string): void {
    this.#updated(this.#rowOf(record), at)
  }

  /** The text that tells a record apart. */
  keyOf(record: unknown): string {
    const { unique, uniquePrefix = '' } = this.#table.operation
    const id = (record as Readonly<Record<string, unknown>> | null)?.[unique ?? '']
    // An id that is not documented as unique may be that of something else, such as of the post that a reaction is about.
    if (typeof id !== 'string' || !id.startsWith(uniquePrefix)) return hashOf(record)
    // SQLite would read halves of characters as one and the same.
    return id.isWellFormed() ? id : JSON.stringify(id).slice(1, -1)
  }

  #updated({ key, cells, record }: Row, at: string | null): Written | undefined {
    const { counts, text } = this.#table
    const numbers = this.#picked(cells, counts)
    const texts = this.#picked(cells, text === undefined ? [] : [text])
    const found = this.#compare.get(record, ...numbers, ...texts, key)
    if (found === undefined) return undefined
    const number = Number(found['number'])
    const written = { number, isNew: false }
    if (isLater(found['counted_at'], at)) return written
    if (found['isSame'] === 1) {
      this.#confirm.run(at, number)
      return written
    }
    if (found['hasSameText'] === 0) this.#keepText?.run(key)
    this.#update.run(...cells, at, record, number)
    if (found['hasSameCounts'] === 0) this.#count?.run(key, at, ...numbers)
    return written
  }

  #added({ key, cells, record }: Row, at: string | null): Written {
    const { lastInsertRowid } = this.#insert.run(key, ...cells, at, record)
    this.#count?.run(key, at, ...this.#picked(cells, this.#table.counts))
    return { number: Number(lastInsertRowid), isNew: true }
  }

  /** Cells of all documented fields, without that of the key. */
  #rowOf(record: unknown): Row {
    const { columns, key } = this.#table
    const cells = columns
      .filter(({ path }) => path !== key)
      .map(({ path }) => {
        const value = cellOf(record, path)
        return typeof value === 'boolean' ? Number(value) : value
      })
    return { key: this.keyOf(record), cells, record: jsonOf(record) }
  }

  #picked(cells: readonly SQLInputValue[], paths: readonly string[]): SQLInputValue[] {
    const { columns, key } = this.#table
    const names = columns.map(({ path }) => path).filter((path) => path !== key)
    return paths.map((path) => cells[names.indexOf(path)] ?? null)
  }
}

/** Whether a stored answer is later than this one. A time in the future was told by a wrong clock. */
function isLater(stored: SQLOutputValue | undefined, at: string | null): boolean {
  return typeof stored === 'string' && stored > (at ?? '') && stored <= sqliteTime(new Date())
}

/** A time as SQLite's own functions write it: `2026-11-27 21:30:00.123`, in UTC. */
export function sqliteTime(time: Date): string {
  return time.toISOString().slice(0, 23).replace('T', ' ')
}

/** A hash that equal values share, whatever the order of their fields. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(value) ?? '')
    .digest('hex')
}
