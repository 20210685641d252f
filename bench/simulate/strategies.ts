import { backoff, bottleneck, limitAroundRetry, retryAroundLimit } from './naive.ts'
import { ours, oursScheduled, oursWithShares } from './ours.ts'
import type { Strategy } from './strategy.ts'

/** All ways to make calls that are compared. */
export const strategies: readonly Strategy[] = [
  ours,
  oursWithShares,
  oursScheduled,
  backoff,
  limitAroundRetry,
  retryAroundLimit,
  bottleneck,
]
