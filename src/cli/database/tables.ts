import type { DatabaseSync } from 'node:sqlite'
import { shortNames } from '../../api/main-fields.ts'
import type { Operation } from '../../api/operation.ts'
import { type OperationId, operations } from '../../api/operations.ts'
import { UsageError } from '../command-errors.ts'
import { type Column, columnsOf } from '../../extensions/export/fields.ts'

/** The table of one kind of record. Its further tables have its name and an ending. */
export interface RecordTable {
  /** `microblog_posts`, `professionalnet_comments`, `mentions`. */
  readonly name: string
  readonly operation: Operation
  /** The documented fields. */
  readonly columns: readonly Column[]
  /** The column that tells records apart. */
  readonly key: string
  /** The columns whose history is kept. */
  readonly counts: readonly string[]
  /** The text of a record; undefined if the service documents none. */
  readonly text: string | undefined
  /** When it was published. */
  readonly time: string | undefined
  /** What `find` searches, besides the text. */
  readonly searched: readonly string[]
  /** Who wrote it: names, handles and addresses. */
  readonly authors: readonly string[]
}

/** Comments have no short names: tables and tools show all their fields. */
export const namesOfComments = {
  text: 'text',
  authorName: 'author',
  timestamp: 'time',
  profileUrl: 'author_url',
}

export function tableOf(operation: Operation): RecordTable {
  const columns = columnsOf(operation)
  const names = Object.entries(
    shortNames[operation.id as OperationId] ??
      (operation.id === 'professionalnet.posts.comments' ? namesOfComments : {}),
  )
  const named = (...short: string[]): string[] =>
    names.filter(([, name]) => short.includes(name)).map(([path]) => path)
  const hasUnique = columns.some(({ path }) => path === operation.unique)
  return {
    ...{ name: nameOf(operation), operation, columns },
    key: hasUnique && operation.unique !== undefined ? operation.unique : 'key',
    // Without a unique field, a record with other numbers is another record.
    counts: hasUnique ? columns.filter(({ type }) => type === 'number').map(({ path }) => path) : [],
    text: named('text')[0],
    time: named('time')[0],
    searched: named('author', 'name', 'article'),
    authors: named('author', 'name', 'author_url'),
  }
}

/** The tables of all records. */
export function allTables(): RecordTable[] {
  return operations.filter((each) => 'list' in each).map(tableOf)
}

/** Those of them that a file has. */
export function tablesIn(database: DatabaseSync): RecordTable[] {
  return allTables().filter(({ name }) => hasTable(database, name))
}

export function hasTable(database: DatabaseSync, name: string): boolean {
  const find = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
  return find.get(name) !== undefined
}

/** The refusal of a command that does not know which table it is for. */
export function tableIsMissing(names: readonly string[]): UsageError {
  return new UsageError(`pass --table with one of ${names.join(', ')}`)
}

function nameOf({ id, list = '' }: Operation): string {
  const group = id
    .split('.')
    .slice(0, -1)
    .filter((name) => name !== list && name !== 'posts')
  return [...group, list].join('_')
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** All columns of a table or view in a file; none if there is no such one. */
export function columnNamesOf(database: DatabaseSync, table: string): string[] {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all(table)
  return rows.map(({ name }) => String(name))
}
