import type { Operation } from '../../api/operation.ts'
import type { CallCredits } from '../../extend.ts'
import { inTransaction, openDatabase, withPath } from './open-database.ts'
import { createTables } from './schema.ts'
import { SearchWriter } from './searches.ts'
import { tableOf } from './tables.ts'
import { upgrade } from './upgrade.ts'

/** Adds to a file, if there is one, what jobs have cost besides their runs, also while a run has their lock. */
export async function noteSpent(
  path: string,
  operation: Operation,
  costs: ReadonlyMap<object, CallCredits>,
): Promise<void> {
  if (costs.size === 0) return
  const database = await openDatabase(path, '--out')
  if (database === undefined) return
  try {
    inTransaction(database, () => {
      const table = tableOf(operation)
      upgrade(database)
      createTables(database, table)
      // A writer adds up the costs of one run.
      for (const [job, credits] of costs)
        new SearchWriter(database, table).spend(job, { ...credits, reserved: 0 })
    })
  } catch (error) {
    throw withPath(path, error)
  } finally {
    database.close()
  }
}
