import { count } from '../lib/count.ts'
import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { ApiError, CreditBudgetError, SocialSearchError } from '../errors/index.ts'
import { confirmWalk } from './confirm.ts'
import { ExactRecords } from './exact-records.ts'
import { complain } from './complain.ts'
import { type SharedFlags, commandOf, paramsOf, quoted, wholeNumberOf } from './flags.ts'
import { nothingFound, terminalWidth } from './formatter.ts'
import { type Format, createFormatter, fieldsFor } from './formats.ts'
import { JobDatabase } from './job-database.ts'
import { openMachine } from './machine.ts'
import { OutputFile, byExport, databaseFor, fileFormatOf } from './output-file.ts'
import { type WalkOptions, budgetOf, clientFor, pagesOf, walkOptions } from './options.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { print, showProgress, tell, waitText } from './terminal.ts'
import { UsageError, exitCodes, exitCodeOf } from './command-errors.ts'

/**
 * Runs the command of one operation; returns its exit code.
 *
 * @param words The command line.
 */
export async function runOperation(
  operation: Operation,
  positional: string | undefined,
  flags: SharedFlags & Readonly<Record<string, unknown>>,
  words: readonly string[],
): Promise<number> {
  const { params, id } = paramsOf(operation, flags, positional)
  const format = formatOf(operation, flags)
  const fields = fieldsFor(operation, flags.fields)
  const formatter = createFormatter(format, operation, {
    fields,
    bom: flags.bom,
    width: flags.out === undefined ? terminalWidth() : undefined,
  })
  const walk: WalkOptions = walkOptions(flags)
  if (operation.paging === undefined) raiseCeiling(operation, params, walk.limit)
  const machine = await openMachine(flags, commandOf(operation.id))
  await confirmWalk(operation, params, { ...flags, budget: machine.budget })
  const interrupt = new InterruptHandler({
    // The state has the highest cost of a page before the page is sent, so that a kill cannot hide it from the budget.
    prepare: () => job?.keepCredits(credits()),
  })
  const exact = new ExactRecords()
  /** The command that continues after this one: later flags override earlier ones. */
  const continuation = (next: object, limit?: number): string => {
    if (job !== undefined) return 'the same command with --resume'
    const { param = '' } = operation.paging as { param?: string }
    const page = operation.documented
      ? [`--${param}`, String((next as Readonly<Record<string, string | number>>)[param])]
      : ['--params', JSON.stringify(next)]
    // A file is written once, so the rest goes into a database.
    const kept = words
      .filter((word) => out === undefined || word !== '--bom')
      .map((word) => (out !== undefined && word.endsWith(out) ? word.replace(out, databaseFor(out)) : word))
    const limits = limit === undefined ? [] : ['--limit', String(limit)]
    return ['social-search', ...[...kept, ...page, ...limits].map(quoted)].join(' ')
  }
  const client = clientFor(
    flags,
    {
      ...{ ...machine.options, hooks: interrupt.hooks },
      observers: [
        ...[interrupt.observer, exact.observer],
        { onWait: (wait) => showProgress(flags, `${waitText(wait)} · ${done()}`) },
      ],
    },
    machine.budgets,
  )
  // Check the params and the budget before a file is created.
  client.quote(operation.id as OperationId, id ?? params)
  budgetOf(flags)

  const { out } = flags
  const job =
    format === 'db'
      ? await JobDatabase.open(out ?? '', { operation, params, fields }, flags.resume)
      : undefined
  const file = out === undefined || job !== undefined ? undefined : new OutputFile(out)
  const state = job?.state ?? { next: params, records: 0, credits: 0 }
  /** Of all runs together: spent, perhaps spent, and reserved. */
  const credits = (): number => {
    const { spent, uncertain, reserved } = client.credits
    return state.credits + spent + uncertain + reserved
  }
  const done = (): string => {
    const cost = `${count(records, 'record')} · ${count(credits() - client.credits.reserved, 'credit')}`
    return leftOut === 0 ? cost : `${cost} · ${leftOut} more paid for, not shown because of --limit`
  }
  const options = {
    ...{ ...walk, budget: budgetOf(flags, state.credits), signal: interrupt.signal },
    ceiling: flags.ceiling === undefined ? undefined : wholeNumberOf('--ceiling', flags.ceiling),
  }
  let next: object | null | undefined = state.next
  let { records } = state
  let leftOut = 0
  let pages = 0
  let head = formatter.head ?? ''
  let unwritten: unknown
  try {
    for await (const page of pagesOf(client, operation, { params, id, state }, options)) {
      unwritten = page
      const items = operation.list === undefined ? [page] : (exact.of(operation, page) ?? [page])
      // A database takes whole pages, so that --resume buys no page twice.
      const most = job === undefined && walk.limit !== undefined ? walk.limit - records : items.length
      const written = items.slice(0, most)
      records += written.length
      if (operation.price.kind !== 'free') leftOut += items.length - written.length
      pages++
      next = operation.paging === undefined ? null : (page['next'] as object | null)
      const text = head + formatter.page(written)
      head = ''
      if (job !== undefined) job.append(written, { next, records, credits: credits() })
      else if (file !== undefined) file.append(text)
      else if (!(await print(text, formatter.isStyled))) return 0
      unwritten = undefined
      showProgress(flags, done())
      interrupt.pageIsWritten()
    }
    const isEmpty = records === 0 && formatter.isStyled === true
    const rest = head + (formatter.tail ?? '') + (isEmpty ? nothingFound : '')
    if (file !== undefined) file.append(rest)
    else if (job === undefined) await print(rest)
    showProgress(flags, '')
    const more = flags.limit === undefined && !flags.all ? next : null
    if (more != null) tell(flags, `To continue: ${continuation(more)}`)
    if (state.next === null) tell(flags, `${out} is complete: nothing was sent`)
    else tell(flags, `${out === undefined ? '' : `${out}: `}${done()}${more == null ? '' : ' · more: --all'}`)
    return 0
  } catch (error) {
    const reason: unknown = interrupt.signal.aborted ? interrupt.signal.reason : error
    const code = exitCodeOf(exitCodeOf(error) === exitCodes.unknown ? error : reason)
    const failed = (error instanceof SocialSearchError ? error.next : undefined) ?? next
    // A request that the service finds invalid stays so.
    const isFinal = code === exitCodes.usage || (reason instanceof ApiError && reason.status === 400)
    const left = walk.limit === undefined ? undefined : walk.limit - records
    let command =
      failed == null || operation.paging === undefined || isFinal || (pages === 0 && job === undefined)
        ? undefined
        : continuation(failed, left)
    if (job !== undefined && command !== undefined && isOfRun(error))
      command += ' and a higher --budget, which counts all runs'
    if (pages > 0) tell(flags, done())
    complain(flags, reason, command, unwritten)
    return code
  } finally {
    job?.close(credits())
    file?.close()
    interrupt.end()
    await machine.close()
  }
}

/** Whether the budget of `--budget 20` has ended the job, and no other one. */
function isOfRun(error: unknown): boolean {
  return error instanceof CreditBudgetError && error.budget === undefined
}

function formatOf(operation: Operation, flags: SharedFlags): Format | 'db' {
  const { out, resume, bom } = flags
  if (out === undefined && resume === true)
    throw new UsageError('--resume needs --out, the .db file to continue')
  const given = flags.format as Format | undefined
  const format = out === undefined ? (given ?? defaultFormat(operation)) : fileFormatOf(out)
  if (out !== undefined && format === 'parquet')
    throw new UsageError(`a Parquet file is written as a whole: ${byExport(out)}`)
  if (format === undefined || format === 'parquet')
    throw new UsageError(`--out needs a file that ends in .jsonl, .csv or .db, got ${out}`)
  if (given !== undefined && out !== undefined)
    throw new UsageError(`leave out --format: the extension of --out ${out} decides the format`)
  if (bom === true && format !== 'csv') throw new UsageError('--bom needs --format csv')
  if (out !== undefined && resume === true && format !== 'db')
    throw new UsageError(`--resume continues a .db file only: ${byExport(out)}`)
  return format
}

function defaultFormat({ id }: Operation): Format {
  if (!process.stdout.isTTY) return 'jsonl'
  return id === 'openapi' ? 'json' : 'table'
}

/** Lets the service return as many records as `--limit` asks for, if that is more than its default. */
function raiseCeiling({ price }: Operation, params: Record<string, unknown>, limit = 0): void {
  const ceiling = price.kind === 'perItem' ? price.ceiling : null
  if (ceiling !== null && limit > ceiling.default) params[ceiling.param] ??= limit
}
