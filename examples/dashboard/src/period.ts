export const dayMs = 86_400_000

/** Days are texts such as 2026-11-18, in UTC. */
export type Day = string
export const dayOf = (time: string | number): Day => new Date(time).toISOString().slice(0, 10)
export const addDays = (day: Day, days: number): Day => dayOf(Date.parse(day) + days * dayMs)
export const today = (): Day => dayOf(Date.now())

/** First and last day, both included. */
export interface Period {
  from: Day
  to: Day
}
export const lengthOf = ({ from, to }: Period) => Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1
export const lastDays = (days: number): Period => ({ from: addDays(today(), 1 - days), to: today() })
/** The period of the same length before. */
export const before = (period: Period): Period => ({
  from: addDays(period.from, -lengthOf(period)),
  to: addDays(period.from, -1),
})
export const startOf = (day: Day) => Date.parse(day)

const date = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })
export const dayName = (day: unknown) => date.format(new Date(String(day)))

export const units = ['days', 'weeks', 'months'] as const
export type Unit = (typeof units)[number]

/** The units whose bars fit: two of four pixels and a gap for each day, week or month. Months always do. */
export function unitsFor(period: Period): Unit[] {
  const { clientWidth } = document.documentElement
  const width = clientWidth < 900 ? clientWidth - 90 : Math.min(1320, clientWidth) / 2 - 60
  return units.filter((unit) => unit === 'months' || bucketsOf(period, unit).length <= width / 10)
}

/** The unit that is asked for, if its bars fit, or the first that has bars to read: of days, only at more than one post a day. */
export function unitFor(period: Period, asked: string | undefined, postsPerDay: number): Unit {
  const fitting = unitsFor(period)
  const isSparse = lengthOf(period) >= 14 && postsPerDay <= 1
  const readable = fitting.find(
    (unit) => bucketsOf(period, unit).length <= 31 && !(isSparse && unit === 'days'),
  )
  return fitting.find((unit) => unit === asked) ?? readable ?? 'months'
}

/** The first day of the day, week or month of a time. Weeks begin on Monday. */
export function bucketOf(time: string, unit: Unit): Day {
  const day = dayOf(time)
  if (unit === 'months') return `${day.slice(0, 7)}-01`
  return unit === 'days' ? day : addDays(day, -((new Date(day).getUTCDay() + 6) % 7))
}

export function bucketsOf({ from, to }: Period, unit: Unit): Day[] {
  const days = Array.from({ length: lengthOf({ from, to }) }, (_, i) => addDays(from, i))
  return [...new Set(days.map((day) => bucketOf(day, unit)))]
}

export function bucketName(bucket: unknown, unit: Unit): string {
  if (unit === 'months') return month.format(new Date(String(bucket)))
  return unit === 'weeks' ? `Week of ${dayName(bucket)}` : dayName(bucket)
}
