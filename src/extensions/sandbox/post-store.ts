import { topicAbout } from './compose-post.ts'
import { type Random, createRandom, hash } from './random.ts'
import { containsAll } from './words.ts'

/** How many items there are about a query that no other item matches. */
const sizeAbout = [25, 90] as const

/** What a store knows of a post, besides what the service sends. */
export interface Item {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Words of text and author, as `normalize` makes them. */
  readonly words: string
}

/** What the posts of a sandbox depend on. */
export interface PostStoreSettings {
  readonly seed: number
  /** The time of the sandbox's clock, in milliseconds since 1970. */
  readonly now: () => number
  /** How many posts an hour come, and since when, in milliseconds since 1970. */
  readonly growth: { readonly perHour: number; readonly since: number }
}

/** Items from a test, newest first. */
export interface Own<T> {
  /** Hides made-up items. */
  readonly isAlone: boolean
  items: readonly T[]
}

/** The posts of one network in one sandbox: made-up ones, those from a test, and those that come as time passes. */
export type PostStore<T extends Item> = ReturnType<typeof createPostStore<T>>

export function createPostStore<T extends Item>(
  { seed, now, growth }: PostStoreSettings,
  madeUp: MadeUp<T>,
  size: number,
  own: Own<T> = { isAlone: false, items: [] },
) {
  const timelineAt = (at: number): readonly T[] => (own.isAlone ? [] : madeUp.timeline(seed, size, at))

  return {
    seed,
    /** The time of a request that arrives now. Made-up times are whole seconds. */
    now: (): number => 1000 * Math.floor(now() / 1000),
    /** All items without growth, newest first, and none that is made up later than a time. */
    all: (at: number): T[] => [...merged(own.items, timelineAt(at))],
    /** Those that hold all words of a query, and growth. */
    find: (query: string, at: number): Iterable<T> => {
      const contains = containsAll(query)
      const matches = ({ words }: T): boolean => contains(words)
      const added = own.items.filter(matches)
      if (own.isAlone || topicAbout(query) === null) return added
      const timeline = timelineAt(at)
      const count = size > 0 ? createRandom(`${seed}/about ${query}`).integer(...sizeAbout) : 0
      const found = timeline.some(matches) ? timeline : [...madeUp.latest(seed, query, count, at)]
      return merged(added, merged(madeUp.series(seed, query, growth, at), found.filter(matches)))
    },
  }
}

/** Both lists as one, newest first. Of items with the same time, those of the first one come first. */
function* merged<T extends Item>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  const others = second[Symbol.iterator]()
  let other = others.next()
  for (const item of first) {
    for (; !other.done && other.value.at > item.at; other = others.next()) yield other.value
    yield item
  }
  for (; !other.done; other = others.next()) yield other.value
}

const dayMs = 86_400_000

/** So many days back, a sandbox has items without growth. */
const daysBack = 120

/** So many items are remembered: a test suite makes hundreds of sandboxes, nearly all with the same ones. */
const mostKnown = 10_000

/** Makes up an item of a time, in milliseconds since 1970, about a query, or about anything. */
export type Make<T> = (random: Random, at: number, query: string) => T

/** How the items of a network are made up. */
export type MadeUp<T extends Item> = ReturnType<typeof makeUp<T>>

/** Items come at the same times in every process. Sandboxes share them, so they must not be changed. */
export function makeUp<T extends Item>(network: string, make: Make<T>) {
  const known = new Map<string, T>()
  let timeline: { readonly name: string; readonly items: readonly T[] } = { name: '', items: [] }

  /** An endless series of items about a query until a time, newest first. */
  function* series(
    seed: number,
    query: string,
    { perHour, since }: PostStoreSettings['growth'],
    upTo: number,
    pattern: 'even' | 'random' = 'even',
  ): Generator<T> {
    if (perHour === 0) return
    const name = [seed, network, query, pattern, perHour].join('/')
    const perDay = 24 * perHour
    for (let serial = Math.ceil(perDay * (Math.floor(upTo / dayMs) + 1)); ; serial--) {
      const place = `${name}/${serial}`
      // At equal distances, or anywhere between. Times are whole seconds.
      const later = pattern === 'even' ? 0 : hash(`${name}/at ${serial}`) / 2 ** 53
      const at = 1000 * Math.floor((86_400 * (serial + later)) / perDay + 0.001)
      if (at <= since) return
      if (at > upTo) continue
      if (known.size > mostKnown) known.clear()
      const item = known.get(place) ?? make(createRandom(place), at, query)
      known.set(place, item)
      yield item
    }
  }

  /** So many items about a query, or about anything: the latest up to a time. */
  function* latest(seed: number, query: string, size: number, upTo: number): Generator<T> {
    const growth = { perHour: size / daysBack / 24, since: -Infinity }
    const items = series(seed, query, growth, upTo, 'random')
    for (let left = size; left > 0; left--) yield items.next().value as T
  }

  return {
    series,
    latest,
    /** The same about anything. Nearly all searches of a test suite use the same ones. */
    timeline(seed: number, size: number, upTo: number): readonly T[] {
      const [newest] = latest(seed, '', size, upTo)
      const name = `${seed}/${size}/${newest?.at}`
      if (name !== timeline.name) timeline = { name, items: [...latest(seed, '', size, upTo)] }
      return timeline.items
    },
  }
}

/** An id of an item, which those of other times do not have. */
export function idAt(random: Random, at: number): string {
  return `${Math.abs(at) / 1000}${random.integer(100_000, 999_999)}`
}
