import { itemsOf } from '../api/list-items.ts'
import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import type { OpenRecord } from '../api/undocumented.ts'
import { ApiError, CreditBudgetError, SocialSearchError } from '../errors/index.ts'
import type { Observer } from '../index.ts'
import { withExtra } from '../extend.ts'
import { count } from '../lib/count.ts'
import { UsageError, exitCodeOf, exitCodes, exitNameOf } from './command-errors.ts'
import { complain } from './complain.ts'
import { confirmWalk } from './confirm.ts'
import { storedProgress } from './database/jobs.ts'
import { RecordDatabase } from './database/record-database.ts'
import { type SharedFlags, extraParamsOf, paramsOf, quoted } from './flags.ts'
import { createFormatter } from './formats.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { openMachine } from './machine.ts'
import { commandOf } from './names.ts'
import { budgetOf, clientFor, expectedOf, pagesOf, walkOptions } from './options.ts'
import { print, say, showProgress, tell, waitText } from './terminal.ts'

/** How far a job is. */
export interface JobState {
  /** Params of the next page; null after the last one. */
  readonly next: object | null
  readonly records: number
  /** Credits that all runs have spent or may have spent. */
  readonly credits: number
}

/** Runs the command of one operation; returns its exit code. */
export async function runOperation(
  operation: Operation,
  positional: string | undefined,
  flags: SharedFlags & Readonly<Record<string, unknown>>,
): Promise<number> {
  const { out, resume } = flags
  if (out === undefined && resume === true)
    throw new UsageError('--resume needs --out, the .db file to continue')
  if (out !== undefined && (flags.format ?? flags.fields) !== undefined)
    throw new UsageError('--format and --fields are for printed records; leave them out with --out')
  const { params: known, id } = paramsOf(operation, flags, positional)
  const extraParams = extraParamsOf(flags)
  const params = extraParams === undefined ? known : withExtra(known, extraParams)
  const formatter = createFormatter(operation, flags)
  const walk = walkOptions(flags)
  const machine = await openMachine(flags, commandOf(operation.id))
  const job = { operation: operation.id, params }
  const isPaid = operation.price.kind !== 'free'
  const [before] = out === undefined || resume === true ? [] : await storedProgress(out, [job])
  if (before?.['next'] === null && isPaid)
    say(
      `${out} already has this whole job. This run pays for it again, to add what is new; with --resume, it would pay nothing.`,
    )
  await confirmWalk(operation, known, { ...flags, budget: machine.budget })
  // The state has the highest cost of a page before the page is sent, so that a kill cannot hide it from the budget.
  const interrupt = new InterruptHandler(() => keepCredits())
  const progress: Observer = { onWait: (wait) => showProgress(`${waitText(wait)} · ${done()}`) }
  const more = { ...machine.options, interrupt, observers: [progress] }
  const client = clientFor(flags, more, machine.budgets)
  // Check the params and the budget before a file is created.
  client.quote(operation.id as OperationId, id ?? known)
  budgetOf(flags)

  const needed = resume === true ? ['next', 'records', 'credits'] : undefined
  const database =
    out === undefined ? undefined : await RecordDatabase.open(out, { operation, jobs: [job], needed })
  const earlier: JobState = { next: params, records: 0, credits: 0, ...database?.progress[0] }
  let state = earlier
  /** Of all runs together: spent, perhaps spent, and reserved. */
  const credits = (): number => {
    const { spent, uncertain, reserved } = client.credits
    return earlier.credits + spent + uncertain + reserved
  }
  /** Stores records and progress, or neither. */
  const save = (records: readonly unknown[], progress: Partial<JobState>): void => {
    const changed = { ...state, ...progress, credits: credits() }
    stored += database?.store({ job, progress: changed, records, credits: client.credits }) ?? 0
    state = changed
  }
  const keepCredits = (): void => {
    if (credits() !== state.credits) save([], {})
  }
  const done = (): string => {
    const records = `${count(state.records, 'record')}${out === undefined ? '' : ` (${stored} new)`}`
    const cost = `${records} · ${count(credits() - client.credits.reserved, 'credit')}`
    return leftOut === 0 ? cost : `${cost} · ${leftOut} more paid for, not shown because of --limit`
  }
  const options = {
    ...walk,
    extraParams,
    ceiling: expectedOf(flags),
    budget: budgetOf(flags, earlier.credits),
    signal: interrupt.signal,
    observers: database === undefined ? [] : [database.observer],
  }
  let leftOut = 0
  /** Records that the file did not have. */
  let stored = 0
  let pages = 0
  let unwritten: OpenRecord | undefined
  try {
    for await (const page of pagesOf(client, operation, { params, id, state }, options)) {
      unwritten = page
      const items = operation.list === undefined ? [page] : (itemsOf(operation, page) ?? [page])
      // A database takes whole pages, so that --resume buys no page twice.
      const most = out === undefined && walk.limit !== undefined ? walk.limit - state.records : items.length
      const written = items.slice(0, most)
      if (isPaid) leftOut += items.length - written.length
      pages++
      if (out === undefined && !(await print(formatter.page(written), formatter.isStyled))) return 0
      const next = operation.paging === undefined ? null : (page['next'] as object | null)
      save(written, { next, records: state.records + written.length })
      unwritten = undefined
      showProgress(done())
      interrupt.pageIsWritten()
    }
    if (out === undefined && state.records === 0 && formatter.isStyled) await print('nothing found\n')
    showProgress('')
    const more = flags.limit === undefined && flags.all !== true ? state.next : null
    if (more !== null) tell(`To continue: ${continuation(more)}`)
    const rest = more === null ? '' : ' · more: --all'
    if (flags.all === true && state.next !== null)
      say(
        `The service says that there is more, but sent empty pages. To continue: ${continuation(state.next)}`,
      )
    if (out === undefined) tell(`${done()}${rest}`)
    else say(earlier.next === null ? `${out} is complete: nothing was sent` : `${out}: ${done()}${rest}`)
    return 0
  } catch (error) {
    // What may have been charged, or applied, says so.
    const isStopped = interrupt.signal.aborted && exitNameOf(error) !== 'unknown'
    const reason: unknown = isStopped ? interrupt.signal.reason : error
    const code = exitCodeOf(reason)
    // The message has the page that could not be printed.
    const next = error instanceof SocialSearchError ? error.next : (unwritten?.['next'] as object | null)
    const failed = next === undefined ? state.next : next
    // A request that the service finds invalid stays so.
    const isFinal = code === exitCodes.usage || (reason instanceof ApiError && reason.status === 400)
    const canContinue =
      failed !== null && operation.paging !== undefined && !isFinal && (pages > 0 || out !== undefined)
    // Only the budget of `--budget 20` has no name.
    const isOfJob = out !== undefined && error instanceof CreditBudgetError && error.budget === undefined
    const budget = isOfJob ? ' and a higher --budget, which counts all runs' : ''
    if (pages > 0) tell(done())
    complain(reason, canContinue ? continuation(failed) + budget : undefined, unwritten)
    return code
  } finally {
    try {
      keepCredits()
    } catch {
      // The state still has the highest cost of the page, and the caller the error that ended the job.
    }
    database?.close()
    interrupt.end()
    await machine.close()
  }

  function continuation(next: object): string {
    if (out !== undefined) return 'the same command with --resume'
    const { param = '' } = operation.paging as { param?: string }
    const page = operation.documented
      ? [`--${param}`, String((next as Readonly<Record<string, string | number>>)[param])]
      : ['--params', JSON.stringify(next)]
    const limit = walk.limit === undefined ? [] : ['--limit', String(walk.limit - state.records)]
    return ['the same command with', ...[...page, ...limit].map(quoted)].join(' ')
  }
}
