import type { OperationId } from '../api/operations.ts'
import type { Budget } from '../index.ts'
import { UsageError } from './command-errors.ts'
import { confirmWatch } from './confirm.ts'
import { RecordDatabase } from './database/record-database.ts'
import { ageOf, millisecondsOf, wholeNumberOf } from './flags.ts'
import { createFormatter } from './formats.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { type Machine, openMachine } from './machine.ts'
import { budgetOf, clientFor } from './options.ts'
import { tellEnd } from './run-end.ts'
import { tell } from './terminal.ts'
import { endOf } from './watch-end.ts'
import { paceText } from './watch-report.ts'
import { type WatchJob, WatchRun } from './watch-run.ts'
import {
  type SearchFlags,
  type SearchOperation,
  type Searches,
  jobOf,
  operationOf,
  searchesOf,
} from './watch-search.ts'

export interface WatchFlags extends SearchFlags {
  readonly maxPages: string
  readonly once?: boolean
  readonly from?: 'now'
  readonly keep?: string
}

/** Prints new posts as JSON Lines, or stores them. */
export async function watch(words: readonly string[], flags: WatchFlags): Promise<void> {
  const operation = operationOf(flags)
  const searches = searchesOf(operation, flags, words)
  const { out, maxPages } = flags
  if (Object.keys(searches).length > 1 && out === undefined)
    throw new UsageError('several queries need --out FILE.db, which tells which query has found a post')
  if (flags.keep !== undefined && out === undefined)
    throw new UsageError('--keep needs --out, the .db file whose old posts are forgotten')
  const machine = await openMachine(flags, 'watch')
  let interrupt: InterruptHandler | undefined
  let job: WatchJob | undefined
  let run: WatchRun | undefined
  try {
    await confirmWatch(operation, { ...flags, budget: machine.budget }, Object.keys(searches).length)
    // The watch yields the posts of a page even if it ends after that page.
    interrupt = new InterruptHandler(() => run?.noteCredits())
    job = await prepare({ operation, searches, interrupt }, flags, machine)
    run = new WatchRun(job)
    await tellPace(job, flags)
    const outcome = await run.run()
    const outlook = await Promise.resolve(job.options.budget?.summary?.()).catch(() => undefined)
    process.exitCode = tellEnd(endOf(outcome, { out, outlook, price: operation.price.credits, maxPages }))
  } finally {
    job?.database?.close()
    interrupt?.end()
    await machine.close()
  }
}

/** Checks everything before it makes the file. */
async function prepare(
  given: Pick<WatchJob, 'operation' | 'searches' | 'interrupt'>,
  flags: WatchFlags,
  machine: Machine,
): Promise<WatchJob> {
  const { operation, searches, interrupt } = given
  const keep = flags.keep === undefined ? undefined : ageOf('--keep', flags.keep)
  const formatter = createFormatter(operation, flags)
  const client = clientFor(flags, { ...machine.options, interrupt }, machine.budgets)
  // The watch spreads it over its period.
  const budget: Budget | undefined = budgetOf(flags) ?? machine.budgets[0]
  const options = {
    freshness: millisecondsOf('--freshness', flags.freshness),
    maxPages: wholeNumberOf('--max-pages', flags.maxPages),
    ...{ once: flags.once, from: flags.from, budget },
  }
  for (const params of Object.values(searches)) client.quote<OperationId>(operation.id, params)
  const jobs = Object.values(searches).map((params) => jobOf(operation, params))
  const { out } = flags
  const database =
    out === undefined ? undefined : await RecordDatabase.open(out, { operation, jobs, needed: [], keep })
  return { ...given, client, formatter, database, options }
}

/** Tells how often the budget pays for a check. */
async function tellPace({ operation, searches, options }: WatchJob, { once }: WatchFlags): Promise<void> {
  const { budget, freshness = 0 } = options
  // The watch itself waits for a budget that does not answer.
  const outlook = await Promise.resolve(budget?.summary?.()).catch(() => undefined)
  const credits = Object.keys(searches).length * operation.price.credits
  const pace = outlook && paceText(outlook, credits, freshness)
  if (pace !== undefined) tell(`${once ? 'on a schedule: ' : ''}${pace}`)
}
