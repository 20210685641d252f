import type { DatabaseSync } from 'node:sqlite'
import { UsageError } from '../command-errors.ts'
import { openDatabase, withPath } from './open-database.ts'
import { type RecordTable, allTables } from './tables.ts'

/** A file of records, and which kinds it has. */
export interface Collection {
  readonly database: DatabaseSync
  readonly tables: readonly RecordTable[]
}

/**
 * Works with a collection.
 *
 * @param command What works with it.
 * @throws {UsageError} if there is no such file, or it has no records.
 */
export async function withCollection<T>(
  path: string,
  command: string,
  work: (collection: Collection) => T | Promise<T>,
): Promise<T> {
  const database = openDatabase(path, command)
  if (database === undefined) throw new UsageError(`${path} does not exist`)
  try {
    const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    const tables = allTables().filter(({ name }) => isThere.get(name) !== undefined)
    if (tables.length === 0)
      throw new UsageError(`${path} has no records; --out ${path} of search or watch stores some`)
    return await work({ database, tables })
  } catch (error) {
    throw withPath(path, error)
  } finally {
    database.close()
  }
}
