import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { withExtra } from '../extend.ts'
import { UsageError } from './command-errors.ts'
import { confirmWalk } from './confirm.ts'
import { storedProgress } from './database/jobs.ts'
import { RecordDatabase } from './database/record-database.ts'
import { type SharedFlags, expectedOf, extraParamsOf, paramsOf } from './flags.ts'
import { createFormatter } from './formats.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { type Machine, openMachine } from './machine.ts'
import { commandOf } from './names.ts'
import { endOf } from './operation-end.ts'
import { type OperationJob, OperationRun } from './operation-run.ts'
import { quoteFor } from './quote.ts'
import { budgetOf, clientFor, walkOptions } from './options.ts'
import { tellEnd } from './run-end.ts'
import { say } from './terminal.ts'

type OperationFlags = SharedFlags & Readonly<Record<string, unknown>>

/** What the flags ask for. */
type Asked = Pick<OperationJob, 'operation' | 'id' | 'params' | 'out' | 'formatter'> & {
  /** The params without the extra ones. */
  readonly known: Readonly<Record<string, unknown>>
}

/** Runs the command of one operation; returns its exit code. */
export async function runOperation(
  operation: Operation,
  positional: string | undefined,
  flags: OperationFlags,
): Promise<number> {
  const asked = askedOf(operation, positional, flags)
  const { limit } = walkOptions(flags)
  const machine = await openMachine(flags, commandOf(operation.id))
  let interrupt: InterruptHandler | undefined
  let job: OperationJob | undefined
  let run: OperationRun | undefined
  try {
    await warnOfCost(asked, flags, machine)
    interrupt = new InterruptHandler(() => run?.noteCredits())
    job = await prepare(asked, flags, machine, interrupt, () => run)
    run = new OperationRun(job)
    const outcome = await run.run()
    const { out, earlier } = job
    const isPerItem = operation.price.kind === 'perItem'
    const terms = {
      ...{
        operation,
        out,
        limit,
        params: asked.params,
        all: flags.all === true,
        wasComplete: earlier.next === null,
      },
      expected: isPerItem ? quoteFor(operation, asked.known, flags).atMost : null,
    }
    return tellEnd(endOf(outcome, terms), outcome.unwritten)
  } finally {
    job?.database?.close()
    interrupt?.end()
    await machine.close()
  }
}

/** @throws {UsageError} */
function askedOf(operation: Operation, positional: string | undefined, flags: OperationFlags): Asked {
  const { out, resume } = flags
  if (out === undefined && resume === true)
    throw new UsageError('--resume needs --out, the .db file to continue')
  if (out !== undefined && (flags.format ?? flags.fields) !== undefined)
    throw new UsageError('--format and --fields are for printed records; leave them out with --out')
  const { params: known, id } = paramsOf(operation, flags, positional)
  const extraParams = extraParamsOf(flags)
  const params = extraParams === undefined ? known : withExtra(known, extraParams)
  return { operation, id, known, params, out, formatter: createFormatter(operation, flags) }
}

async function warnOfCost(asked: Asked, flags: OperationFlags, machine: Machine): Promise<void> {
  const { operation, known, params, out } = asked
  const job = { operation: operation.id, params }
  const [before] = out === undefined || flags.resume === true ? [] : await storedProgress(out, [job])
  if (before?.['next'] === null && operation.price.kind !== 'free')
    say(
      `${out} already has this whole job. This run pays for it again, to add what is new; with --resume, it would pay nothing.`,
    )
  await confirmWalk(operation, known, { ...flags, budget: machine.budget })
}

/** Checks the params and the budget before it makes the file. @param running The run, once it has begun. */
async function prepare(
  { known, ...asked }: Asked,
  flags: OperationFlags,
  machine: Machine,
  interrupt: InterruptHandler,
  running: () => OperationRun | undefined,
): Promise<OperationJob> {
  const { operation, id, params, out } = asked
  const observers = [{ onWait: (wait: Parameters<OperationRun['showWait']>[0]) => running()?.showWait(wait) }]
  const client = clientFor(flags, { ...machine.options, interrupt, observers }, machine.budgets)
  client.quote(operation.id as OperationId, id ?? known)
  budgetOf(flags)

  const needed = flags.resume === true ? ['next', 'records', 'credits'] : undefined
  const jobs = [{ operation: operation.id, params }]
  const database = out === undefined ? undefined : await RecordDatabase.open(out, { operation, jobs, needed })
  const earlier = { next: params, records: 0, credits: 0, ...database?.progress[0] }
  const expected = expectedOf(flags)
  const options = {
    ...walkOptions(flags),
    extraParams: extraParamsOf(flags),
    // Of all runs together, as the budget is.
    ceiling: expected && Math.max(1, expected - earlier.records),
    budget: budgetOf(flags, earlier.credits),
    signal: interrupt.signal,
  }
  return { ...asked, client, interrupt, database, earlier, options }
}
