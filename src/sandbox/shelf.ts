import { containsAll } from './match-words.ts'
import type { Settings } from './options.ts'
import type { Moment } from './pages.ts'
import { topicAbout } from './phrases/about.ts'
import { createRandom } from './random.ts'
import type { Latest, Make } from './series.ts'

interface Item {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Words to search, as `normalize` makes them. */
  readonly words: string
}

/** Items from a test, newest first by their order of arrival. */
export interface Own<T> {
  /** Hides made-up items. */
  readonly isAlone: boolean
  items: readonly T[]
}

/** How the items of a network are made up. */
interface MadeUp<T> {
  readonly make: Make<T>
  /** Items on all topics, and how many. */
  readonly latest: Latest<T>
  readonly size: number
  /** Items about a query that no other item matches, and how many. */
  readonly about: Latest<T>
  readonly sizeAbout: readonly [min: number, max: number]
}

/** The posts of one network in one sandbox: made-up ones, those from a test, and those that come as time passes. */
export interface Shelf<T> {
  /** What a request that arrives now can see. */
  now(): Moment
  all(moment: Moment): readonly T[]
  /** Items that hold all words of a query, newest first. */
  find(query: string, moment: Moment): T[]
}

export function createShelf<T extends Item>(
  { seed, now, start, growth }: Settings,
  own: Own<T>,
  madeUp: MadeUp<T>,
): Shelf<T> {
  const { latest, size, about, sizeAbout } = madeUp
  const grown = new Map<string, T[]>()

  /** Items about a query since the sandbox was made, newest first. The same time gives the same items. */
  function growAbout(query: string, { since, at: until }: Moment): readonly T[] {
    if (growth === 0) return []
    const key = `${since}/${query}`
    const items = grown.get(key) ?? []
    grown.set(key, items)
    const count = Math.max(0, Math.floor(((until - since) * growth) / 3_600_000))
    while (items.length < count) {
      const at = 1000 * Math.floor((since + ((items.length + 1) * 3_600_000) / growth) / 1000)
      const random = createRandom(`${seed}/growth/${query}/${at}/${items.length}`)
      for (const draft of madeUp.make(random, [0], { seed, query })) items.push(draft(at))
    }
    return items.slice(0, count).reverse()
  }

  const ownAt = ({ arrived }: Moment): readonly T[] => own.items.slice(own.items.length - arrived)

  return {
    // Made-up times are whole seconds.
    now: () => ({ at: 1000 * Math.floor(now() / 1000), arrived: own.items.length, since: start }),
    all: (moment) => merge(ownAt(moment), own.isAlone ? [] : latest(seed, size, moment.at)),
    find(query, moment) {
      const matches = containsAll(query)
      const matching = (items: readonly T[]): T[] => items.filter(({ words }) => matches(words))
      const added = matching(ownAt(moment))
      const topic = topicAbout(query)
      if (own.isAlone || topic === null) return merge(added, [])
      const found = matching(latest(seed, size, moment.at))
      if (found.length === 0 && size > 0) {
        const count = createRandom(`${seed}/about ${query}`).integer(...sizeAbout)
        found.push(...matching(about(seed, count, moment.at, query)))
      }
      return merge([...growAbout(query, moment), ...added], found)
    },
  }
}

function merge<T extends Item>(own: readonly T[], madeUp: readonly T[]): T[] {
  return own.length === 0 ? [...madeUp] : [...own, ...madeUp].sort((a, b) => b.at - a.at)
}
