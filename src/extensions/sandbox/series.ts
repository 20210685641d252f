import type { Slot } from './lists.ts'
import { memoizeLatest } from './memoize-latest.ts'
import { type Random, createRandom } from './random.ts'
import type { SandboxGrowth } from './types.ts'

const hourMs = 3_600_000

/** So many days back, a sandbox has items without growth. */
const daysBack = 120

/** Posts in each hour of a day (UTC), relative to each other. */
const rhythm = [4, 3, 2, 2, 3, 5, 9, 15, 20, 23, 24, 23, 21, 21, 22, 21, 20, 19, 18, 17, 15, 12, 9, 6]
const evenly = rhythm.map(() => 1)

/** So many times as many posts come in an hour with a burst. */
const burst = 20

/** How posts come, with defaults; `since` in milliseconds since 1970. */
export interface Growth extends Pick<SandboxGrowth, 'perHour'> {
  readonly pattern: NonNullable<SandboxGrowth['pattern']>
  readonly since: number
}

interface Series {
  readonly seed: number
  /** What its items are about, or empty for anything. */
  readonly query: string
  readonly perDay: number
  readonly pattern: 'random' | Growth['pattern']
}

/** Makes up an item of a time, in milliseconds since 1970. */
export type Make<T> = (random: Random, at: number, about: Pick<Series, 'seed' | 'query'>) => T

/** How the items of a network are made up. Sandboxes share the items, so they must not be changed. */
export type MadeUp<T extends object> = ReturnType<typeof makeUp<T>>

/** @param sizeAbout How many items are made up about a query that no other item matches. */
export function makeUp<T extends object>(
  network: string,
  make: Make<T>,
  sizeAbout: readonly [number, number] = [0, 0],
) {
  const itemOf = memoizeLatest((seed: number, query: string, name: string, serial: number, at: number) => {
    return make(createRandom(`${name}/${serial}`), at, { seed, query })
  }, 10_000)

  /** An endless series, newest first. Its items stay the same while the clock moves, and in every process. */
  function* itemsOf(series: Series, after: number, upTo: number): Generator<Slot<T>> {
    const { seed, query, pattern } = series
    const name = `${seed}/${network}/${query}/${pattern}`
    for (let hour = Math.floor(upTo / hourMs); hour >= Math.floor(after / hourMs); hour--)
      for (const { at, serial } of placesIn(hour, series, name)) {
        let made: T | undefined
        if (after < at && at <= upTo)
          yield {
            at,
            get item() {
              return (made ??= itemOf(seed, query, name, serial, at))
            },
          }
      }
  }

  const past = (seed: number, query: string, size: number, upTo: number) =>
    itemsOf({ seed, query, perDay: size / daysBack, pattern: 'random' }, 0, upTo)
  const listOf = memoizeLatest((seed: number, query: string, size: number, upTo: number) => {
    const items: T[] = []
    for (const { item } of past(seed, query, size, upTo)) if (items.push(item) === size) break
    return items
  }, 20)

  return {
    sizeAbout,
    /** So many items about a query, or about anything: the latest up to a time. */
    latest: (seed: number, query: string, size: number, upTo: number): readonly T[] => {
      if (size === 0) return []
      const [newest] = past(seed, query, size, upTo)
      return newest ? listOf(seed, query, size, newest.at) : []
    },
    /** The items about a query that come after one time and up to another. */
    grown: (seed: number, query: string, { perHour, pattern }: Growth, after: number, upTo: number) =>
      perHour === 0 ? [] : itemsOf({ seed, query, perDay: 24 * perHour, pattern }, after, upTo),
  }
}

/** The times of a series in an hour since 1970, newest first. Each has a serial number. They are whole seconds. */
function placesIn(hour: number, series: Series, name: string) {
  const [start, end] = [countUntil(hour, series, name), countUntil(hour + 1, series, name)]
  const first = Math.ceil(start)
  const random = createRandom(`${name}/${hour}`)
  return Array.from({ length: Math.ceil(end) - first }, (_, index) =>
    series.pattern === 'even' ? (first + index - start) / (end - start) : random.next(),
  )
    .sort((a, b) => a - b)
    .map((part, index) => ({ at: 1000 * Math.floor((hour + part) * 3600 + 0.001), serial: first + index }))
    .reverse()
}

/** How many items a series has from 1970 until an hour begins. Each day has equally many. */
function countUntil(hour: number, { perDay, pattern }: Series, name: string): number {
  const date = Math.floor(hour / 24)
  const shares =
    pattern === 'bursts' ? sharesWithBursts(`${name}/bursts/${date}`) : pattern === 'daily' ? rhythm : evenly
  const [before, all] = [sum(shares.slice(0, hour % 24)), sum(shares)]
  return (perDay * (date * all + before)) / all
}

function sharesWithBursts(day: string): number[] {
  const random = createRandom(day)
  const hours = [random.integer(0, 23), random.integer(0, 23)]
  return rhythm.map((share, hour) => (hours.includes(hour) ? burst * share : share))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** An id of an item, which those of other times do not have. */
export function idAt(random: Random, at: number): string {
  return `${at / 1000}${random.integer(100_000, 999_999)}`
}
