import { organizationLimits } from '../../src/api/limits.ts'

const { perMinute, windowMs } = organizationLimits

/** A way to count the requests of a surface. Times are whole milliseconds and never decrease. */
export interface Window {
  /** Milliseconds until the next request would be admitted; 0 if at once. */
  closedFor(at: number): number
  /** Counts a request. */
  count(at: number): void
}

/** The service does not document which of these it uses. */
export type WindowKind = 'sliding' | 'fixed' | 'bucket'

/** @param phase When the first fixed window ends, in milliseconds. */
export function createWindow(kind: WindowKind, phase: number): Window {
  return { sliding: slidingWindow, fixed: fixedWindow, bucket: tokenBucket }[kind](phase)
}

/** At most 20 in any 60 s. */
function slidingWindow(): Window {
  const counted: number[] = []
  return {
    closedFor: (at) => Math.max(0, (counted.at(-perMinute) ?? -Infinity) + windowMs - at),
    count: (at) => void counted.push(at),
  }
}

/** At most 20 between two ticks of a clock that clients do not see. */
function fixedWindow(phase: number): Window {
  let end = phase
  let used = 0
  const roll = (at: number): void => {
    if (at < end) return
    end += windowMs * (Math.floor((at - end) / windowMs) + 1)
    used = 0
  }
  return {
    closedFor(at) {
      roll(at)
      return used < perMinute ? 0 : end - at
    },
    count(at) {
      roll(at)
      used++
    },
  }
}

/** A token every 3 s, at most 20 stored. Counted in milliseconds of refill, to avoid rounding. */
function tokenBucket(): Window {
  const price = windowMs / perMinute
  let level: number = windowMs
  let asOf = 0
  const refill = (at: number): void => {
    level = Math.min(windowMs, level + at - asOf)
    asOf = at
  }
  return {
    closedFor(at) {
      refill(at)
      return Math.max(0, price - level)
    },
    count(at) {
      refill(at)
      level -= price
    },
  }
}
