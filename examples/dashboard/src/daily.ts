/** Mentions by day, of those that are covered. */
import { type Covered, type Mention, isUnseen, timeOf } from './mentions.ts'
import { type Day, addDays, bucketsOf, dayOf, lastDays, startOf, today } from './period.ts'

export const days = 28

/** A day with its mentions; null if some of them are not loaded. */
interface Daily {
  day: Day
  count: number | null
  unseen: number | null
}

/** The four weeks before today, and today. */
export function dailyOf({ found, from }: Covered): Daily[] {
  const dated = found.filter((mention) => !Number.isNaN(timeOf(mention)))
  const byDay = Map.groupBy(dated, (mention) => dayOf(timeOf(mention)))
  return bucketsOf(lastDays(days + 1), 'days').map((day) => {
    const ofDay = byDay.get(day) ?? []
    if (startOf(day) < from) return { day, count: null, unseen: null }
    return { day, count: ofDay.length, unseen: ofDay.filter(isUnseen).length }
  })
}

/** How many mentions are of today: at least so many, if not all are loaded. */
export const ofToday = ({ found }: Covered) => found.filter((each) => timeOf(each) >= startOf(today())).length

/** The mean of the days before today that are covered, and how many these are. */
export function meanOf(daily: Daily[]): { mean: number | null; of: number } {
  const counts = daily.flatMap(({ day, count }) => (day < today() && count !== null ? [count] : []))
  const sum = counts.reduce((total, count) => total + count, 0)
  return { mean: counts.length > 0 ? sum / counts.length : null, of: counts.length }
}

/** The day with most mentions; null if there are none. */
export function spikeOf(daily: Daily[]): { day: Day; count: number } | null {
  const best = daily.reduce((a, b) => ((b.count ?? 0) > (a.count ?? 0) ? b : a))
  return best.count ? { day: best.day, count: best.count } : null
}

export const isOn = (day: Day) => (mention: Mention) =>
  timeOf(mention) >= startOf(day) && timeOf(mention) < startOf(addDays(day, 1))
