import type { Operation } from '../api/operation.ts'
import { ApiError, CreditBudgetError, SocialSearchError } from '../errors/index.ts'
import { count } from '../lib/count.ts'
import { walkOptions } from './client.ts'
import { exitCodeOf, exitCodes } from './command-errors.ts'
import { type SharedFlags, missingText, shellWord } from './flags.ts'
import { PeriodBudget } from './period-budget.ts'
import { quoteFor } from './quote.ts'
import type { Ending, RunEnd } from './run.ts'

/** How far a job is, as a file keeps it. */
export type JobState = {
  /** Params of the next page; null after the last one. */
  readonly next: object | null
  readonly records: number
  /** Credits that all runs have spent, may have spent, or have reserved. */
  readonly credits: number
}

/** What a run has counted. */
export interface JobCounts {
  pages: number
  /** Records that the file did not have. */
  stored: number
  /** Records that are paid for, and not shown because of `--limit`. */
  leftOut: number
  /** How many items there are, if the service says so. */
  total: number | undefined
}

/** What there is to say of a job. */
export interface JobFacts {
  readonly operation: Operation
  readonly params: object
  readonly flags: SharedFlags
  readonly counts: Readonly<JobCounts>
  /** How far it was before this run. */
  readonly earlier: JobState
  readonly state: JobState
  /** Of all runs together: spent, uncertain and reserved. */
  readonly credits: number
  readonly reserved: number
}

/** What has been fetched and paid for: `40 records (12 new) · 4 credits`. */
export function statusOf({ flags, counts, state, credits, reserved }: JobFacts): string {
  const { stored, leftOut } = counts
  const records = `${count(state.records, 'record')}${flags.out === undefined ? '' : ` (${stored} new)`}`
  const cost = `${records} · ${count(credits - reserved, 'credit')}`
  return leftOut === 0 ? cost : `${cost} · ${leftOut} more paid for, not shown because of --limit`
}

/** What a job prints at its end. */
export function endOf(facts: JobFacts, ending: Ending): RunEnd {
  if (ending.isClosed) return { summary: statusOf(facts) }
  const end = ending.reason === undefined ? successOf(facts) : failureOf(facts, ending)
  const { operation, params, flags, credits } = facts
  const { price, list } = operation
  const expected = price.kind === 'perItem' ? quoteFor(operation, params, flags).expected : null
  if (expected === null || credits <= expected) return end
  const more = `Charged ${count(credits, 'credit')}, not ${expected}: more ${list} came than expected`
  return { ...end, notes: [...(end.notes ?? []), more] }
}

function successOf(facts: JobFacts): RunEnd {
  const { operation, params, flags, counts, earlier, state } = facts
  const { out, all, limit } = flags
  const { next, records } = state
  const hasNextPage = limit === undefined && all !== true && next !== null
  const rest = earlier.next === null ? ' · complete: nothing was sent' : hasNextPage ? ' · more: --all' : ''
  const missing = missingText(operation, params, records, counts.total)
  const empty = 'The service says that there is more, but sent empty pages. To continue: '
  return {
    notes: [
      ...(all === true && next !== null ? [empty + continuation(facts, next)] : []),
      ...(missing === undefined ? [] : [missing]),
    ],
    next: hasNextPage ? continuation(facts, next) : undefined,
    summary: statusOf(facts) + rest,
    ...(records === 0 && out === undefined && { output: 'nothing found\n' }),
  }
}

function failureOf(facts: JobFacts, { reason, unwritten }: Ending): RunEnd {
  const { operation, flags, counts, state } = facts
  const isStored = flags.out !== undefined
  // The page that could not be printed is shown.
  const shown = unwritten?.progress as JobState | undefined
  const known = reason instanceof SocialSearchError ? reason.next : shown?.next
  const next = known === undefined ? state.next : known
  // A request that the service finds invalid stays so.
  const isFinal =
    exitCodeOf(reason) === exitCodes.usage || (reason instanceof ApiError && reason.status === 400)
  const hasBegun = counts.pages > 0 || isStored
  const canContinue = next !== null && operation.paging !== undefined && !isFinal && hasBegun
  // The budgets that commands share have periods.
  const isOfJob =
    isStored && reason instanceof CreditBudgetError && !(reason.refusedBy instanceof PeriodBudget)
  const budget = isOfJob ? ' and a higher --budget, which counts all runs' : ''
  return {
    ...(hasBegun && { summary: statusOf(facts) }),
    reason,
    next: canContinue ? continuation(facts, next) + budget : undefined,
  }
}

/** The command that fetches the next page. */
function continuation({ operation, flags, state }: JobFacts, next: object): string {
  if (flags.out !== undefined) return 'the same command with --resume'
  const { limit } = walkOptions(flags)
  const { param = '' } = operation.paging as { param?: string }
  const page = operation.documented
    ? [`--${param}`, String((next as Readonly<Record<string, string | number>>)[param])]
    : ['--params', JSON.stringify(next)]
  const rest = limit === undefined ? [] : ['--limit', String(limit - state.records)]
  return ['the same command with', ...[...page, ...rest].map(shellWord)].join(' ')
}
