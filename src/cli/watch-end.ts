import type { SocialSearchError } from '../errors/index.ts'
import type { BudgetOutlook } from '../index.ts'
import { count } from '../lib/count.ts'
import { CommandError, exitCodeOf, exitNameOf } from './command-errors.ts'
import { exitCodes } from './exit-codes.ts'
import { type Ending, type RunEnd, forLogs, forTerminal, summaryLine } from './run-end.ts'
import { type WatchReport, leftText } from './watch-report.ts'

/** What a run of a watch has come to. */
export interface WatchOutcome extends Ending {
  readonly report: WatchReport
  readonly credits: { readonly spent: number; readonly uncertain: number }
  /** Of one search, while the others went on; one that may have been charged comes first. */
  readonly failure: SocialSearchError | undefined
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
): RunEnd {
  const { report, credits, failure, ended } = outcome
  const { out, outlook } = terms
  const isOver = ended === undefined && failure === undefined
  const missing = report.missing()
  const total = `${count(report.posts, 'new post')} · ${count(credits.spent + credits.uncertain, 'credit')}`
  const lines = [
    ...report.lines(),
    ...(isOver || missing === undefined ? [] : [`missing: ${missing}`]),
    ...(outlook === undefined ? [] : [leftText(outlook)]),
  ]
  const reason = reasonOf(outcome, missing, terms)
  // Without a file, there is one query, whose line says it.
  if (out === undefined) return { lines: lines.map(forTerminal), ...reason }
  return { lines: [summaryLine(out, total), ...lines.map(forLogs)], ...reason }
}

function reasonOf(
  { report, failure, ended, stopped }: WatchOutcome,
  missing: string | undefined,
  { outlook, price, maxPages }: Parameters<typeof endOf>[1],
): Omit<RunEnd, 'lines'> {
  if (ended === 'closed') return { code: exitCodes.done }
  if (ended !== undefined) {
    if (stopped === undefined) return failing(ended.error)
    return exitNameOf(failure) === 'unknown' ? { code: exitCodes.unknown } : failing(stopped.reason)
  }
  if (failure !== undefined) return { code: exitCodeOf(failure) }
  if (missing === undefined) return { code: exitCodes.done }
  const silent = 'the service lists no posts there, and the next run asks again'
  // A budget that ends a check throws. Both may be used up at once.
  const isSpent = (outlook?.remaining ?? Infinity) < price
  const short = `--max-pages ${maxPages} ended the check, and the next run continues`
  const raise = `if this happens each time, raise --max-pages${isSpent ? ' and the budget' : ''}`
  const why = report.isSilent ? silent : `${short}; ${raise}`
  return failing(new CommandError('budget', `missing: ${missing}: ${why}`))
}

function failing(reason: unknown): Omit<RunEnd, 'lines'> {
  return { code: exitCodeOf(reason), failure: { reason } }
}
