import { countBefore } from './lists.ts'
import { createRandom } from './random.ts'
import type { SandboxGrowth } from './types.ts'

const [hour, day] = [3_600_000, 86_400_000]

/** Posts in each hour of a day (UTC), relative to each other. */
const rhythm = [4, 3, 2, 2, 3, 5, 9, 15, 20, 23, 24, 23, 21, 21, 22, 21, 20, 19, 18, 17, 15, 12, 9, 6]
const evenly = rhythm.map(() => 1)

/** So many times as many posts come in an hour with a burst. */
const burst = 20

/** How posts come, with defaults; `since` in milliseconds since 1970. */
export interface Growth extends Required<Omit<SandboxGrowth, 'since'>> {
  readonly since: number
}

/**
 * Lists the items about a query after one time and up to another, newest first, at the same cost however many there are. The
 * serial number of an item gives its time, and counts from 1970, so each sandbox of a seed has the same items. Each day has
 * equally many.
 */
export function growAbout<T>(
  query: string,
  { perHour, pattern }: Growth,
  { after, upTo, name }: { readonly after: number; readonly upTo: number; readonly name: string },
  make: (at: number, serial: number) => T,
) {
  const perDay = 24 * (typeof perHour === 'number' ? perHour : (perHour[query] ?? 0))
  const end = serialAfter(upTo)
  const length = perDay === 0 ? 0 : Math.max(0, end - serialAfter(after))
  const timeAt = (index: number): number => timeOf(end - 1 - index)
  const at = (index: number) => (index < length ? make(timeAt(index), end - 1 - index) : undefined)
  return { length, timeAt, at }

  /** Whole seconds. */
  function timeOf(serial: number): number {
    const jitter = pattern === 'even' ? 0 : createRandom(`${name}/${serial}`).next()
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
    if (pattern !== 'bursts') return pattern === 'even' ? evenly : rhythm
    const random = createRandom(`${name}/bursts/${date}`)
    const hours = [random.integer(0, 23), random.integer(0, 23)]
    return rhythm.map((share, index) => (hours.includes(index) ? burst * share : share))
  }

  function serialAfter(time: number): number {
    const first = Math.floor(perDay * Math.floor(time / day)) - 1
    return first + countBefore(Math.ceil(perDay) + 3, (index) => timeOf(first + index) > time)
  }
}
