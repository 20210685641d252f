import type { ArchiveMatches } from '../../extensions/tools/types.ts'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Operation } from '../../api/operation.ts'
import { withRecords } from './open-database.ts'
import { UsageError } from '../command-errors.ts'
import { reachOf } from './describe.ts'
import { type RecordTable, columnNamesOf, sqlName, tableIsMissing } from './tables.ts'
import { type Term, termsOf } from './terms.ts'

/** Each is a condition, of which SQLite nests a thousand. */
const mostTerms = 900

/** Records of one kind, newest first. */
interface FoundRecords {
  readonly table: string
  readonly operation: Operation
  readonly records: readonly unknown[]
}

/** What a database has about a query. */
export interface Found extends ArchiveMatches {
  /** The kind with the newest record first. */
  readonly kinds: readonly FoundRecords[]
}

export interface FindOptions {
  /** Most records, of all kinds together. */
  readonly limit: number
  /** Only records of this table. */
  readonly table?: string | undefined
}

/**
 * Finds records with all words of a query in the text, or in the names of the author. `"two words"` must stand together, and
 * `word*` is the start of a word; `tag:topic=tea` is of a table of the user's own. It sends nothing, and costs nothing.
 *
 * @throws {UsageError} for a file without records, or without this table.
 */
export function findRecords(path: string, query: string, options: FindOptions): Promise<Found> {
  return withRecords(path, 'find', (file, tables) =>
    file.run(() => findIn(file.database, tables, query, options)),
  )
}

function findIn(
  database: DatabaseSync,
  tables: readonly RecordTable[],
  query: string,
  { limit, table }: FindOptions,
): Found {
  const searched = tables.filter(({ name }) => table === undefined || name === table)
  if (searched.length === 0) throw tableIsMissing(tables.map(({ name }) => name))
  const terms = termsOf(query)
  if (terms.length > mostTerms)
    throw new UsageError(`a query may have at most ${mostTerms} words, got ${terms.length}`)
  addTermTest(database, terms)
  const all = searched.map((each) => matchesIn(database, each, terms, limit))
  const newest = all
    .flatMap(({ newest }) => newest)
    .sort((one, other) => other.time - one.time)
    .slice(0, limit)
  const kinds = [...new Set(newest.map(({ table }) => table))].map((each) => ({
    ...{ table: each.name, operation: each.operation },
    records: newest.flatMap(({ table, record }) => (table === each ? [JSON.parse(record) as unknown] : [])),
  }))
  const total = all.reduce((sum, { total }) => sum + total, 0)
  return { kinds, total, reach: reachOf(database, searched) }
}

interface Match {
  readonly table: RecordTable
  readonly record: string
  /** In milliseconds since 1970; 0 if unknown. */
  readonly time: number
}

function matchesIn(
  database: DatabaseSync,
  table: RecordTable,
  terms: readonly Term[],
  limit: number,
): { readonly newest: readonly Match[]; readonly total: number } {
  const { where, values } = conditionOf(database, table, terms)
  const name = sqlName(table.name)
  const time = table.time === undefined ? '0' : `ifnull(time_of(${sqlName(table.time)}), 0)`
  // The whole rows of the newest ones alone.
  const rows = database
    .prepare(
      `SELECT record, time, total FROM (SELECT number, ${time} AS time, count(*) OVER () AS total FROM ${name} WHERE ${where}
         ORDER BY 2 DESC, 1 DESC LIMIT ?) AS found
       JOIN ${name} AS records ON records.number = found.number ORDER BY time DESC, found.number DESC`,
    )
    .all(...values, limit)
  const newest = rows.map(({ record, time }) => ({ table, record: String(record), time: Number(time) }))
  return { newest, total: Number(rows[0]?.['total'] ?? 0) }
}

/** Lets SQL ask whether one of several texts has a term. */
function addTermTest(database: DatabaseSync, terms: readonly Term[]): void {
  database.function('has_term', { deterministic: true, varargs: true }, (index, ...texts) => {
    const term = terms[Number(index)]
    return Number(texts.some((text) => typeof text === 'string' && term?.isIn(text) === true))
  })
}

/** What rows must meet: each is SQL with its values. */
type Condition = readonly [sql: string, ...values: SQLInputValue[]]

function conditionOf(
  database: DatabaseSync,
  table: RecordTable,
  terms: readonly Term[],
): { where: string; values: SQLInputValue[] } {
  const hasTags = columnNamesOf(database, 'tags').includes('tag')
  const conditions = terms.map(
    (term, index): Condition => (hasTags && taggedWith(term, table)) || [conditionFor(table, index)],
  )
  return {
    where: ['1', ...conditions.map(([sql]) => `(${sql})`)].join(' AND '),
    values: conditions.flatMap(([, ...values]) => values),
  }
}

/** `tag:topic` and `tag:topic=tea`, of a table of the user's own: `tags (record, tag, value)`. */
function taggedWith({ text }: Term, { key }: RecordTable): Condition | undefined {
  const [, tag, value] = /^tag:([^=]+)(?:=(.*))?$/s.exec(text) ?? []
  if (tag === undefined) return undefined
  const found = `${sqlName(key)} IN (SELECT record FROM tags WHERE tag = ?`
  return value === undefined ? [`${found})`, tag] : [`${found} AND value = ?)`, tag, value]
}

/** Where the service documents no fields, each text of a record counts. */
function conditionFor({ text, searched }: RecordTable, index: number): string {
  if (text !== undefined) return `has_term(${index}, ${[text, ...searched].map(sqlName).join(', ')})`
  return `EXISTS (SELECT 1 FROM json_tree(record) WHERE type = 'text' AND has_term(${index}, value))`
}
