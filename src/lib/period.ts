/** A stretch of time by the calendar. */
export type Period = 'hour' | 'day' | 'month'

/**
 * Names the period that contains a time. Names sort as their periods follow each other.
 *
 * @param time Milliseconds since 1970.
 * @throws {RangeError} for an unknown time zone.
 */
export function periodAt(time: number, every: Period, timeZone = 'UTC'): string {
  const local = timeZone === 'UTC' ? new Date(time).toISOString() : isoIn(timeZone, time)
  if (every !== 'hour') return local.slice(0, every === 'day' ? 10 : 7)
  // In UTC, since an hour is repeated when summer time ends. In some zones, hours begin at half past.
  return new Date(time - Number(local.slice(14, 16)) * 60_000).toISOString().slice(0, 16)
}

/** A format takes a hundred times as long to make as to use. */
const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * A time in a time zone, as ISO 8601 without the zone: `2026-11-20T15:16`. Processes that share a budget must agree on it, so it is made
 * of numbers: texts for people differ between versions of ICU, and some builds know English alone.
 */
function isoIn(timeZone: string, time: number): string {
  const format = formats.get(timeZone) ?? formatIn(timeZone)
  formats.set(timeZone, format)
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes, length = 2): string =>
    String(Number(parts.get(type))).padStart(length, '0')
  return `${part('year', 4)}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  })
}

/** `2026-11-25 00:00 UTC`. */
export function utcText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** How long a request may take to arrive, in milliseconds, so that it counts in the period in which it was sent. */
export const arrivalMs = 750

/** A clock and a timer may differ by a thousandth, in milliseconds. */
const timerMs = 5

/**
 * How long to wait before a request is sent, in milliseconds: 0, or, shortly before a period ends, until the next one has begun.
 *
 * @param nameAt As for {@link periodEnd}.
 */
export function waitAtEnd(time: number, nameAt: (time: number) => string): number {
  return nameAt(time) === nameAt(time + arrivalMs) ? 0 : periodEnd(time, nameAt) - time + timerMs
}

/**
 * When the period that contains a time ends, in milliseconds since 1970; Infinity without periods.
 *
 * @param nameAt Names the period of a time, as {@link periodAt} does; always the same name without periods.
 */
export function periodEnd(time: number, nameAt: (time: number) => string): number {
  const name = nameAt(time)
  // No period is longer.
  let [last, next] = [time, time + 32 * 86_400_000]
  if (nameAt(next) === name) return Infinity
  while (next - last > 1) {
    const middle = Math.floor((last + next) / 2)
    if (nameAt(middle) === name) last = middle
    else next = middle
  }
  return next
}
