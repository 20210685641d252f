import type { SearchBatch, WatchGap } from '../extensions/watch/index.ts'
import type { SocialSearchError } from '../errors/index.ts'
import type { BudgetOutlook } from '../index.ts'
import { count } from '../lib/count.ts'
import { CommandError, exitCodeOf, exitCodes, exitNameOf } from './command-errors.ts'
import { localTime, timeOfDay } from './terminal.ts'
import type { RunEnd } from './run.ts'

/** What a run has found for one query. */
interface Row {
  /** Those that the file did not have, if there is one. */
  posts: number
  credits: number
  gaps: readonly WatchGap[]
  /** Whether all that is missing is where the service lists no posts. */
  isSilent: boolean
  lastCheck: 'none' | 'done' | 'failed'
  /** When it is due, and why not now, if it was too early for a check. */
  idle: string | undefined
}

/** What a watch has cost, and may still cost. */
interface WatchTerms {
  readonly credits: number
  /** Of its budget. */
  readonly outlook: BudgetOutlook | undefined
  /** Of a page. */
  readonly price: number
  readonly maxPages: number
}

/** More gaps of a query are counted. */
const mostGaps = 3

/** Counts what a watch has found, for each query, and says it at its end. */
export class WatchReport {
  readonly #rows: ReadonlyMap<string, Row>
  /** Of one search, while the others went on: it is told already. One that may have been charged comes first. */
  #failure: SocialSearchError | undefined

  constructor(queries: readonly string[]) {
    const empty = { posts: 0, credits: 0, gaps: [], isSilent: true, idle: undefined } as const
    this.#rows = new Map(queries.map((query) => [query, { ...empty, lastCheck: 'none' }]))
  }

  add({ name, gaps, hasGapToFill, credits, error }: SearchBatch<string, object>, idle?: string): void {
    const row = this.#rows.get(name)
    if (row === undefined) return
    row.gaps = gaps
    row.isSilent = !hasGapToFill
    row.idle = idle
    if (idle !== undefined) return
    row.credits += credits.spent + credits.uncertain
    row.lastCheck = error === null ? 'done' : 'failed'
    if (error !== null && (this.#failure === undefined || exitNameOf(error) === 'unknown'))
      this.#failure = error
  }

  /** Counts posts that are new in the output. */
  addPosts(name: string, posts: number): void {
    const row = this.#rows.get(name)
    if (row !== undefined) row.posts += posts
  }

  /** New posts of all queries. */
  get posts(): number {
    return [...this.#rows.values()].reduce((sum, { posts }) => sum + posts, 0)
  }

  /** Whether no query was due for a check. */
  get isIdle(): boolean {
    return [...this.#rows.values()].every(({ idle, lastCheck }) => idle !== undefined && lastCheck === 'none')
  }

  /**
   * What a watch prints at its end, and why it ended.
   *
   * @param reason What has ended it; undefined if it is done.
   */
  end(reason: unknown, { outlook, ...terms }: WatchTerms): RunEnd {
    const missing = this.#missing()
    const isOver = reason === undefined && this.#failure === undefined
    return {
      lines: [
        ...this.#lines(),
        ...(isOver || missing === undefined ? [] : [`missing: ${missing}`]),
        ...(outlook === undefined ? [] : [leftText(outlook)]),
      ],
      summary: `${count(this.posts, 'new post')} · ${count(terms.credits, 'credit')}`,
      ...this.#reason(reason, missing, { outlook, ...terms }),
    }
  }

  #reason(
    reason: unknown,
    missing: string | undefined,
    { outlook, price, maxPages }: WatchTerms,
  ): Pick<RunEnd, 'reason' | 'code'> {
    const failed = this.#failure && { code: exitCodeOf(this.#failure) }
    // If the user has stopped it, or the file cannot be written, what may have been charged comes first.
    const isStopped = reason instanceof CommandError
    if (reason !== undefined) return isStopped && failed?.code === exitCodes.unknown ? failed : { reason }
    if (failed !== undefined || missing === undefined) return failed ?? {}
    const isSilent = [...this.#rows.values()].every(({ isSilent }) => isSilent)
    const silent = 'the service lists no posts there, and the next run asks again'
    // A budget that ends a check throws. Both may be used up at once.
    const isSpent = (outlook?.remaining ?? Infinity) < price
    const raise = `if this happens each time, raise --max-pages${isSpent ? ' and the budget' : ''}`
    const short = `--max-pages ${maxPages} ended the check, and the next run continues; ${raise}`
    return { reason: new CommandError('budget', `missing: ${missing}: ${isSilent ? silent : short}`) }
  }

  /** A line for each query. */
  #lines(): string[] {
    return [...this.#rows].map(([query, { posts, credits, lastCheck, idle }]) => {
      if (lastCheck === 'none') return `  ${query}: ${idle ?? 'not checked'}`
      const end = lastCheck === 'failed' ? '; its last check failed' : ''
      return `  ${query}: ${count(posts, 'new post')} · ${count(credits, 'credit')}${end}`
    })
  }

  /** What is missing: `acme 14:02–14:31`; undefined if nothing is. */
  #missing(): string | undefined {
    const parts = [...this.#rows].flatMap(([query, { gaps }]) => {
      if (gaps.length === 0) return []
      const times = gaps.slice(0, mostGaps).map(gapText)
      const more = gaps.length > mostGaps ? [`${gaps.length - mostGaps} more`] : []
      return [`${query} ${[...times, ...more].join(', ')}`]
    })
    return parts.length === 0 ? undefined : parts.join('; ')
  }
}

/** `14:02–14:31` for a gap of today, in the time zone of the machine. */
export function gapText({ from, to }: WatchGap): string {
  if (from === null) return to === null ? 'at unknown times' : `until ${timeOfDay(to)}`
  if (to === null) return `after ${timeOfDay(from)}`
  const [start, end] = [timeOfDay(from), timeOfDay(to)]
  return `${start}–${start.slice(0, 10) === end.slice(0, 10) ? end.slice(11) || end : end}`
}

/** What a budget has left, and until when. */
function leftText({ limit, remaining, endsAt }: BudgetOutlook): string {
  const until = endsAt === null ? '' : ` until ${localTime(new Date(endsAt).toISOString())}`
  return `${remaining} of ${count(limit, 'credit')} left${until}`
}
