import type { SocialSearchError } from '../errors/index.ts'
import type { BudgetOutlook } from '../index.ts'
import { count } from '../lib/count.ts'
import { CommandError, exitCodeOf, exitNameOf } from './command-errors.ts'
import { exitCodes } from './exit-codes.ts'
import { type WatchReport, leftText } from './watch-report.ts'

/** What a run of a watch has come to. */
export interface WatchOutcome {
  readonly report: WatchReport
  readonly credits: { readonly spent: number; readonly uncertain: number }
  /** Of one search, while the others went on; one that may have been charged comes first. */
  readonly failure: SocialSearchError | undefined
  /** What ended the run early: an error, `closed` output, or nothing. */
  readonly ended: { readonly error: unknown } | 'closed' | undefined
  /** Why the user, or a file that cannot be written, has stopped it. */
  readonly stopped: { readonly reason: unknown } | undefined
}

/** How a run ended: what to print, and its exit code or the error to end with. */
export interface WatchEnd {
  readonly lines: readonly string[]
  readonly code?: number
  readonly error?: unknown
}

/** @param terms `out`: the file. `outlook`: what the budget has left, if it is known. `price`: of a page. */
export function endOf(
  outcome: WatchOutcome,
  terms: {
    readonly out: string | undefined
    readonly outlook: BudgetOutlook | undefined
    readonly price: number
    readonly maxPages: string
  },
): WatchEnd {
  const { report, credits, failure, ended } = outcome
  const { out, outlook } = terms
  const isOver = ended === undefined && failure === undefined
  const missing = report.missing()
  const total = `${out}: ${count(report.posts, 'new post')}, ${count(credits.spent + credits.uncertain, 'credit')}`
  const lines = [
    ...(out === undefined ? [] : [total]),
    ...report.lines(),
    ...(isOver || missing === undefined ? [] : [`missing: ${missing}`]),
    ...(outlook === undefined ? [] : [leftText(outlook)]),
  ]
  return { lines, ...reasonOf(outcome, missing, terms) }
}

function reasonOf(
  { report, failure, ended, stopped }: WatchOutcome,
  missing: string | undefined,
  { outlook, price, maxPages }: Parameters<typeof endOf>[1],
): Omit<WatchEnd, 'lines'> {
  if (ended === 'closed') return {}
  if (ended !== undefined) {
    if (stopped === undefined) return ended
    return exitNameOf(failure) === 'unknown' ? { code: exitCodes.unknown } : { error: stopped.reason }
  }
  if (failure !== undefined) return { code: exitCodeOf(failure) }
  if (missing === undefined) return {}
  const silent = 'the service lists no posts there, and the next run asks again'
  // A budget that ends a check throws. Both may be used up at once.
  const isSpent = (outlook?.remaining ?? Infinity) < price
  const short = `--max-pages ${maxPages} ended the check, and the next run continues`
  const raise = `if this happens each time, raise --max-pages${isSpent ? ' and the budget' : ''}`
  const why = report.isSilent ? silent : `${short}; ${raise}`
  return { error: new CommandError('budget', `missing: ${missing}: ${why}`) }
}
