import { within } from './abort.ts'

/** Longest delay that `setTimeout` can hold, in milliseconds; a longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1

const isoTime = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/

/**
 * A time as ISO 8601 or SQLite write it, in milliseconds since 1970; NaN for anything else, such as a text that starts with a
 * time, or a day that no calendar has. Without a zone it is in UTC, where `Date.parse` takes the zone of the machine.
 */
export function parseTime(text: unknown): number {
  const [time = '', year, month, day, zone] = isoTime.exec(String(text)) ?? []
  // `Date.parse` reads February 29 of any year.
  if (Number(day) > 28 && new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate() < Number(day))
    return NaN
  if (time.length <= 10) return Date.parse(time)
  if (zone === undefined) return Date.parse(`${time}Z`)
  return Date.parse(zone.length === 3 ? `${time}:00` : time)
}

/** A time in milliseconds since 1970; null for one that no `Date` holds, such as Infinity. */
export function dateAt(time: number): Date | null {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? null : date
}

/** The time in `ms` milliseconds, as {@link dateAt}. */
export const dateIn = (ms: number): Date | null => dateAt(Date.now() + ms)

/**
 * Resolves after at least `ms` milliseconds, or rejects with the signal's reason. Timers may fire early, so it checks the
 * clock: no request may be sent before an announced time.
 */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const end = performance.now() + ms
  const never = (): Promise<never> => new Promise(() => {})
  for (let left = ms; left > 0; left = end - performance.now())
    await within(Math.min(Math.ceil(left), maxTimerMs), never, () => {}, signal)
}
