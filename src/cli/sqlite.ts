import { builtin } from '../lib/builtin.ts'
import { UsageError } from './command-errors.ts'

/** Loads `node:sqlite` for a flag. Node 22 warns that its SQLite is experimental; the command does not. */
export function needSqlite(flag: string): void {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    if (builtin('node:sqlite') !== undefined) return
  } finally {
    process.emitWarning = emitWarning
  }
  throw new UsageError(`${flag} needs Node 22.13 or later; this is Node ${process.versions.node}`)
}
