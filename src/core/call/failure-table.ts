import type { Effect } from '../../api/operation.ts'
import type { RetryPolicy } from '../options/table.ts'

/** Attempts in total by effect; whose request may have taken effect if it was sent; what else follows. */
type Row = readonly [
  read: number,
  metered: number,
  write: number,
  mayTakeEffect: 'none' | 'write' | 'all',
  more?: 'closes' | 'refreshes' | 'uncounted',
]

/** What every failure of an attempt means. With `retry.unknown`, the attempts of a read count for all. */
const rows = {
  /** DNS, connection refused, TLS handshake cut off. */
  unsent: [3, 3, 3, 'none', 'uncounted'],
  /** No trusted TLS connection. */
  untrusted: [1, 1, 1, 'none', 'uncounted'],
  /** Lost: sent, but without a complete response. */
  'no-answer': [3, 1, 1, 'all'],
  /** A fresh token uses up no attempt. */
  unauthorized: [Infinity, Infinity, Infinity, 'none', 'refreshes'],
  'rate-limited': [5, 5, 5, 'none', 'closes'],
  unavailable: [3, 3, 3, 'none'],
  /** The service bills no error, but may have applied a write before these two. */
  upstream: [3, 3, 1, 'write'],
  'server-error': [2, 1, 1, 'write'],
  refused: [1, 1, 1, 'none'],
  /** A gateway or a firewall may answer in place of a service that has already charged or succeeded. */
  'gateway-401': [Infinity, 1, 1, 'all', 'refreshes'],
  'gateway-429': [3, 1, 1, 'all', 'closes'],
  'gateway-error': [3, 1, 1, 'all'],
  /** A success that cannot be parsed or validated. */
  unreadable: [2, 1, 1, 'all'],
  /** Anything else: an end by the caller, a redirect, a `fetch` that breaks its contract, another answer of a gateway. */
  final: [1, 1, 1, 'all'],
} as const satisfies Record<string, Row>

export type FailureKind = keyof typeof rows

/** What follows from a failure of one request. */
interface Rule {
  /** In total, with the first one. */
  readonly attempts: number
  /** Whether a request that was sent may have been charged or applied. */
  readonly mayTakeEffect: boolean
  /** `closes` the search surface for a while; a fresh token `refreshes`; `uncounted` towards a limit, since nothing has left. */
  readonly more: Row[4]
}

/** @param retriesUnknown The option `retry.unknown`. */
export function ruleFor(kind: FailureKind, effect: Effect, retriesUnknown: boolean): Rule {
  const [read, metered, write, mayTakeEffect, more] = rows[kind] as Row
  return {
    attempts: retriesUnknown ? read : { read, metered, write }[effect],
    mayTakeEffect: mayTakeEffect === 'all' ? effect !== 'read' : mayTakeEffect === effect,
    more,
  }
}

/** Who has sent a response: a gateway is anything that is not the service; a proxy is one made with this package. */
export type Sender = 'service' | 'gateway' | 'proxy'

/** Kinds by status; 400 and 500 stand for all others. */
type Kinds = Readonly<Record<400 | 500, FailureKind> & Partial<Record<number, FailureKind>>>

/** What an error status means, by its sender. */
const kinds: Readonly<Record<Sender, Kinds>> = {
  service: {
    ...{ 401: 'unauthorized', 429: 'rate-limited', 502: 'upstream', 503: 'unavailable' },
    ...{ 400: 'refused', 500: 'server-error' },
  },
  gateway: { 401: 'gateway-401', 429: 'gateway-429', 400: 'final', 500: 'gateway-error' },
  proxy: { 401: 'unauthorized', 429: 'rate-limited', 400: 'refused', 500: 'refused' },
}

/** @param announced The wait that the response announces, in milliseconds. */
export function kindOfStatus(sender: Sender, status: number, announced: number | null): FailureKind {
  // A proxy has already retried, but may have skipped a long wait.
  const isOver = sender === 'proxy' && status === 429 && !announced
  const kind = isOver ? undefined : kinds[sender][status]
  return kind ?? kinds[sender][status < 500 ? 400 : 500]
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
  const isPatient = isAnnouncedLimit(latest) && waited > 0 && waited <= maxWaitMs
  if (!isPatient && counted.length >= attempts) return null
  if (latest.announced === null) return random() * backoffMs(more === 'closes', counted.length)
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

/**
 * The wait that the service asks for, in milliseconds; null if neither is usable. Header and body may differ, and
 * CORS hides the header from browsers: the larger one counts.
 */
export function announcedWait(headers: Headers, body: unknown, wallClock: number): number | null {
  const waits = [headerWait(headers, wallClock), bodyWait(body)].filter((wait) => wait !== null)
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

/** The longest of the waits that can be read. */
function headerWait(headers: Headers, wallClock: number): number | null {
  const dates = valuesOf(headers, 'date')
    .map((value) => httpDate(value))
    .filter((date) => date !== null)
  // Relative to the server's `Date`, since the local clock may be hours off.
  const now = dates.length === 0 ? wallClock : Math.min(...dates)
  const waits = valuesOf(headers, 'retry-after').map((value) => {
    if (/^\d+(\.\d+)?$/.test(value)) return secondsToMs(Number(value))
    const target = httpDate(value, 1000)
    return target === null ? null : Math.max(0, target - now)
  })
  return waits.reduce((longest, wait) => (wait === null ? longest : Math.max(longest ?? 0, wait)), null)
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
