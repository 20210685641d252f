import { dateIn } from '../lib/time.ts'
import type { CallQueue, Share } from '../limits/limiter.ts'
import type { Wait } from '../options/types.ts'

/** Requests in flight and queued calls of a client and of the clients made from it with `withOptions`. */
export interface ClientStatus {
  /** Requests in flight, and their limit. */
  slots: { taken: number; limit: number }
  /** Every surface called so far; `null` for calls without a surface. */
  surfaces: SurfaceStatus[]
}

/** The queue of one search surface. */
export interface SurfaceStatus {
  surface: string | null
  /** Queued calls. */
  queued: number
  /** Queued calls by priority, highest first. */
  byPriority: { priority: number; queued: number }[]
  /** Why and until when a new call would wait; null if it would not, or if the limiter does not tell. */
  wait: { reason: Exclude<Wait['reason'], 'retry'>; until: Date | null } | null
}

export function surfaceStatus(
  surface: string | null,
  priorities: readonly number[],
  limiter: CallQueue,
  share: Share,
): SurfaceStatus {
  const { reason, ms } = limiter.waitOf?.(surface, share) ?? { reason: null, ms: 0 }
  const byPriority = [...new Set(priorities)]
    .sort((a, b) => b - a)
    .map((priority) => ({ priority, queued: priorities.filter((each) => each === priority).length }))
  return { surface, queued: priorities.length, byPriority, wait: reason && { reason, until: dateIn(ms) } }
}
