import { UsageError } from './command-errors.ts'

/** Imports a module that needs `node:sqlite`. Node 22 warns that its SQLite is experimental; the command does not. */
export async function importWithSqlite<Module>(flag: string, load: () => Promise<Module>): Promise<Module> {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  try {
    return await load()
  } catch {
    throw new UsageError(`${flag} needs Node 22.13 or later; this is Node ${process.versions.node}`)
  } finally {
    process.emitWarning = emitWarning
  }
}
