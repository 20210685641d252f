import type * as Sqlite from 'node:sqlite'
import { UsageError } from './command-errors.ts'

/** Imports `node:sqlite` for a flag. Node 22 warns that its SQLite is experimental; the command does not. */
export async function importSqlite(flag: string): Promise<typeof Sqlite> {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  try {
    return await import('node:sqlite')
  } catch {
    throw new UsageError(`${flag} needs Node 22.13 or later; this is Node ${process.versions.node}`)
  } finally {
    process.emitWarning = emitWarning
  }
}
