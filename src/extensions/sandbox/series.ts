import type { Slot } from './lists.ts'
import { type Random, createRandom, hash } from './random.ts'
import type { SandboxGrowth } from './types.ts'

const dayMs = 86_400_000

/** So many days back, a sandbox has items without growth. */
const daysBack = 120

/** Posts in each hour of a day (UTC), relative to each other. */
const rhythm = [4, 3, 2, 2, 3, 5, 9, 15, 20, 23, 24, 23, 21, 21, 22, 21, 20, 19, 18, 17, 15, 12, 9, 6]

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

/** A place in a series. Its item is made when it is first read. A class, since years of growth have many. */
class Place<T> implements Slot<T> {
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
    pattern: 'even' | 'daily' = 'even',
  ): Generator<Slot<T>> {
    if (perHour === 0) return
    const name = [seed, network, query, pattern, perHour].join('/')
    const perDay = 24 * perHour
    const timeOf = calendar(name, perDay, pattern)
    for (let serial = Math.ceil(perDay * (Math.floor(upTo / dayMs) + 1)); ; serial--) {
      const at = timeOf(serial)
      if (at <= since) return
      if (at <= upTo) yield new Place(at, serial, itemOf)
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
    const slots = series(seed, query, growth, upTo, 'daily')
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

/** The time of each item of a series, by its serial number. Each day has equally many, and times are whole seconds. */
function calendar(name: string, perDay: number, pattern: 'even' | 'daily'): (serial: number) => number {
  if (pattern === 'even') return (serial) => 1000 * Math.floor((86_400 * serial) / perDay + 0.001)
  const total = rhythm.reduce((sum, each) => sum + each)
  return (serial) => {
    const place = (serial + hash(`${name}/at ${serial}`) / 2 ** 53) / perDay
    const day = Math.floor(place)
    let left = (place - day) * total
    const hour = rhythm.findIndex((share) => (left -= share) < 0)
    const hours = 24 * day + hour + 1 + left / (rhythm[hour] ?? 1)
    return 1000 * Math.floor(3600 * hours)
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
