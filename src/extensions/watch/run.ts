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
import { dueTimes, retryMs, whenDue } from './due.ts'
import type { WatchSettings } from './options.ts'
import type { SearchBatch } from './types.ts'
import type { WatchedSearch } from './watched-search.ts'

const minute = 60_000
/** How long it sleeps at most: other processes may spend from the same budget, or the clock may be set. */
const longestSleep = 60 * minute
/** How long it waits at least for the end of a period: the clock of a shared budget may be behind. */
const overtime = 1000
/** How long it waits for something that all searches need: twice as long each time. */
const [shortestPause, longestPause] = [1000, 5 * minute]
/** What a budget without a limit has left. */
const noLimit: BudgetOutlook = { limit: Infinity, remaining: Infinity, endsAt: null }

/** Checks searches when they are due, one after another: those that have waited longest come first. */
export async function* scheduled<Post>(
  searches: readonly WatchedSearch<Post>[],
  settings: WatchSettings,
): AsyncGenerator<SearchBatch<string, Post>, void, undefined> {
  const { once, pages } = settings
  const { signal, budget } = pages
  // It ends with its signal, and with its client.
  const ends = [signal, ...searches.map(({ closing }) => closing)].filter((each) => each !== undefined)
  const ended = AbortSignal.any(ends)
  let pause = 0
  for (;;) {
    const left = searches.filter(({ isOver }) => !(once && isOver))
    // What is done stays done, also for a signal that came with its last page.
    if (left.length === 0) return
    signal?.throwIfAborted()
    const outlook = await outlookOf(budget, ended).catch(unavailableError)
    const now = Date.now()
    if (outlook instanceof SocialSearchError) {
      yield* unavailable(left, outlook, once)
      pause = longerThan(pause)
      await sleep(pause, ended)
      continue
    }
    const times = dueTimes(left, outlook, now, settings)
    const at = Math.min(...times)
    const isOver = once && at > now
    // A search that the budget cannot pay for is never due. It is tried at the end, so that the budget says so.
    const next = left[times.indexOf(isOver ? Infinity : at)]
    if (next === undefined) {
      for (const [index, search] of left.entries())
        yield search.nextBatch({ dueAt: whenDue(index, left, outlook, now, settings) })
      return
    }
    if (at <= now || once) {
      const isUnavailable = yield* check(next, settings)
      pause = isUnavailable ? longerThan(pause) : 0
      if (isUnavailable) await sleep(pause, ended)
    } else {
      pause = 0
      // Open calls reserve credits, which may come back.
      const longest = times.includes(Infinity) ? minute : longestSleep
      const end = Math.max(now + overtime, outlook.endsAt ?? Infinity)
      await sleep(Math.max(1, Math.min(at, now + longest, end) - now), ended)
    }
  }
}

const longerThan = (pause: number): number => Math.min(longestPause, 2 * pause || shortestPause)

/** Tells the error of a budget that does not answer; with `once`, it ends the watch, and the next run goes on from this start. */
function* unavailable<Post>(
  searches: readonly WatchedSearch<Post>[],
  error: SocialSearchError,
  once: boolean,
): Generator<SearchBatch<string, Post>, void> {
  for (const search of searches) if (search.begin() && once) yield search.nextBatch()
  if (once) throw error
  for (const search of searches.slice(0, 1)) yield search.nextBatch({ error })
}

/** Returns whether something does not answer that all searches need. */
async function* check<Post>(
  search: WatchedSearch<Post>,
  { once, minInterval, pages: { signal } }: WatchSettings,
): AsyncGenerator<SearchBatch<string, Post>, boolean> {
  try {
    yield* search.check()
    return false
  } catch (error) {
    signal?.throwIfAborted()
    const isOfBudget = isOwnBudget(error)
    const meaning = isOfBudget ? 'unavailable' : meaningOf(error)
    // The next run goes on from this start.
    if (once && meaning === 'unavailable' && search.begin()) yield search.nextBatch()
    if (isOfBudget) {
      const { needed, limit = 0, resetsAt } = error.budget
      if (once || resetsAt === undefined || needed > limit) throw error
      // The client may have other `prices` and budgets; and what open calls had reserved may come back.
      search.postpone(minute, needed)
      return false
    }
    if (meaning === 'end' || (meaning === 'unavailable' && once)) throw error
    if (meaning === 'search') search.postpone(retryMs(minInterval))
    yield search.failed(error as SocialSearchError)
    return meaning === 'unavailable'
  }
}

/** The error of a budget that does not answer. Others end the watch. */
function unavailableError(error: unknown): SocialSearchError {
  if (meaningOf(error) !== 'unavailable') throw error
  return error as SocialSearchError
}

/** The summary of a budget. A budget may be code of the user, which gets a minute, since it may never answer. */
async function outlookOf(budget: Budget | undefined, ended: AbortSignal): Promise<BudgetOutlook> {
  const late = (): never => {
    throw new BudgetUnavailableError('it did not answer within a minute', { temporary: true })
  }
  return (await within(minute, async () => budget?.summary?.(), late, ended)) ?? noLimit
}

/**
 * What the error of a check means for a watch. `end`: no search can succeed any more. `unavailable`: something that all searches need
 * does not answer. `search`: the others may succeed.
 */
export function meaningOf(error: unknown): 'end' | 'unavailable' | 'search' {
  if (!(error instanceof SocialSearchError) || error.code === 'closed') return 'end'
  if (error instanceof BudgetUnavailableError) return error.temporary ? 'unavailable' : 'end'
  if (error instanceof OAuthError) return isRefusal(error) ? 'end' : 'unavailable'
  if (error.code === 'token_store') return 'unavailable'
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
