import { dateIn } from '../../lib/time.ts'
import type { QueueWait } from '../../limits/interface.ts'
import type { Wait } from '../options/types.ts'
import type { Call } from './call.ts'

/** Milliseconds after which a silent program seems to hang. */
const longMs = 5000

/** Why a call waits, for people. */
export const waitReasons: Record<Wait['reason'], string> = {
  slot: 'other requests are still running',
  pace: "this minute's requests are used up",
  rate_limited: 'the service asked to slow down',
  retry: 'the last attempt failed',
}

/**
 * Warns of a wait of more than 5 seconds; returns whether it did.
 *
 * @param wait Why the call waits; null if its limiter does not tell.
 * @param queuedMs Milliseconds for which it has waited.
 */
export function warnIfLong(
  { settings: { log }, operation: { id, surface } }: Call,
  wait: QueueWait | { reason: 'retry'; ms: number } | null,
  queuedMs: number,
): boolean {
  const ms = wait?.ms ?? Infinity
  const isLong = queuedMs >= longMs || (ms !== Infinity && ms > longMs)
  if (!isLong || log === undefined) return false
  const reason = wait?.reason ?? null
  const why = reason === null ? 'its limiter does not say why' : waitReasons[reason]
  const until = dateIn(ms)?.toISOString() ?? null
  log('warn', `a call waits for more than 5 seconds: ${why}`, { operation: id, surface, reason, until })
  return true
}
