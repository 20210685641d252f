import { DatabaseSync } from 'node:sqlite'

export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

/** Posts about coffee whose ids are these numbers. */
export const posts = (from: number, to: number) =>
  range(from, to).map((id) => ({ id: String(id), body: 'coffee' }))

/** The same on the professional network. */
export const networkPosts = (from: number, to: number) =>
  range(from, to).map((id) => ({ urn: `urn:post:${id}`, commentary: 'coffee' }))

/** Changes a database, as another program does. */
export function change(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

/** The rows of a query. */
export function allOf(path: string, sql: string): Readonly<Record<string, unknown>>[] {
  // A reader that may not write would leave the files of the journal.
  const database = new DatabaseSync(path)
  const rows = database.prepare(sql).all()
  database.close()
  return rows.map((row) => ({ ...row }))
}

/** The first column of a query. */
export const rowsOf = (path: string, sql: string): unknown[] =>
  allOf(path, sql).map((row) => Object.values(row)[0])

export const numbersOf = (path: string, sql: string): number[] =>
  rowsOf(path, sql)
    .map(Number)
    .sort((a, b) => a - b)
