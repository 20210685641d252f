export const dayMs = 86_400_000

/** Days are texts such as 2026-11-18, and begin at midnight in the zone of the browser, like all times of the page. */
export type Day = string
export function dayOf(time: string | number): Day {
  const date = new Date(time)
  return asDay(Number(date) - date.getTimezoneOffset() * 60_000)
}
const asDay = (time: number): Day => new Date(time).toISOString().slice(0, 10)
export const startOf = (day: Day) => Date.parse(`${day}T00:00`)
export const addDays = (day: Day, days: number): Day => asDay(Date.parse(day) + days * dayMs)
export const today = (): Day => dayOf(Date.now())
/** The name of the browser's zone: `New Zealand Time`. */
export const zone = () => (Intl.DateTimeFormat().resolvedOptions().timeZone === 'UTC' ? 'UTC' : zoneName())
const zoneName = () =>
  new Intl.DateTimeFormat('en', { timeZoneName: 'longGeneric' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')!.value

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

/** Times in milliseconds: the first one is included, the last one is not. */
export interface Span {
  from: number
  until: number
}
export const spanOf = ({ from, to }: Period): Span => ({
  from: startOf(from),
  until: startOf(addDays(to, 1)),
})

/** The days that are over and covered whole. */
export const wholeDaysOf = ({ from, until }: Span): Period => ({
  from: dayOf(from) === dayOf(from - 1) ? addDays(dayOf(from), 1) : dayOf(from),
  to: addDays(dayOf(Math.min(until, Date.now())), -1),
})

const date = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })
const clock = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
const moment = { month: 'short', day: 'numeric', ...clock } as const
/** A time of a day, with the zone of the page: `3:00 PM UTC`. */
export const clockName = (time: number) => unbroken(new Date(time).toLocaleTimeString('en', clock))
export const dayName = (day: Day) => unbroken(date.format(new Date(day)))
/** Keeps a date on one line. */
function unbroken(text: string): string {
  return text.replaceAll(/\s/g, '\u00a0')
}
/** A time, or the day that begins with it. */
export const timeName = (time: number) =>
  time === startOf(dayOf(time)) ? dayName(dayOf(time)) : unbroken(new Date(time).toLocaleString('en', moment))

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
export const bucketOf = (time: string, unit: Unit): Day => firstOf(dayOf(time), unit)

function firstOf(day: Day, unit: Unit): Day {
  if (unit === 'months') return `${day.slice(0, 7)}-01`
  return unit === 'days' ? day : addDays(day, -((new Date(day).getUTCDay() + 6) % 7))
}

export function bucketsOf({ from, to }: Period, unit: Unit): Day[] {
  const days = Array.from({ length: lengthOf({ from, to }) }, (_, i) => addDays(from, i))
  return [...new Set(days.map((day) => firstOf(day, unit)))]
}

/** The time of a day, week or month. */
export const bucketSpan = (bucket: Day, unit: Unit): Span => ({
  from: startOf(bucket),
  until: startOf(firstOf(addDays(bucket, { days: 1, weeks: 7, months: 31 }[unit]), unit)),
})

/** What the name of a day, week or month needs if it is covered in part: `so far`, `from Oct 22`, `to Nov 14`. */
export function partOf(bucket: Day, unit: Unit, covered: Span): string {
  const { from, until } = bucketSpan(bucket, unit)
  const end = Math.min(covered.until, Date.now())
  return [
    from < covered.from && `from ${timeName(covered.from)}`,
    until > end && (end < covered.until ? 'so far' : `to ${dayName(dayOf(end - 1))}`),
  ]
    .filter(Boolean)
    .join(' ')
}

export function bucketName(bucket: Day, unit: Unit): string {
  if (unit === 'months') return month.format(new Date(bucket))
  return unit === 'weeks' ? `Week of ${dayName(bucket)}` : dayName(bucket)
}
