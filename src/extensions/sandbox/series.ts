import { type List, countBefore } from './lists.ts'
import { memoizeLatest } from './memoize-latest.ts'
import { type Random, createRandom } from './random.ts'
import type { SandboxGrowth } from './types.ts'

const [hour, day] = [3_600_000, 86_400_000]

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

type Pattern = 'random' | Growth['pattern']

/** Makes up an item of a time, in milliseconds since 1970. `query` is what it is about, or empty. */
export type Make<T> = (
  random: Random,
  at: number,
  about: { readonly seed: number; readonly query: string },
) => T

/** How the items of a network are made up. Sandboxes share the items, so they must not be changed. */
export type MadeUp<T> = ReturnType<typeof makeUp<T>>

/** @param sizeAbout How many items are made up about a query that no other item matches. */
export function makeUp<T>(name: string, make: Make<T>, sizeAbout: readonly [number, number] = [0, 0]) {
  const seriesOf = memoizeLatest((seed: number, query: string, perDay: number, pattern: Pattern) => {
    const place = `${seed}/${name}/${query}/${pattern}`
    return createSeries(place, perDay, pattern, (random, at) => make(random, at, { seed, query }))
  }, 20)
  return {
    sizeAbout,
    /** So many items about a query, or about anything: the latest up to a time. */
    latest: (seed: number, query: string, size: number, upTo: number): readonly T[] =>
      size === 0 ? [] : seriesOf(seed, query, size / daysBack, 'random').latest(size, upTo),
    /** The items about a query that come after one time and up to another. */
    grown: (seed: number, query: string, { perHour, pattern }: Growth, after: number, upTo: number) => {
      const perDay = 24 * perHour
      return seriesOf(seed, query, perDay, pattern).between(after, perDay === 0 ? after : upTo)
    },
  }
}

/**
 * An endless series, of which any part costs the same. The serial number of an item gives its time, and counts from 1970, so an
 * item stays the same while the clock moves, and in every process. Each day has equally many.
 */
function createSeries<T>(
  name: string,
  perDay: number,
  pattern: Pattern,
  make: (random: Random, at: number) => T,
) {
  const itemOf = memoizeLatest(
    (serial: number) => ({ item: make(createRandom(`${name}/${serial}`), timeOf(serial)) }),
    10_000,
  )
  const latest = memoizeLatest((end: number, size: number) => {
    const { at } = listOf(end, size)
    return Array.from({ length: size }, (_, index) => at(index) as T)
  })
  return {
    latest: (size: number, upTo: number): readonly T[] => latest(serialAfter(upTo), size),
    between(after: number, upTo: number) {
      const end = after < upTo ? serialAfter(upTo) : 0
      return listOf(end, after < upTo ? end - serialAfter(after) : 0)
    },
  }

  /** So many items before a serial number, newest first. */
  function listOf(end: number, length: number) {
    const at: List<T>['at'] = (index) => (index < length ? itemOf(end - 1 - index).item : undefined)
    return { length, at, timeAt: (index: number): number => timeOf(end - 1 - index) }
  }

  /** Whole seconds. */
  function timeOf(serial: number): number {
    const jitter = pattern === 'even' ? 0 : createRandom(`${name}/${serial}/time`).next()
    const place = (serial + jitter) / perDay
    const date = Math.floor(place)
    const shares = sharesOf(date)
    let left = (place - date) * shares.reduce((sum, share) => sum + share, 0)
    let hours = 0
    for (; left >= (shares[hours] ?? Infinity); hours++) left -= shares[hours] ?? 0
    const ms = date * day + (hours + left / (shares[hours] ?? 1)) * hour
    return 1000 * Math.floor(ms / 1000 + 0.001)
  }

  function sharesOf(date: number): readonly number[] {
    if (pattern !== 'bursts') return pattern === 'daily' ? rhythm : evenly
    const random = createRandom(`${name}/bursts/${date}`)
    const hours = [random.integer(0, 23), random.integer(0, 23)]
    return rhythm.map((share, index) => (hours.includes(index) ? burst * share : share))
  }

  function serialAfter(time: number): number {
    const first = Math.floor(perDay * Math.floor(time / day)) - 1
    return first + countBefore(Math.ceil(perDay) + 3, (index) => timeOf(first + index) > time)
  }
}

/** An id of an item, which those of other times do not have. */
export function idAt(random: Random, at: number): string {
  return `${at / 1000}${random.integer(100_000, 999_999)}`
}
