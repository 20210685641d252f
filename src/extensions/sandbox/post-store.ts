import { type Slot, merged } from './lists.ts'
import { topicAbout } from './phrases/languages.ts'
import { containsAll } from './match-words.ts'
import type { Moment } from './pages.ts'
import { createRandom } from './random.ts'
import type { Growth, MadeUp } from './series.ts'

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
  { latest, grown, sizeAbout }: MadeUp<T>,
  size: number,
) {
  const ownAt = ({ arrived }: Moment): readonly T[] => own.items.slice(own.items.length - arrived)

  return {
    /** What a request that arrives now can see. Made-up times are whole seconds. */
    now: (): Moment => ({
      at: 1000 * Math.floor(now() / 1000),
      arrived: own.items.length,
      since: growth.since,
    }),
    /** All items without growth, newest first. */
    all: (moment: Moment): T[] =>
      newestFirst(ownAt(moment), own.isAlone ? [] : latest(seed, '', size, moment.at)),
    /** Items that hold all words of a query, newest first. Leaves out growth that is not within a time. */
    find(query: string, moment: Moment, { since = 0, until = Infinity } = {}): Iterable<Slot<T>> {
      const matches = containsAll(query)
      const matching = (items: readonly T[]): T[] => items.filter(({ words }) => matches(words))
      const added = matching(ownAt(moment))
      if (own.isAlone || topicAbout(query) === null) return slotsOf(newestFirst(added, []))
      let found = matching(latest(seed, '', size, moment.at))
      if (found.length === 0 && size > 0) {
        const count = createRandom(`${seed}/about ${query}`).integer(...sizeAbout)
        found = matching(latest(seed, query, count, moment.at))
      }
      const [after, upTo] = [Math.max(since - 1, moment.since), Math.min(until - 1, moment.at)]
      return merged(grown(seed, query, growth, after, upTo), slotsOf(newestFirst(added, found)))
    },
  }
}

/** Of items with the same time, own ones come first. */
function newestFirst<T extends Item>(own: readonly T[], madeUp: readonly T[]): T[] {
  return [...own, ...madeUp].sort((a, b) => b.at - a.at)
}

function slotsOf<T extends Item>(items: readonly T[]): Slot<T>[] {
  return items.map((item) => ({ at: item.at, item }))
}
