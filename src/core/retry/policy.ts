import type { Operation } from '../../api/operation.ts'
import { type Failure, type FailureKind, isRateLimit } from './failure.ts'

/** The effect of a request, which a retry may repeat: none, a charge, or a change of data. */
export type Effect = 'read' | 'metered' | 'write'

/** The option `retry` with its defaults. */
export interface RetryPolicy {
  readonly ambiguous: boolean
  /** Infinity for those of the table. */
  readonly maxAttempts: number
  readonly maxWaitMs: number
}

/** A failed attempt, as the policy sees it. */
type Failed = Pick<Failure, 'kind' | 'announced'>

/** Maximum attempts, by failure and effect. */
const attemptsInTotal: Record<Exclude<FailureKind, 'unauthorized'>, Record<Effect, number>> = {
  unsent: { read: 3, metered: 3, write: 3 },
  'no-answer': { read: 3, metered: 1, write: 1 },
  'rate-limited': { read: 5, metered: 5, write: 5 },
  unavailable: { read: 3, metered: 3, write: 3 },
  upstream: { read: 3, metered: 3, write: 1 },
  'server-error': { read: 2, metered: 1, write: 1 },
  'gateway-429': { read: 3, metered: 1, write: 1 },
  'gateway-error': { read: 3, metered: 1, write: 1 },
  unreadable: { read: 2, metered: 1, write: 1 },
  final: { read: 1, metered: 1, write: 1 },
}

export function effectOf(operation: Pick<Operation, 'method' | 'price'>): Effect {
  if (operation.price.kind !== 'free') return 'metered'
  return operation.method === 'GET' ? 'read' : 'write'
}

/**
 * Milliseconds to wait before the next attempt, or null for none. `allFailures` are all failed attempts of the call so
 * far, the latest last.
 */
export function nextWait(
  allFailures: readonly Failed[],
  effect: Effect,
  policy: RetryPolicy,
  random: () => number,
): number | null {
  const latest = allFailures.at(-1)
  if (latest === undefined || allFailures.length >= policy.maxAttempts) return null
  // At once with a refreshed token, which uses up no attempt of the table.
  if (latest.kind === 'unauthorized') return 0
  const failures = allFailures.filter(({ kind }) => kind !== 'unauthorized')
  // 429s with an announced wait are counted separately: they cost only time.
  const counted = failures.filter((failure) => isAnnouncedLimit(failure) === isAnnouncedLimit(latest))
  const waited = counted.reduce((sum, { announced }) => sum + (announced ?? 0), 0)
  const isPatient = isAnnouncedLimit(latest) && waited > 0 && waited <= policy.maxWaitMs
  if (!isPatient && counted.length >= attemptsInTotal[latest.kind][policy.ambiguous ? 'read' : effect])
    return null
  if (latest.announced === null) return backoff(latest, counted.length, random)
  if (latest.announced > policy.maxWaitMs) return null
  // A random wait replaces zero, to avoid a tight loop.
  return latest.announced > 0 ? latest.announced : random() * instantSpreadMs
}

function isAnnouncedLimit({ kind, announced }: Failed): boolean {
  return kind === 'rate-limited' && announced !== null
}

const baseMs = 500
const baseMsRateLimited = 1000
const capMs = 20_000
/** Longest wait in place of an announced wait of zero. */
const instantSpreadMs = 250

/** Exponential backoff with full jitter, so that clients do not retry together. */
function backoff(latest: Failed, failed: number, random: () => number): number {
  const base = isRateLimit(latest) ? baseMsRateLimited : baseMs
  return random() * Math.min(capMs, base * 2 ** (failed - 1))
}
