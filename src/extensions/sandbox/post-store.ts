import { type List, merged } from './lists.ts'
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

/** From a time up to another, in milliseconds since 1970. */
interface Window {
  readonly since?: number | undefined
  readonly until?: number | undefined
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
  const madeUpAt = ({ at }: Moment) => latest(seed, '', size, at)
  const ownAt = ({ arrived }: Moment): readonly T[] => own.items.slice(own.items.length - arrived)

  return {
    /** What a request that arrives now can see. Made-up times are whole seconds. */
    now: (): Moment => ({
      at: 1000 * Math.floor(now() / 1000),
      arrived: own.items.length,
      since: growth.since,
    }),
    all: (moment: Moment) => merge(ownAt(moment), own.isAlone ? [] : madeUpAt(moment)),
    /** Items that hold all words of a query, newest first. Leaves out growth that is not within a time. */
    find(query: string, moment: Moment, window: Window = {}): List<T> {
      const matches = containsAll(query)
      const matching = (items: readonly T[]): T[] => items.filter(({ words }) => matches(words))
      const added = matching(ownAt(moment))
      const topic = topicAbout(query)
      if (own.isAlone || topic === null) return merge(added, [])
      const found = matching(madeUpAt(moment))
      if (found.length === 0 && size > 0) {
        const count = createRandom(`${seed}/about ${query}`).integer(...sizeAbout)
        found.push(...matching(latest(seed, query, count, moment.at)))
      }
      const { since = -Infinity, until = Infinity } = window
      const [after, upTo] = [Math.max(since - 1, moment.since), Math.min(until - 1, moment.at)]
      return merged(grown(seed, query, growth, after, upTo), merge(added, found))
    },
  }
}

function merge<T extends Item>(own: readonly T[], madeUp: readonly T[]): T[] {
  return own.length === 0 ? [...madeUp] : [...own, ...madeUp].sort((a, b) => b.at - a.at)
}
