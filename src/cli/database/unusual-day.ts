import { parseTime } from '../../lib/time.ts'
import type { Gap } from './searches.ts'

/** The last 24 hours of a search, beside its usual days. */
export interface Unusual {
  readonly records: number
  /** The median of the days before, four weeks at most. */
  readonly usual: number
  /** Null if the day is like the days before. */
  readonly unusual: 'more' | 'fewer' | null
}

const day = 86_400_000
/** Fewer days tell nothing of what is usual. */
const [fewestDays, mostDays] = [7, 28]

/**
 * A day is unusual if no day before had as many records, or as few, and chance alone would not explain it.
 *
 * @param counts Records by age in days; 0 is the last day.
 */
export function judgeDay(
  counts: ReadonlyMap<number, number>,
  {
    from,
    lastCheck,
    gaps,
  }: { readonly from: string; readonly lastCheck: string; readonly gaps: readonly Gap[] },
): Unusual | null {
  const end = parseTime(lastCheck)
  const known = Math.min(mostDays, Math.floor((end - parseTime(from)) / day) - 1)
  if (!(known >= fewestDays)) return null
  const before = Array.from({ length: known }, (_, index) => counts.get(index + 1) ?? 0).sort((a, b) => a - b)
  const records = counts.get(0) ?? 0
  const usual = ((before[(known - 1) >> 1] ?? 0) + (before[known >> 1] ?? 0)) / 2
  const chance = 3 * Math.sqrt(Math.max(1, usual))
  // What a gap hides cannot be fewer.
  const isWhole = gaps.every(({ to }) => to !== null && parseTime(to) <= end - day)
  const isMore = records > (before.at(-1) ?? 0) && records > usual + chance
  const isFewer = isWhole && records < (before[0] ?? 0) && records < usual - chance
  return { records, usual, unusual: isMore ? 'more' : isFewer ? 'fewer' : null }
}
