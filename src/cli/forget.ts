import { count } from '../lib/count.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { ask } from './confirm.ts'
import { forgetRecords } from './database/forget.ts'
import { ageOf } from './flags.ts'
import { say } from './terminal.ts'

interface ForgetFlags {
  readonly author?: string
  readonly id?: readonly string[]
  readonly olderThan?: string
  readonly yes?: boolean
}

/** Deletes records of a file for good. */
export async function forget(
  path: string,
  { author, id: ids, olderThan: age, yes }: ForgetFlags,
): Promise<void> {
  if ((author ?? ids ?? age) === undefined) throw new UsageError('pass --author, --id or --older-than')
  const olderThan = age === undefined ? undefined : ageOf('--older-than', age)
  const total = await forgetRecords(path, { author, ids, olderThan }, async (records) => {
    if (yes === true) return
    const question = `this deletes ${count(records, 'record')} of ${path} for good`
    if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError(`${question}; pass --yes`)
    if (!(await ask(`${question}. Continue?`))) throw new CommandError('interrupted', 'nothing was deleted')
  })
  say(`${path}: ${count(total, 'record')} forgotten. Later runs do not add them again.`)
  say('Not reached: exports, copies and backups, other posts that quote or mention, and the network itself')
}
