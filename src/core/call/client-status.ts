import { dateIn } from '../lib/time.ts'
import type { CallQueue, Share } from '../limits/limiter.ts'
import type { Wait } from '../options/types.ts'

/** What a client and its relatives have under way. */
export interface ClientStatus {
  /** Requests in flight, and how many the client may have. */
  slots: { taken: number; limit: number }
  /** The surfaces that calls have been made to, `null` for calls that have none. */
  surfaces: SurfaceStatus[]
}

/** What waits for a search surface, and for what. */
export interface SurfaceStatus {
  surface: string | null
  /** Calls that wait. */
  queued: number
  /** The same by priority, the highest first. */
  byPriority: { priority: number; queued: number }[]
  /** Why a call would wait now and until when; null if it would not. Always null where the limiter does not tell. */
  wait: { reason: Exclude<Wait['reason'], 'retry'>; until: Date | null } | null
}

/** Describes one surface. */
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
