import {
  AuthenticationError,
  BudgetUnavailableError,
  CreditBudgetError,
  OAuthError,
  SocialSearchError,
} from '../../errors/index.ts'
import { kindOf } from '../../errors/kinds.ts'
import type { Budget, BudgetOutlook } from '../../index.ts'
import { within } from '../../lib/abort.ts'
import { sleep } from '../../lib/time.ts'
import { type DueSearch, type Funds, dueTimes, retryMs, whenDue } from './due.ts'
import { Checks } from './checks.ts'
import type { AnyPost, NamedSearch, WatchSettings } from './options.ts'
import type { SearchBatch } from './types.ts'

const minute = 60_000
/** How long it sleeps at most: other processes may spend from the same budget, or the clock may be set. */
const longestSleep = 60 * minute
/** How long it waits at least for the end of a period: the clock of a shared budget may be behind. */
const overtime = 1000
/** How long it waits for something that all searches need: twice as long each time. */
const [shortestOutage, longestOutage] = [1000, 5 * minute]

/** One search of a watch. */
interface WatchedSearch<Post extends AnyPost> {
  readonly checks: Checks<Post>
  /** Credits of a page, as far as is known. */
  price: number
  /** Not before this time: the last check has failed. */
  retryAt: number
  /** With `once`: it had its check. */
  isOver: boolean
}

/** Checks searches when they are due, one after another: those that have waited longest come first. */
export async function* scheduled<Post extends AnyPost>(
  searches: readonly NamedSearch<Post>[],
  settings: WatchSettings,
): AsyncGenerator<SearchBatch<string, Post>, void, undefined> {
  const { once, pages } = settings
  const { signal, budget } = pages
  const watched = searches.map((search): WatchedSearch<Post> => {
    const { price } = search
    return { checks: new Checks(search, settings), price, retryAt: 0, isOver: false }
  })
  // It ends with its signal, and with its client.
  const ends = (): AbortSignal => {
    const all = [signal, ...searches.map((search) => search.closing())]
    return AbortSignal.any(all.filter((each) => each !== undefined))
  }
  const outlook = (): Promise<BudgetOutlook | undefined> => outlookOf(budget, ends())
  const pause = (ms: number): Promise<void> => sleep(ms, ends())
  let outage = 0
  for (;;) {
    const left = watched.filter(({ isOver }) => !(once && isOver))
    // What is done stays done, also for a signal that came with its last page.
    if (left.length === 0) return
    signal?.throwIfAborted()
    const funds = await outlook().then(fundsOf).catch(awayError)
    const now = Date.now()
    if (funds instanceof SocialSearchError) {
      yield* away(left, funds, once)
      outage = longerThan(outage)
      await pause(outage)
      continue
    }
    const times = dueTimes(left.map(dueSearch), funds, now, settings)
    const at = Math.min(...times)
    const isOver = once && at > now
    // A search that the budget cannot pay for is never due. It is tried at the end, so that the budget says so.
    const next = left[times.indexOf(isOver ? Infinity : at)]
    if (next === undefined) {
      const due = left.map(dueSearch)
      for (const [index, { checks }] of left.entries())
        yield checks.nextBatch({ dueAt: whenDue(index, due, funds, now, settings) })
      return
    }
    if (at <= now || once) {
      const isAway = yield* check(next, settings)
      outage = isAway ? longerThan(outage) : 0
      if (isAway) await pause(outage)
    } else {
      outage = 0
      // Open calls reserve credits, which may come back.
      const longest = times.includes(Infinity) ? minute : longestSleep
      const end = Math.max(now + overtime, funds?.endsAt ?? Infinity)
      await pause(Math.max(1, Math.min(at, now + longest, end) - now))
    }
  }
}

const longerThan = (outage: number): number => Math.min(longestOutage, 2 * outage || shortestOutage)

/** Tells the error of a budget that does not answer; with `once`, it ends the watch, and the next run goes on from this start. */
function* away<Post extends AnyPost>(
  watched: readonly WatchedSearch<Post>[],
  error: SocialSearchError,
  once: boolean,
): Generator<SearchBatch<string, Post>, void> {
  for (const { checks } of watched) if (checks.begin() && once) yield checks.nextBatch()
  if (once) throw error
  for (const { checks } of watched.slice(0, 1)) yield checks.nextBatch({ error })
}

/** Returns whether something does not answer that all searches need. */
async function* check<Post extends AnyPost>(
  search: WatchedSearch<Post>,
  { once, minInterval, pages: { signal } }: WatchSettings,
): AsyncGenerator<SearchBatch<string, Post>, boolean> {
  const { checks } = search
  search.isOver = true
  search.retryAt = 0
  try {
    yield* checks.check()
    return false
  } catch (error) {
    signal?.throwIfAborted()
    const isOfBudget = isOwnBudget(error)
    const meaning = isOfBudget ? 'away' : meaningOf(error)
    // The next run goes on from this start.
    if (once && meaning === 'away' && checks.begin()) yield checks.nextBatch()
    if (isOfBudget) {
      const { needed, limit = 0, resetsAt } = error.budget
      if (once || resetsAt === undefined || needed > limit) throw error
      // The client may have other `prices` and budgets; and what open calls had reserved may come back.
      search.price = needed
      search.retryAt = Date.now() + minute
      return false
    }
    if (meaning === 'end' || (meaning === 'away' && once)) throw error
    if (meaning === 'search') search.retryAt = Date.now() + retryMs(minInterval)
    yield checks.failed(error as SocialSearchError)
    return meaning === 'away'
  }
}

function dueSearch<Post extends AnyPost>({ checks, price, retryAt }: WatchedSearch<Post>): DueSearch {
  const { pace, hasGapToFill, failedAt } = checks
  return { pace, price, hasGapToFill, failedAt, retryAt }
}

/** The error of a budget that does not answer. Others end the watch. */
function awayError(error: unknown): SocialSearchError {
  if (meaningOf(error) !== 'away') throw error
  return error as SocialSearchError
}

/** Null without a period: then nothing tells how long the credits must last. */
function fundsOf(outlook: BudgetOutlook | undefined): Funds | null {
  const { limit, remaining, endsAt } = outlook ?? { endsAt: null }
  return endsAt === null ? null : { limit, remaining, endsAt }
}

/** The summary of a budget. A budget may be code of the user, which gets a minute, since it may never answer. */
function outlookOf(budget: Budget | undefined, ended: AbortSignal): Promise<BudgetOutlook | undefined> {
  const late = (): never => {
    throw new BudgetUnavailableError('it did not answer within a minute', { temporary: true })
  }
  return within(minute, async () => budget?.summary?.(), late, ended)
}

/**
 * What the error of a check means for a watch. `end`: no search can succeed any more. `away`: something that all searches need
 * does not answer. `search`: the others may succeed.
 */
export function meaningOf(error: unknown): 'end' | 'away' | 'search' {
  if (!(error instanceof SocialSearchError) || error.code === 'closed') return 'end'
  if (error instanceof BudgetUnavailableError) return error.temporary ? 'away' : 'end'
  if (error instanceof OAuthError) return isRefusal(error) ? 'end' : 'away'
  if (error.code === 'token_store') return 'away'
  // A proxy, not the service, has answered: it may refuse this search alone, unless it refuses the key.
  if (error.charged === 'unknown' && !(error instanceof AuthenticationError)) return 'search'
  return ['usage', 'credentials'].includes(kindOf(error)) || isOwnBudget(error) ? 'end' : 'search'
}

/** A budget of this side refused the call, none of a proxy. */
function isOwnBudget(error: unknown): error is CreditBudgetError {
  return error instanceof CreditBudgetError && error.refusedBy !== undefined
}

/** The authorization server knows the client, and refuses it. */
function isRefusal({ status = 500 }: OAuthError): boolean {
  return status < 500 && status !== 429
}
