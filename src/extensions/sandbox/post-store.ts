import { type Slot, filtered, mapped, merged } from './lists.ts'
import { containsAll } from './match-words.ts'
import type { Moment } from './pages.ts'
import { createRandom } from './random.ts'
import type { Growth, MadeUp } from './series.ts'
import { topicAbout } from './topics.ts'

/** How many items there are about a query that no other item matches. */
const sizeAbout = [25, 90] as const

interface Item {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Words to search, as `normalize` makes them. */
  readonly words: string
}

/** What the posts of a sandbox depend on. */
export interface PostStoreSettings {
  readonly seed: number
  /** The time of the sandbox's clock, in milliseconds since 1970. */
  readonly now: () => number
  readonly growth: Growth
}

/** Items from a test, newest first by their order of arrival. */
export interface Own<T> {
  /** Hides made-up items. */
  readonly isAlone: boolean
  items: readonly T[]
}

/** The posts of one network in one sandbox: made-up ones, those from a test, and those that come as time passes. */
export type PostStore<T extends Item> = ReturnType<typeof createPostStore<T>>

export function createPostStore<T extends Item>(
  { seed, now, growth }: PostStoreSettings,
  own: Own<T>,
  madeUp: MadeUp<T>,
  size: number,
) {
  /** Items from a test, newest first. */
  function ownAt({ arrived }: Moment): Slot<T>[] {
    const items = own.items.slice(own.items.length - arrived)
    return items.map((item) => ({ at: item.at, item })).sort((a, b) => b.at - a.at)
  }

  function madeUpAt({ at }: Moment): readonly Slot<T>[] {
    return own.isAlone ? [] : madeUp.timeline(seed, size, at)
  }

  const agedAt = ({ at }: Moment, slots: Iterable<Slot<T>>) =>
    mapped(slots, (item) => madeUp.age(item, at - item.at))

  return {
    /** What a request that arrives now can see. Made-up times are whole seconds. */
    now: (): Moment => ({
      at: 1000 * Math.floor(now() / 1000),
      arrived: own.items.length,
      since: growth.since,
    }),
    /** All items without growth, newest first. Of those with the same time, own ones come first. */
    all: (moment: Moment): T[] =>
      Array.from(merged(ownAt(moment), agedAt(moment, madeUpAt(moment))), ({ item }) => item),
    /** Items that hold all words of a query, newest first. Leaves out growth that is not within a time. */
    find: (query: string, moment: Moment, { since = 0, until = Infinity } = {}): Iterable<Slot<T>> => {
      const contains = containsAll(query)
      const matches = ({ item }: Slot<T>): boolean => contains(item.words)
      const added = ownAt(moment).filter(matches)
      if (own.isAlone || topicAbout(query) === null) return added
      const timeline = madeUpAt(moment)
      const count = size > 0 ? createRandom(`${seed}/about ${query}`).integer(...sizeAbout) : 0
      const found = timeline.some(matches) ? timeline : madeUp.latest(seed, query, count, moment.at)
      const within = { ...growth, since: Math.max(since - 1, moment.since) }
      const fresh = madeUp.series(seed, query, within, Math.min(until - 1, moment.at))
      const grown = merged(fresh, filtered(found, matches))
      return merged(added, agedAt(moment, grown))
    },
  }
}
