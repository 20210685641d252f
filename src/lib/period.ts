/** A stretch of time by the calendar. */
export type Period = 'hour' | 'day' | 'month'

/**
 * Names the period that contains a time. Names sort as their periods follow each other.
 *
 * @param time Milliseconds since 1970.
 * @throws {RangeError} for an unknown time zone.
 */
export function periodAt(time: number, every: Period, timeZone = 'UTC'): string {
  // Sweden writes dates as ISO 8601 does. A budget asks for each request, and this takes a hundred times as long.
  const local =
    timeZone === 'UTC' ? new Date(time).toISOString() : new Date(time).toLocaleString('sv', { timeZone })
  if (every !== 'hour') return local.slice(0, every === 'day' ? 10 : 7)
  // In UTC, since an hour is repeated when summer time ends. In some zones, hours begin at half past.
  return new Date(time - Number(local.slice(14, 16)) * 60_000).toISOString().slice(0, 16)
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
