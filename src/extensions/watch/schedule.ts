import { CreditBudgetError, SocialSearchError } from '../../errors/index.ts'
import { kindOf } from '../../errors/kinds.ts'
import type { Budget } from '../../index.ts'
import { sleep } from '../../lib/time.ts'
import { Looks } from './look.ts'
import type { NamedSearch, WatchSettings } from './options.ts'
import { waitsOf } from './pace.ts'
import type { AnyPost } from './poll.ts'
import type { SearchBatch } from './types.ts'

const minute = 60_000
/** How long it sleeps at most: other processes may spend from the same budget, or the clock may be set. */
const longestSleep = 60 * minute
/** A schedule that starts a run each hour starts some of them a little early. */
const early = 0.1

/** A budget with a period, and what it has left. */
interface Funds {
  readonly limit: number
  readonly remaining: number
  readonly endsAt: number
}

/** One search, and when it may be looked at. */
interface Turn<Post extends AnyPost> {
  readonly looks: Looks<Post>
  /** Not before this time, since a look has failed. */
  retryAt: number
  isOver: boolean
  isRefused: boolean
}

/** Looks at searches when they are due, one after another: those that have waited longest come first. */
export async function* scheduled<Post extends AnyPost>(
  searches: readonly NamedSearch<Post>[],
  settings: WatchSettings,
): AsyncGenerator<SearchBatch<string, Post>, void, undefined> {
  const { once, freshness, pages } = settings
  const { signal, budget } = pages
  const turns = searches.map((search): Turn<Post> => {
    return { looks: new Looks(search, settings), retryAt: 0, isOver: false, isRefused: false }
  })
  for (;;) {
    signal?.throwIfAborted()
    const funds = await fundsOf(budget)
    const now = Date.now()
    const rate = funds === null ? Infinity : funds.remaining / Math.max(1, funds.endsAt - now)
    const waits = waitsOf(
      turns.map(({ looks }) => looks),
      rate,
      freshness,
    )
    const due = turns
      .map((turn, i) => ({ turn, wait: waits[i] ?? 0, at: dueAt(turn, waits[i] ?? 0, funds, now, once) }))
      .filter(({ turn }) => !(once && turn.isOver))
      .sort((a, b) => a.at - b.at)
    const [next] = due
    if (next === undefined || (once && next.at > now)) return
    // Open calls reserve credits, which may come back.
    const longest = due.at(-1)?.at === Infinity ? minute : longestSleep
    const until = Math.min(next.at, now + longest, funds?.endsAt ?? Infinity)
    if (next.at > now) await sleep(Math.max(1, until - now), signal)
    else yield* lookAt(next.turn, next.wait, settings, funds)
  }
}

/** When a search is due for a look. */
function dueAt<Post extends AnyPost>(
  { looks: { pace, price, hasMore }, retryAt }: Turn<Post>,
  wait: number,
  funds: Funds | null,
  now: number,
  once: boolean,
): number {
  if (funds !== null && funds.remaining < price && price <= funds.limit) return Infinity
  if (pace === null || hasMore) return Math.max(retryAt, Math.min(now, pace?.at ?? 0))
  const least = !once ? wait : funds === null ? 0 : wait * (1 - early)
  return Math.max(retryAt, Math.min(now, pace.at) + least)
}

async function* lookAt<Post extends AnyPost>(
  turn: Turn<Post>,
  wait: number,
  { once, pages: { signal, budget } }: WatchSettings,
  funds: Funds | null,
): AsyncGenerator<SearchBatch<string, Post>> {
  const { looks } = turn
  const { name } = looks.search
  turn.isOver = true
  turn.retryAt = 0
  try {
    for await (const batch of looks.look()) yield { name, ...batch, error: null }
    turn.isRefused = false
  } catch (error) {
    signal?.throwIfAborted()
    turn.retryAt = Date.now() + Math.max(minute, wait)
    if (error instanceof CreditBudgetError) {
      if (funds === null || looks.price > funds.limit || error.budget !== nameOf(budget)) throw error
      const { remaining } = (await budget?.summary?.()) ?? funds
      // What open calls had reserved may have come back. The second time, another budget of the same name has refused.
      if (remaining >= looks.price && (once || turn.isRefused)) throw error
      turn.isRefused = true
      turn.retryAt = Date.now() + minute
    } else if (isOfOneSearch(error)) yield { name, ...looks.batch(), error }
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
