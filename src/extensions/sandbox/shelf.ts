import { topicAbout } from './phrases/languages.ts'
import { containsAll } from './match-words.ts'
import { memoizeLatest } from './memoize-latest.ts'
import type { Moment } from './pages.ts'
import { createRandom } from './random.ts'
import type { Draft, MadeUp } from './series.ts'

const hour = 3_600_000
/** A query shows no more items of growth, so that a jump of the clock takes no time. */
const mostGrown = 2000

interface Item {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Words to search, as `normalize` makes them. */
  readonly words: string
}

/** What the posts of a sandbox depend on. */
export interface ShelfSettings {
  readonly seed: number
  /** The time of the sandbox's clock, in milliseconds since 1970. */
  readonly now: () => number
  /** What it was when the sandbox was made. */
  readonly start: number
  /** New posts an hour about each query. */
  readonly growth: number
}

/** Items from a test, newest first by their order of arrival. */
export interface Own<T> {
  /** Hides made-up items. */
  readonly isAlone: boolean
  items: readonly T[]
}

/** The posts of one network in one sandbox: made-up ones, those from a test, and those that come as time passes. */
export type Shelf<T extends Item> = ReturnType<typeof createShelf<T>>

export function createShelf<T extends Item>(
  { seed, now, start, growth }: ShelfSettings,
  own: Own<T>,
  { make, latest, about, sizeAbout }: MadeUp<T>,
  size: number,
) {
  const grow = memoizeLatest((query: string, at: number, serial: number): T => {
    const random = createRandom(`${seed}/growth/${query}/${at}/${serial}`)
    return (make(random, [0], { seed, query })[0] as Draft<T>)(at)
  }, 10 * mostGrown)

  /** Items about a query since the sandbox was made, newest first. The same time gives the same items. */
  function growAbout(query: string, { since, at: until }: Moment): readonly T[] {
    const count = Math.max(0, Math.floor(((until - since) * growth) / hour))
    return Array.from({ length: Math.min(count, mostGrown) }, (_, index) => {
      const serial = count - index
      return grow(query, 1000 * Math.floor((since + (serial * hour) / growth) / 1000), serial)
    })
  }

  let madeUp: ((until: number) => readonly T[]) | undefined
  const madeUpAt = ({ at }: Moment) => (madeUp ??= latest(seed, size))(at)
  const ownAt = ({ arrived }: Moment): readonly T[] => own.items.slice(own.items.length - arrived)

  return {
    /** What a request that arrives now can see. Made-up times are whole seconds. */
    now: (): Moment => ({ at: 1000 * Math.floor(now() / 1000), arrived: own.items.length, since: start }),
    all: (moment: Moment) => merge(ownAt(moment), own.isAlone ? [] : madeUpAt(moment)),
    /** Items that hold all words of a query, newest first. */
    find(query: string, moment: Moment): T[] {
      const matches = containsAll(query)
      const matching = (items: readonly T[]): T[] => items.filter(({ words }) => matches(words))
      const added = matching(ownAt(moment))
      const topic = topicAbout(query)
      if (own.isAlone || topic === null) return merge(added, [])
      const found = matching(madeUpAt(moment))
      if (found.length === 0 && size > 0) {
        const count = createRandom(`${seed}/about ${query}`).integer(...sizeAbout)
        found.push(...matching(about(seed, count, query)(moment.at)))
      }
      return merge([...growAbout(query, moment), ...added], found)
    },
  }
}

function merge<T extends Item>(own: readonly T[], madeUp: readonly T[]): T[] {
  return own.length === 0 ? [...madeUp] : [...own, ...madeUp].sort((a, b) => b.at - a.at)
}
