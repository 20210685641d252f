import { memoizeLatest } from './memoize-latest.ts'
import { type Random, createRandom } from './random.ts'

/** Milliseconds of a lap: 120 days. */
const lapLength = 120 * 24 * 60 * 60 * 1000

/** Completes an item that is made up except for its time, in milliseconds since 1970. */
export type Draft<T> = (at: number) => T

/**
 * Makes up a draft for each of some times, newest first, which are milliseconds after the start of a lap and whole seconds.
 * `query` is what they are about, or empty.
 */
export type Make<T> = (
  random: Random,
  times: readonly number[],
  about: { readonly seed: number; readonly query: string },
) => readonly Draft<T>[]

/** The `size` latest items up to a time, newest first. */
type Latest<T> = (seed: number, size: number, until: number, query?: string) => readonly T[]

/** How the items of a network are made up. */
export interface MadeUp<T> {
  readonly make: Make<T>
  readonly latest: Latest<T>
  /** Items about a query that no other item matches, and how many. */
  readonly about: Latest<T>
  readonly sizeAbout: readonly [min: number, max: number]
}

export function makeUp<T extends { readonly at: number }>(
  name: string,
  make: Make<T>,
  sizeAbout: readonly [min: number, max: number] = [0, 0],
): MadeUp<T> {
  return { make, latest: createSeries(name, make), about: createSeries(`${name} about`, make), sizeAbout }
}

/**
 * An endless series of made-up items. The same drafts come in each lap, at the same times after its start, so an item depends
 * on seed, size, query and its time alone: it stays the same while the clock moves, and in every process.
 */
function createSeries<T extends { readonly at: number }>(name: string, make: Make<T>): Latest<T> {
  const lapsOf = memoizeLatest((seed: number, size: number, query: string) => {
    const random = createRandom(`${seed}/${name}/${query}`)
    const times = drawTimes(random, size)
    const drafts = make(random, times, { seed, query })
    const laps = new Map<number, readonly T[]>()
    return (lap: number): readonly T[] => {
      const items =
        laps.get(lap) ?? drafts.map((draft, index) => draft(lap * lapLength + (times[index] ?? 0)))
      laps.set(lap, items)
      return items
    }
  })

  return (seed, size, until, query = '') => {
    const itemsOf = lapsOf(seed, size, query)
    const lap = Math.floor(until / lapLength)
    const past = itemsOf(lap).filter(({ at }) => at <= until)
    return [...past, ...itemsOf(lap - 1).slice(0, size - past.length)]
  }
}

/** An id that no item of another time has. */
export function idAt(at: number, serial: number): string {
  return `${at / 1000}${String(serial).padStart(6, '0')}`
}

/** One time in each of equal parts of a lap. */
function drawTimes(random: Random, size: number): number[] {
  const seconds = lapLength / 1000
  return Array.from(
    { length: size },
    (_, index) => 1000 * (seconds - 1 - Math.floor(((index + random.next()) * seconds) / size)),
  )
}
