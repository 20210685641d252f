import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Operation } from '../../api/operation.ts'
import { type Collection, withCollection } from './open-database.ts'
import { type Reach, reachOf } from './describe.ts'
import { type RecordTable, quoted, tableIsMissing } from './tables.ts'

/** Records of one kind, newest first. */
interface FoundRecords {
  readonly table: string
  readonly operation: Operation
  readonly records: readonly unknown[]
}

/** What a collection has about a query. */
export interface Found {
  /** The kind with the newest record first. */
  readonly kinds: readonly FoundRecords[]
  /** How many records match; more than are returned, if there is a limit. */
  readonly total: number
  /** What the collection has at all. */
  readonly reach: Reach
}

export interface FindOptions {
  /** Most records, of all kinds together. */
  readonly limit: number
  /** Only records of this table. */
  readonly table?: string | undefined
}

/**
 * Finds records with all words of a query in the text, or in the names of the author. `"two words"` must stand together, and
 * `word*` is the start of a word. It sends nothing, and costs nothing.
 *
 * @throws {UsageError} for a file without records, or without this table.
 */
export function findRecords(path: string, query: string, options: FindOptions): Promise<Found> {
  return withCollection(path, 'find', (collection) => findIn(collection, query, options))
}

function findIn({ database, tables }: Collection, query: string, { limit, table }: FindOptions): Found {
  const terms = termsOf(query)
  const searched = tables.filter(({ name }) => table === undefined || name === table)
  if (searched.length === 0) throw tableIsMissing(tables.map(({ name }) => name))
  const all = searched.flatMap((each) => matchesIn(database, each, terms, limit))
  const newest = all.sort((one, other) => other.time - one.time).slice(0, limit)
  const kinds = [...new Set(newest.map(({ table }) => table))].map((each) => ({
    ...{ table: each.name, operation: each.operation },
    records: newest.flatMap(({ table, record }) => (table === each ? [JSON.parse(record) as unknown] : [])),
  }))
  const total = searched.reduce((sum, each) => sum + countIn(database, each, terms), 0)
  return { kinds, total, reach: reachOf({ database, tables: searched }) }
}

interface Term {
  readonly text: string
  readonly isPrefix: boolean
  /** Whether the index of words has it: scripts without spaces have no words. */
  readonly isIndexed: boolean
}

const withoutSpaces =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

function termsOf(query: string): Term[] {
  return [...query.matchAll(/"([^"]*)"|([^\s"]+)/g)].flatMap(([, phrase, word = '']) => {
    const isPrefix = word.endsWith('*')
    const text = phrase ?? (isPrefix ? word.slice(0, -1) : word)
    if (text.trim() === '') return []
    return [{ text, isPrefix, isIndexed: /[\p{L}\p{N}]/u.test(text) && !withoutSpaces.test(text) }]
  })
}

interface Match {
  readonly table: RecordTable
  readonly record: string
  /** Julian day; 0 if unknown. */
  readonly time: number
}

function matchesIn(
  database: DatabaseSync,
  table: RecordTable,
  terms: readonly Term[],
  limit: number,
): Match[] {
  const { where, values } = conditionOf(table, terms)
  const time = table.time === undefined ? 'NULL' : quoted(table.time)
  return database
    .prepare(
      `SELECT record, ifnull(julianday(${time}), 0) AS time FROM ${quoted(table.name)} WHERE ${where}
       ORDER BY 2 DESC, number DESC LIMIT ?`,
    )
    .all(...values, limit)
    .map(({ record, time }) => ({ table, record: String(record), time: Number(time) }))
}

function countIn(database: DatabaseSync, table: RecordTable, terms: readonly Term[]): number {
  const { where, values } = conditionOf(table, terms)
  const row = database
    .prepare(`SELECT count(*) AS total FROM ${quoted(table.name)} WHERE ${where}`)
    .get(...values)
  return Number(row?.['total'])
}

function conditionOf(
  { name, text, searched }: RecordTable,
  terms: readonly Term[],
): { where: string; values: SQLInputValue[] } {
  const indexed = terms.filter(({ isIndexed }) => isIndexed && text !== undefined)
  const index = quoted(`${name}_fts`)
  const words = indexed.map((each) => `"${each.text.replaceAll('"', '""')}"${each.isPrefix ? '*' : ''}`)
  const scanned = terms.filter((each) => !indexed.includes(each))
  // Where the service documents no fields, each text of a record counts.
  const parts =
    text === undefined
      ? "EXISTS (SELECT 1 FROM json_tree(record) WHERE type = 'text' AND value LIKE ? ESCAPE '\\')"
      : `(${[text, ...searched].map((path) => `${quoted(path)} LIKE ? ESCAPE '\\'`).join(' OR ')})`
  const columns = text === undefined ? 1 : 1 + searched.length
  const conditions = [
    ...(words.length === 0 ? [] : [`number IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ?)`]),
    ...scanned.map(() => parts),
  ]
  const values = [
    ...(words.length === 0 ? [] : [words.join(' AND ')]),
    ...scanned.flatMap((each) => Array<string>(columns).fill(`%${each.text.replaceAll(/[\\%_]/g, '\\$&')}%`)),
  ]
  return { where: conditions.length === 0 ? '1' : conditions.join(' AND '), values }
}
