import type { Operation } from '../api/operation.ts'
import type { OpenRecord } from '../api/endpoints/undocumented.ts'
import { ApiError, CreditBudgetError, SocialSearchError } from '../errors/index.ts'
import { count } from '../lib/count.ts'
import { exitCodeOf, exitNameOf } from './command-errors.ts'
import { exitCodes } from './exit-codes.ts'
import { quoted } from './flags.ts'
import { missingText } from './item-bound.ts'
import { type EndLine, type Ending, type RunEnd, forLogs, forTerminal, summaryLine } from './run-end.ts'

/** How far a job is. */
export interface JobState {
  /** Params of the next page; null after the last one. */
  readonly next: object | null
  readonly records: number
  /** Credits that all runs have spent or may have spent. */
  readonly credits: number
}

/** What a run of an operation has come to. */
export interface OperationOutcome extends Ending {
  readonly state: JobState
  /** Those of this run, whether they were written or not. */
  readonly pages: number
  /** Records that the file did not have. */
  readonly stored: number
  /** Records that are paid for, and not shown because of `--limit`. */
  readonly leftOut: number
  /** Credits that all runs have spent or may have spent. */
  readonly credits: number
  /** How many items there are, if the service says so. */
  readonly total: number | undefined
  /** A page that is paid for, and could not be written. */
  readonly unwritten: OpenRecord | undefined
}

/** What the user has asked for. */
interface OperationTerms {
  readonly operation: Operation
  readonly params: object
  readonly out: string | undefined
  readonly all: boolean
  /** Of `--limit`. */
  readonly limit: number | undefined
  /** The most credits that all runs were to cost, where each record has a price; null if nobody knows. */
  readonly expected: number | null
  /** Whether an earlier run had already ended the job. */
  readonly wasComplete: boolean
}

export function endOf(outcome: OperationOutcome, terms: OperationTerms): RunEnd {
  const { ended, credits } = outcome
  const { expected, operation, out } = terms
  if (ended === 'closed') return { lines: [summaryLine(out, doneText(outcome, out))], code: 0 }
  const end = ended === undefined ? successOf(outcome, terms) : failureOf(outcome, ended.error, terms)
  if (expected === null || credits <= expected) return end
  const more = `more ${operation.list} came than expected`
  return {
    ...end,
    lines: [...end.lines, forLogs(`Charged ${count(credits, 'credit')}, not ${expected}: ${more}`)],
  }
}

/** What has been fetched and paid for: `40 records (12 new) · 4 credits`. */
export function doneText(
  { state, stored, leftOut, credits }: Pick<OperationOutcome, 'state' | 'stored' | 'leftOut' | 'credits'>,
  out: string | undefined,
): string {
  const records = `${count(state.records, 'record')}${out === undefined ? '' : ` (${stored} new)`}`
  const cost = `${records} · ${count(credits, 'credit')}`
  return leftOut === 0 ? cost : `${cost} · ${leftOut} more paid for, not shown because of --limit`
}

function successOf(outcome: OperationOutcome, terms: OperationTerms): RunEnd {
  const { state, total } = outcome
  const { operation, params, out, all, limit, wasComplete } = terms
  const lines: EndLine[] = []
  const hasMore = limit === undefined && !all && state.next !== null
  if (hasMore) lines.push(forTerminal(`To continue: ${continuation(state.next, outcome, terms)}`))
  if (all && state.next !== null) {
    const next = continuation(state.next, outcome, terms)
    lines.push(forLogs(`The service says that there is more, but sent empty pages. To continue: ${next}`))
  }
  const done = `${doneText(outcome, out)}${hasMore ? ' · more: --all' : ''}`
  lines.push(wasComplete ? forLogs(`${out} is complete: nothing was sent`) : summaryLine(out, done))
  const missing = missingText(operation, params, state.records, total)
  if (missing !== undefined) lines.push(forLogs(missing))
  return { lines, code: 0 }
}

function failureOf(outcome: OperationOutcome, error: unknown, terms: OperationTerms): RunEnd {
  const { state, pages, unwritten, stopped } = outcome
  const { operation, out } = terms
  // What may have been charged, or applied, says so.
  const reason = stopped !== undefined && exitNameOf(error) !== 'unknown' ? stopped.reason : error
  const code = exitCodeOf(reason)
  // The message has the page that could not be printed.
  const known = error instanceof SocialSearchError ? error.next : (unwritten?.['next'] as object | null)
  const next = known === undefined ? state.next : known
  // A request that the service finds invalid stays so.
  const isFinal = code === exitCodes.usage || (reason instanceof ApiError && reason.status === 400)
  const canContinue =
    next !== null && operation.paging !== undefined && !isFinal && (pages > 0 || out !== undefined)
  // Only the budget of `--budget 20` has no name.
  const isOfJob = out !== undefined && error instanceof CreditBudgetError && error.budget === undefined
  const budget = isOfJob ? ' and a higher --budget, which counts all runs' : ''
  return {
    lines: pages > 0 || out !== undefined ? [summaryLine(out, doneText(outcome, out))] : [],
    code,
    failure: { reason, next: canContinue ? continuation(next, outcome, terms) + budget : undefined },
  }
}

/** The command that fetches the next page. */
function continuation(
  next: object | null,
  { state }: OperationOutcome,
  { operation, out, limit }: OperationTerms,
): string {
  if (out !== undefined) return 'the same command with --resume'
  const { param = '' } = operation.paging as { param?: string }
  const page = operation.documented
    ? [`--${param}`, String((next as Readonly<Record<string, string | number>>)[param])]
    : ['--params', JSON.stringify(next)]
  const rest = limit === undefined ? [] : ['--limit', String(limit - state.records)]
  return ['the same command with', ...[...page, ...rest].map(quoted)].join(' ')
}
