import { type Call, type CallResult, type Send, Cancellation } from '../extend.ts'
import type { Budget } from '../index.ts'
import { type Patience, isLocked } from '../lib/sqlite-file.ts'
import { whenFree, withPath } from './database/open-database.ts'
import type { RecordDatabase } from './database/record-database.ts'

/** A file that gets what calls cost, and what they bring. */
interface CostFile {
  readonly path: string
  readonly database: RecordDatabase
  readonly patience?: Patience
  /** Stores what the call may cost. @param credits At most. */
  note(credits: number): void
}

/**
 * Sends a call once a file has what it may cost, so that a kill cannot hide that, and once nothing keeps the file from taking what the
 * call brings. The call waits for the file before it queues: when its turn comes, others wait for its slot.
 */
export async function sendNoted(send: Send, call: Call, file: CostFile): Promise<CallResult> {
  const { path, database, patience } = file
  const { settings } = call
  let { cancellation } = call
  for (;;) {
    await whenFree(path, () => database.assertWritable(), patience)
    let locked: unknown
    // It refuses nothing but what cannot be noted.
    const budget: Budget = {
      reserve: (credits) => ({
        renew() {
          try {
            file.note(credits)
          } catch (error) {
            if (!isLocked(error)) throw withPath(path, error)
            throw (locked = error)
          }
        },
        settle() {},
      }),
    }
    const budgets = [...settings.budgets, budget]
    try {
      return await send({ ...call, cancellation, settings: { ...settings, budgets } })
    } catch (error) {
      // Another program took the file while the call was in its queue: nothing was sent, and the call waits again.
      if (locked === undefined || error !== locked) throw error
      cancellation = new Cancellation()
      cancellation.start(settings)
    }
  }
}
