import type { DatabaseSync } from 'node:sqlite'
import { UsageError } from '../command-errors.ts'
import { inTransaction, openDatabase, withPath } from './open-database.ts'
import { createTables } from './schema.ts'
import { type RecordTable, allTables } from './tables.ts'
import { upgrade } from './upgrade.ts'

/** A file of records, and which kinds it has. */
export interface Collection {
  readonly database: DatabaseSync
  readonly tables: readonly RecordTable[]
}

/**
 * Works with a collection, which an earlier version may have made.
 *
 * @param command What works with it.
 * @throws {UsageError} if there is no such file, or it has no records.
 */
export async function withCollection<T>(
  path: string,
  command: string,
  work: (collection: Collection) => T | Promise<T>,
): Promise<T> {
  const database = await openDatabase(path, command)
  if (database === undefined) throw new UsageError(`${path} does not exist`)
  try {
    const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    const tables = allTables().filter(({ name }) => isThere.get(name) !== undefined)
    if (tables.length === 0)
      throw new UsageError(`${path} has no records; --out ${path} of search or watch stores some`)
    if (tables.some((table) => !isCurrent(database, table)))
      inTransaction(database, () => {
        upgrade(database)
        for (const table of tables) createTables(database, table)
      })
    return await work({ database, tables })
  } catch (error) {
    throw withPath(path, error)
  } finally {
    database.close()
  }
}

function isCurrent(database: DatabaseSync, { name }: RecordTable): boolean {
  const names = database.prepare('SELECT name FROM pragma_table_info(?)').all(name)
  return names.some((each) => each['name'] === 'counted_at')
}
