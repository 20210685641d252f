import { createHash } from 'node:crypto'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { cellOf, jsonOf } from '../../extensions/export/fields.ts'
import { canonicalJson } from '../../lib/json.ts'
import { type RecordTable, sqlName } from './tables.ts'

/** Writes the records of one table: each once, as the latest answer has it. */
export class RecordWriter {
  readonly table: RecordTable
  readonly #insert: StatementSync
  readonly #update: StatementSync
  readonly #find: StatementSync

  /** Fails, before a page is bought, if the table has other columns. */
  constructor(database: DatabaseSync, table: RecordTable) {
    this.table = table
    const [own, key] = [sqlName(table.name), sqlName(table.key)]
    const names = [...this.#paths, 'counted_at', 'record'].map(sqlName)
    this.#insert = database.prepare(
      `INSERT INTO ${own} (${key}, ${names.join(', ')}) VALUES (?, ${names.map(() => '?').join(', ')})`,
    )
    // A time in the future was told by a wrong clock.
    this.#update = database.prepare(
      `UPDATE ${own} SET ${names.map((name) => `${name} = ?`).join(', ')}
       WHERE ${key} = ? AND (counted_at IS NULL OR counted_at <= ? OR counted_at > ?)`,
    )
    this.#find = database.prepare(`SELECT number FROM ${own} WHERE ${key} = ?`)
  }

  /**
   * Adds a record that has no row yet.
   *
   * @param at When the answer came, as {@link sqliteTime} writes it.
   * @returns the number of its row.
   */
  add(record: unknown, at: string): number {
    return Number(this.#insert.run(this.keyOf(record), ...this.#valuesOf(record, at)).lastInsertRowid)
  }

  /** Updates the row of a record, unless a later answer is stored already. Returns its number; undefined if it has none. */
  update(record: unknown, at: string): number | undefined {
    const key = this.keyOf(record)
    this.#update.run(...this.#valuesOf(record, at), key, at, sqliteTime(new Date()))
    const row = this.#find.get(key)
    return row && Number(row['number'])
  }

  /** The text that tells a record apart. */
  keyOf(record: unknown): string {
    const { unique, uniquePrefix = '' } = this.table.operation
    const id = (record as Readonly<Record<string, unknown>> | null)?.[unique ?? '']
    // An id that is not documented as unique may be that of something else, such as of the post that a reaction is about.
    if (typeof id !== 'string' || !id.startsWith(uniquePrefix)) return hashOf(record)
    // SQLite would read halves of characters as one and the same.
    return id.isWellFormed() ? id : JSON.stringify(id).slice(1, -1)
  }

  /** The documented fields, without that of the key. */
  get #paths(): readonly string[] {
    const { columns, key } = this.table
    return columns.map(({ path }) => path).filter((path) => path !== key)
  }

  #valuesOf(record: unknown, at: string): SQLInputValue[] {
    const cells = this.#paths.map((path) => {
      const value = cellOf(record, path)
      return typeof value === 'boolean' ? Number(value) : value
    })
    return [...cells, at, jsonOf(record)]
  }
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
