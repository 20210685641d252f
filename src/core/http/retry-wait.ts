import type { Effect } from '../../api/operation.ts'
import { assertOptions, milliseconds, requireOption, wholeNumber } from '../../errors/check-options.ts'
import { type FailureKind, ruleFor } from './failure-table.ts'

/** Options for retries. */
export interface RetryOptions {
  /**
   * Also retry calls that may have been charged or applied, such as a search whose response was lost. You may pay twice.
   * Default false.
   */
  unknown?: boolean | undefined
  /** Maximum attempts of one call, the first included. Default: up to 5, depending on the failure. */
  maxAttempts?: number | undefined
  /**
   * Longest announced wait, in milliseconds; after a longer one, the call fails at once. Waiting out a 429 is not an
   * attempt, until the waits add up to this. Default 60,000.
   */
  maxWait?: number | undefined
}

/** How far a call retries: the option `retry`, with its defaults. */
export interface RetryPolicy {
  /** Whether calls that may have been charged or applied are retried as well. */
  readonly retriesUnknown: boolean
  /** Infinity for those of the table. */
  readonly maxAttempts: number
  /** The longest `Retry-After` that is waited for. */
  readonly maxWaitMs: number
}

export const defaultRetry: RetryPolicy = { retriesUnknown: false, maxAttempts: Infinity, maxWaitMs: 60_000 }

/** @throws {ConfigurationError} */
export function checkRetry(name: string, option: RetryOptions | false): RetryPolicy {
  const retry: RetryOptions = option === false ? { maxAttempts: 1 } : option
  assertOptions(retry, { unknown: true, maxAttempts: true, maxWait: true }, name)
  const { maxAttempts, maxWait = defaultRetry.maxWaitMs } = retry
  const { unknown: retriesUnknown = defaultRetry.retriesUnknown } = retry
  const isBoolean = typeof retriesUnknown === 'boolean'
  return {
    retriesUnknown: requireOption(retriesUnknown, isBoolean, `${name}.unknown must be true or false`),
    maxAttempts:
      maxAttempts === undefined ? defaultRetry.maxAttempts : wholeNumber(`${name}.maxAttempts`, maxAttempts),
    maxWaitMs: milliseconds(`${name}.maxWait`, maxWait),
  }
}

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
  { retriesUnknown, maxAttempts, maxWaitMs }: RetryPolicy,
  random: () => number,
): number | null {
  const latest = all.at(-1)
  if (latest === undefined || all.length >= maxAttempts) return null
  const { attempts, more } = ruleFor(latest.kind, effect, retriesUnknown)
  if (more === 'refreshes') return 0
  // 429s with an announced wait are counted separately: they cost only time.
  const counted = all.filter(
    (each) =>
      ruleFor(each.kind, effect, retriesUnknown).more !== 'refreshes' &&
      isAnnouncedLimit(each) === isAnnouncedLimit(latest),
  )
  const waited = counted.reduce((sum, { announced }) => sum + (announced ?? 0), 0)
  const usesNoAttempt = isAnnouncedLimit(latest) && waited > 0 && waited <= maxWaitMs
  if (!usesNoAttempt && counted.length >= attempts) return null
  // Exponential backoff, with full jitter so that clients do not retry together.
  if (latest.announced === null)
    return random() * (more === 'closes' ? 1000 : 500) * 2 ** (counted.length - 1)
  if (latest.announced > maxWaitMs) return null
  // A random wait replaces zero, to avoid a tight loop.
  return latest.announced > 0 ? latest.announced : random() * 250
}

function isAnnouncedLimit({ kind, announced }: Failing): boolean {
  return kind === 'rate-limited' && announced !== null
}

/**
 * The wait that the service asks for, in milliseconds; null if neither is usable. Header and body may differ, and
 * CORS hides the header from browsers: the larger one counts.
 */
export function announcedWait(headers: Headers, body: unknown, wallClock: number): number | null {
  const waits = [...headerWaits(headers, wallClock), bodyWait(body)].filter((wait) => wait !== null)
  return waits.length === 0 ? null : Math.max(...waits)
}

/** `retryAfter` under `error` or at the top level. */
function bodyWait(body: unknown): number | null {
  const { error, retryAfter } = (body ?? {}) as {
    error?: { retryAfter?: unknown } | null
    retryAfter?: unknown
  }
  const seconds = error?.retryAfter ?? retryAfter
  return typeof seconds === 'number' ? secondsToMs(seconds) : null
}

/** Several proxies may each add one. */
function headerWaits(headers: Headers, wallClock: number): (number | null)[] {
  const dates = valuesOf(headers, 'date')
    .map((value) => httpDate(value))
    .filter((date) => date !== null)
  // Relative to the server's `Date`, since the local clock may be hours off.
  const now = dates.length === 0 ? wallClock : Math.min(...dates)
  return valuesOf(headers, 'retry-after').map((value) => {
    if (/^\d+(\.\d+)?$/.test(value)) return secondsToMs(Number(value))
    const target = httpDate(value, 1000)
    return target === null ? null : Math.max(0, target - now)
  })
}

/** The values of a header that a proxy may have added once more: fetch joins them with commas, and dates have commas, too. */
function valuesOf(headers: Headers, name: string): string[] {
  const values = headers.get(name)?.match(/\s*(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,)?[^,]+/g)
  return (values ?? []).map((value) => value.trim())
}

/**
 * `Date.parse` alone also accepts `-5`, and reads old formats without a zone as local time.
 *
 * @param leapMs How much later than the second before it a leap second is, which `Date` does not know.
 */
function httpDate(value: string, leapMs = 0): number | null {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value)) return null
  const common = value.replace(':60 ', ':59 ')
  const time = Date.parse(common.endsWith('GMT') ? common : `${common} GMT`)
  return Number.isNaN(time) ? null : time + (common === value ? 0 : leapMs)
}

function secondsToMs(seconds: number): number | null {
  return seconds >= 0 ? Math.min(Math.ceil(seconds) * 1000, Number.MAX_SAFE_INTEGER) : null
}
