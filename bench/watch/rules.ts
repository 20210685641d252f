import { type DueSearch, type WatchPace, dueTimes, paceAfter } from '../../src/extensions/watch/due.ts'
import type { Reader } from './reader.ts'

/** What a rule sees in a minute. */
interface Moment {
  /** Minutes since the start. */
  readonly time: number
  readonly readers: readonly Reader[]
  /** Credits that are left in this period. */
  readonly remaining: () => number
  readonly limit: number
  /** When the period of the budget ends. */
  readonly endsAt: number
  /** Looks at a search. Returns how many posts it has found. */
  readonly look: (search: number) => number
}

/** Looks at the searches that are due in a minute. */
export type Rule = (moment: Moment) => void

/** The rule before this one: look each minute, and wait twice as long after each look without posts, up to 16 minutes. */
export const doubling = (): Rule => waiting((wait, found) => (found > 0 ? 1 : Math.min(2 * wait, 16)))

/** Looks each so many minutes. */
export const fixed = (minutes: number): Rule => waiting(() => minutes)

function waiting(waitAfter: (wait: number, found: number) => number): Rule {
  const next: { at: number; wait: number }[] = []
  return ({ time, readers, look }) => {
    readers.forEach((_, index) => {
      const { at, wait } = next[index] ?? { at: 0, wait: 1 }
      if (time < at) return
      const after = waitAfter(wait, look(index))
      next[index] = { at: time + after, wait: after }
    })
  }
}

export const price = 2
const minute = 60_000

/** The rule of `watchSearches()`. */
export function paced(minutesBetween: number): Rule {
  const terms = { minInterval: minutesBetween * minute, once: false }
  const paces: WatchPace[] = []
  return ({ time, readers, remaining, limit, endsAt, look }) => {
    const now = time * minute
    for (;;) {
      const searches = readers.map((reader, index): DueSearch => {
        const times = reader.firstPage.map((post) => post * minute)
        const pace = (paces[index] ??= paceAfter(null, 0, times.length, times))
        return { pace, price, hasGapToFill: reader.hasGap, retryAt: 0 }
      })
      const funds = { limit, remaining: remaining(), endsAt: endsAt * minute }
      const times = dueTimes(searches, funds, now, terms)
      const at = Math.min(...times)
      if (at > now) return
      const index = times.indexOf(at)
      paces[index] = paceAfter(paces[index] ?? null, now, look(index), [])
    }
  }
}
