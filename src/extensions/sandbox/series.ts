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

/** How the items of a network are made up. */
export type MadeUp<T extends { readonly at: number }> = ReturnType<typeof makeUp<T>>

/** @param sizeAbout How many items are made up about a query that no other item matches. */
export function makeUp<T extends { readonly at: number }>(
  name: string,
  make: Make<T>,
  sizeAbout: readonly [min: number, max: number] = [0, 0],
) {
  return {
    name,
    make,
    latest: createSeries(name, make),
    about: createSeries(`${name} about`, make),
    sizeAbout,
  }
}

/**
 * An endless series of made-up items. The same drafts come in each lap, at the same times after its start, so an item depends
 * on seed, size, query and its time alone: it stays the same while the clock moves, and in every process.
 *
 * @returns A function that returns the `size` latest items up to a time, newest first. It keeps the drafts, however many
 * other seeds are used meanwhile.
 */
function createSeries<T extends { readonly at: number }>(name: string, make: Make<T>) {
  const lapsOf = memoizeLatest((seed: number, size: number, query: string) => {
    const random = createRandom(`${seed}/${name}/${query}`)
    const times = drawTimes(random, size)
    const drafts = make(random, times, { seed, query })
    // The lap of a time, and the one before it.
    return memoizeLatest(
      (start: number) => drafts.map((draft, index) => draft(start + (times[index] ?? 0))),
      2,
    )
  })

  return (seed: number, size: number, query = '') => {
    const itemsFrom = lapsOf(seed, size, query)
    return (until: number): readonly T[] => {
      const start = lapLength * Math.floor(until / lapLength)
      const past = itemsFrom(start).filter(({ at }) => at <= until)
      return [...past, ...itemsFrom(start - lapLength).slice(0, size - past.length)]
    }
  }
}

/** An id that no item of another time has. */
export function idAt(at: number, serial: number): string {
  return `${at / 1000}${String(serial).padStart(6, '0')}`
}

/** One time in each of equal parts of a lap. */
function drawTimes(random: Random, size: number): number[] {
  const seconds = lapLength / 1000
  const ages = Array.from({ length: size }, (_, index) => ((index + random.next()) * seconds) / size)
  return ages.map((age) => 1000 * (seconds - 1 - Math.floor(age)))
}
