import { CreditBudgetError, SocialSearchError } from '../../errors/index.ts'
import { kindOf } from '../../errors/kinds.ts'
import type { Budget } from '../../index.ts'
import { sleep } from '../../lib/time.ts'
import { type Funds, dueTimes, retryMs } from './due.ts'
import { Looks } from './look.ts'
import type { NamedSearch, WatchSettings } from './options.ts'
import type { AnyPost } from './poll.ts'
import type { SearchBatch } from './types.ts'

const minute = 60_000
/** How long it sleeps at most: other processes may spend from the same budget, or the clock may be set. */
const longestSleep = 60 * minute
/** How long it waits at least for the end of a period: the clock of a shared budget may be behind. */
const overtime = 1000

/** One search of a watch. */
interface Turn<Post extends AnyPost> {
  readonly looks: Looks<Post>
  /** Credits of a page, as far as is known. */
  price: number
  /** Not before this time: the last look has failed. */
  retryAt: number
  /** With `once`: it had its look. */
  isOver: boolean
  /** Whether the last look was refused although the budget seemed to have enough. */
  isRefused: boolean
}

/** Looks at searches when they are due, one after another: those that have waited longest come first. */
export async function* scheduled<Post extends AnyPost>(
  searches: readonly NamedSearch<Post>[],
  settings: WatchSettings,
): AsyncGenerator<SearchBatch<string, Post>, void, undefined> {
  const { once, pages } = settings
  const { signal, budget } = pages
  const turns = searches.map((search): Turn<Post> => {
    const { price } = search
    return { looks: new Looks(search, settings), price, retryAt: 0, isOver: false, isRefused: false }
  })
  for (;;) {
    signal?.throwIfAborted()
    const funds = await fundsOf(budget)
    const now = Date.now()
    const left = turns.filter(({ isOver }) => !(once && isOver))
    const due = left.map(({ looks: { pace, hasMore }, ...turn }) => ({ ...turn, pace, hasMore }))
    const times = dueTimes(due, funds, now, settings)
    const at = Math.min(...times)
    // With `once`, the budget itself says that it has too little left.
    const next = left[times.indexOf(at > now && once ? Infinity : at)]
    if (next === undefined) return
    if (at <= now || once) {
      yield* lookAt(next, settings, funds)
      continue
    }
    // Open calls reserve credits, which may come back.
    const longest = times.includes(Infinity) ? minute : longestSleep
    const end = Math.max(now + overtime, funds?.endsAt ?? Infinity)
    await sleep(Math.max(1, Math.min(at, now + longest, end) - now), signal)
  }
}

async function* lookAt<Post extends AnyPost>(
  turn: Turn<Post>,
  { once, freshness, pages: { signal, budget } }: WatchSettings,
  funds: Funds | null,
): AsyncGenerator<SearchBatch<string, Post>> {
  const { looks } = turn
  turn.isOver = true
  turn.retryAt = 0
  try {
    yield* looks.look()
    turn.isRefused = false
  } catch (error) {
    signal?.throwIfAborted()
    turn.retryAt = Date.now() + retryMs(freshness)
    if (error instanceof CreditBudgetError) {
      if (funds === null || error.budget !== nameOf(budget)) throw error
      // The client may have other `prices`.
      turn.price = error.needed
      if (turn.price > funds.limit) throw error
      const { remaining } = (await budget?.summary?.()) ?? funds
      const seemsEnough = remaining >= turn.price
      // What open calls had reserved may have come back. The second time, another budget of the same name has refused.
      if (once || (seemsEnough && turn.isRefused)) throw error
      turn.isRefused = seemsEnough
      turn.retryAt = Date.now() + minute
    } else if (isOfOneSearch(error)) yield looks.batch([], [], error)
    else throw error
  }
}

/** Null without a period: then nothing tells how long the credits must last. */
async function fundsOf(budget: Budget | undefined): Promise<Funds | null> {
  const { limit, remaining, endsAt } = (await budget?.summary?.()) ?? { endsAt: null }
  return endsAt === null ? null : { limit, remaining, endsAt }
}

function nameOf(budget: Budget | undefined): unknown {
  return (budget as { readonly name?: unknown } | undefined)?.name
}

/** Whether other searches may still succeed. */
function isOfOneSearch(error: unknown): error is SocialSearchError {
  if (!(error instanceof SocialSearchError) || error.code === 'closed') return false
  return ['failed', 'refused'].includes(kindOf(error))
}
