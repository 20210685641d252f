import { type DueSearch, type Funds, dueTimes, retryMs } from '../extensions/watch/due.ts'
import type { SearchBatch, WatchState } from '../extensions/watch/index.ts'
import { hasMore } from '../extensions/watch/spans.ts'
import type { Budget } from '../index.ts'
import { say, showProgress } from './terminal.ts'
import { timeOfDay } from './watch-report.ts'

/** Says when the next check of a watch is due. */
export class NextCheck {
  readonly #terms: { readonly price: number; readonly freshness: number }
  readonly #searches: Map<string, DueSearch>
  #isSaid = false

  /** @param states What earlier runs have stored of the searches. */
  constructor(
    states: Readonly<Record<string, WatchState | null>>,
    terms: { readonly price: number; readonly freshness: number },
  ) {
    this.#terms = terms
    this.#searches = new Map(Object.entries(states).map(([name, state]) => [name, this.#search(state, 0)]))
  }

  note({ name, state, error }: Pick<SearchBatch<string, object>, 'name' | 'state' | 'error'>): void {
    const retryAt = error === null ? 0 : Date.now() + retryMs(this.#terms.freshness)
    this.#searches.set(name, this.#search(state, retryAt))
  }

  /** Says it if the watch waits: always on a terminal, once in a log. */
  async say(budget: Budget | undefined): Promise<void> {
    if (this.#isSaid && !process.stderr.isTTY) return
    const outlook = await Promise.resolve(budget?.summary?.()).catch(() => undefined)
    const funds = outlook === undefined || outlook.endsAt === null ? null : (outlook as Funds)
    const { freshness } = this.#terms
    const now = Date.now()
    const soonest = Math.min(
      ...dueTimes([...this.#searches.values()], funds, now, { freshness, once: false }),
    )
    // Without money for a page, a new period has some.
    const at = soonest === Infinity ? (funds?.endsAt ?? Infinity) : soonest
    if (at <= now || at === Infinity) return
    this.#isSaid = true
    const text = `next check at ${timeOfDay(new Date(at).toISOString())}`
    if (process.stderr.isTTY) showProgress(text)
    else say(text)
  }

  #search(state: WatchState | null, retryAt: number): DueSearch {
    const { spans = [], pace = null, failedAt } = state ?? {}
    return { pace, price: this.#terms.price, hasMore: hasMore(spans), failedAt, retryAt }
  }
}
