import type { ErrorEnvelope } from '../contract/error-envelope.ts'

/**
 * How long the service asks to wait, in milliseconds, or null where it does not say so in a usable form. Header
 * and body may differ, and CORS hides the header from browsers: the larger of the two counts.
 */
export function announcedWait(
  headers: Headers,
  envelope: ErrorEnvelope | null,
  wallClock: number,
): number | null {
  const waits = [headerWait(headers, wallClock), secondsToMs(envelope?.error.retryAfter)].filter(
    (wait) => wait !== null,
  )
  return waits.length === 0 ? null : Math.max(...waits)
}

function headerWait(headers: Headers, wallClock: number): number | null {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return secondsToMs(Number(value))
  // `Date.parse` also takes things like `-5` for a date, so the form is checked first.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value)) return null
  const target = Date.parse(value)
  if (Number.isNaN(target)) return null
  // The server's own clock, where it tells: the local one may be hours off.
  const serverNow = Date.parse(headers.get('date') ?? '')
  return Math.max(0, target - (Number.isNaN(serverNow) ? wallClock : serverNow))
}

function secondsToMs(seconds: number | undefined): number | null {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return null
  return Math.ceil(seconds) * 1000
}
