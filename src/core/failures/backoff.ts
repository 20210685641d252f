import type { Effect } from '../../api/operation-effect.ts'
import { type FailureKind, meaningOf } from './failure-table.ts'
import type { RetryPolicy } from './retry-limits.ts'

/** A failed attempt, as the policy sees it. */
export interface Failing {
  readonly kind: FailureKind
  /** The wait that the response announces, in milliseconds, or null. */
  readonly announced: number | null
}

/**
 * Milliseconds to wait before the next attempt, or null for none. `all` are all failed attempts of the call so
 * far, the latest last.
 */
export function nextWait(
  all: readonly Failing[],
  effect: Effect,
  { ambiguous, maxAttempts, maxWaitMs }: RetryPolicy,
  random: () => number,
): number | null {
  const latest = all.at(-1)
  if (latest === undefined || all.length >= maxAttempts) return null
  const { attempts, closes, refreshes } = meaningOf(latest.kind, effect, ambiguous)
  if (refreshes) return 0
  // 429s with an announced wait are counted separately: they cost only time.
  const counted = all.filter(
    (each) =>
      !meaningOf(each.kind, effect, ambiguous).refreshes &&
      isAnnouncedLimit(each) === isAnnouncedLimit(latest),
  )
  const waited = counted.reduce((sum, { announced }) => sum + (announced ?? 0), 0)
  const isPatient = isAnnouncedLimit(latest) && waited > 0 && waited <= maxWaitMs
  if (!isPatient && counted.length >= attempts) return null
  if (latest.announced === null) return random() * backoffMs(closes, counted.length)
  if (latest.announced > maxWaitMs) return null
  // A random wait replaces zero, to avoid a tight loop.
  return latest.announced > 0 ? latest.announced : random() * instantSpreadMs
}

function isAnnouncedLimit({ kind, announced }: Failing): boolean {
  return kind === 'rate-limited' && announced !== null
}

const baseMs = 500
const baseMsRateLimited = 1000
/** Longest wait in place of an announced wait of zero. */
const instantSpreadMs = 250

/** Exponential backoff, with full jitter so that clients do not retry together. */
function backoffMs(closes: boolean, failed: number): number {
  return (closes ? baseMsRateLimited : baseMs) * 2 ** (failed - 1)
}
