import { type Moment, type Slot, filtered, mapped, merged } from './pages.ts'
import { containsAll } from './post-index.ts'
import { type Random, createRandom, hash } from './random.ts'
import { topicAbout } from './compose-post.ts'
import type { SandboxGrowth } from './types.ts'

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

const dayMs = 86_400_000

/** So many days back, a sandbox has items without growth. */
const daysBack = 120

/** So many items are remembered: a test suite makes hundreds of sandboxes, nearly all with the same ones. */
const mostKnown = 10_000

/** How posts come, with defaults; `since` in milliseconds since 1970. */
export interface Growth extends Pick<SandboxGrowth, 'perHour'> {
  readonly since: number
}

/** Makes up an item of a time, in milliseconds since 1970, about a query, or about anything. */
export type Make<T> = (random: Random, at: number, query: string) => T

/** An item as it is so many milliseconds after its time. */
export type Age<T> = (item: T, ms: number) => T

/** How the items of a network are made up. */
export type MadeUp<T extends object> = ReturnType<typeof makeUp<T>>

/** A slot whose item is made when it is first read. A class, since years of growth have many. */
class LazySlot<T> implements Slot<T> {
  readonly at: number
  readonly #serial: number
  readonly #make: (serial: number, at: number) => T
  #item: T | undefined

  constructor(at: number, serial: number, make: (serial: number, at: number) => T) {
    this.at = at
    this.#serial = serial
    this.#make = make
  }

  get item(): T {
    return (this.#item ??= this.#make(this.#serial, this.at))
  }
}

/** Items come at the same times in every process. Sandboxes share them, so they must not be changed. */
export function makeUp<T extends object>(network: string, make: Make<T>, age: Age<T> = (item) => item) {
  const known = new Map<string, T>()
  let timeline: { readonly name: string; readonly slots: readonly Slot<T>[] } = { name: '', slots: [] }

  /** An endless series of items about a query until a time, newest first. */
  function* series(
    seed: number,
    query: string,
    { perHour, since }: Growth,
    upTo: number,
    pattern: 'even' | 'random' = 'even',
  ): Generator<Slot<T>> {
    if (perHour === 0) return
    const name = [seed, network, query, pattern, perHour].join('/')
    const perDay = 24 * perHour
    const timeOf = calendar(name, perDay, pattern)
    for (let serial = Math.ceil(perDay * (Math.floor(upTo / dayMs) + 1)); ; serial--) {
      const at = timeOf(serial)
      if (at <= since) return
      if (at <= upTo) yield new LazySlot(at, serial, itemOf)
    }

    function itemOf(serial: number, at: number): T {
      const place = `${name}/${serial}`
      if (known.size > mostKnown) known.clear()
      const item = known.get(place) ?? make(createRandom(place), at, query)
      known.set(place, item)
      return item
    }
  }

  /** So many items about a query, or about anything: the latest up to a time. */
  function* latest(seed: number, query: string, size: number, upTo: number): Generator<Slot<T>> {
    const growth = { perHour: size / daysBack / 24, since: -Infinity }
    const slots = series(seed, query, growth, upTo, 'random')
    for (let left = size; left > 0; left--) yield slots.next().value as Slot<T>
  }

  return {
    series,
    latest,
    age,
    /** The same about anything. Nearly all searches of a test suite use the same ones. */
    timeline(seed: number, size: number, upTo: number): readonly Slot<T>[] {
      const [newest] = latest(seed, '', size, upTo)
      const name = `${seed}/${size}/${newest?.at}`
      if (name !== timeline.name) timeline = { name, slots: [...latest(seed, '', size, upTo)] }
      return timeline.slots
    },
  }
}

/** The time of each item of a series, by its serial number: at equal distances, or anywhere between. Times are whole seconds. */
function calendar(name: string, perDay: number, pattern: 'even' | 'random'): (serial: number) => number {
  return (serial) => {
    const later = pattern === 'even' ? 0 : hash(`${name}/at ${serial}`) / 2 ** 53
    return 1000 * Math.floor((86_400 * (serial + later)) / perDay + 0.001)
  }
}

/** Makes counts grow with the age of a post: half of each has come after so many milliseconds, and nearly all in the end. */
export function growing(halfMs: number) {
  return (ms: number) =>
    (count: number): number =>
      Math.floor((count * ms) / (ms + halfMs))
}

/** An id of an item, which those of other times do not have. */
export function idAt(random: Random, at: number): string {
  return `${Math.abs(at) / 1000}${random.integer(100_000, 999_999)}`
}
