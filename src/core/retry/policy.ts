import type { Operation } from '../../api/operation.ts'

/** The effect of a request, which a retry may repeat: none, a charge, or a change of data. */
export type Effect = 'read' | 'metered' | 'write'

/** The option `retry` with its defaults. */
export interface RetryPolicy {
  readonly ambiguous: boolean
  /** Infinity for those of the table. */
  readonly maxAttempts: number
  readonly maxWaitMs: number
}

/** Attempts in total by effect; whose request may have taken effect if it was sent; what else follows. */
type Meaning = readonly [
  read: number,
  metered: number,
  write: number,
  mayHold: 'none' | 'write' | 'all',
  more?: 'closes' | 'refreshes',
]

/** What every failure of an attempt means. With `retry.ambiguous`, the attempts of a read count for all. */
const meanings = {
  /** DNS, connection refused, TLS handshake cut off. */
  unsent: [3, 3, 3, 'none'],
  /** No trusted TLS connection. */
  untrusted: [1, 1, 1, 'none'],
  /** Sent, but without a complete response. */
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
  /** Anything else: an end by the caller, a redirect, a hook that fails, another answer of a gateway. */
  final: [1, 1, 1, 'all'],
} as const satisfies Record<string, Meaning>

export type FailureKind = keyof typeof meanings

type Kinds = Readonly<Record<400 | 500, FailureKind> & Partial<Record<number, FailureKind>>>

/** Kinds by who answers and by status; 400 and 500 stand for all others. */
export const kindsByStatus: Readonly<Record<'service' | 'gateway' | 'proxy', Kinds>> = {
  service: {
    ...{ 401: 'unauthorized', 429: 'rate-limited', 502: 'upstream', 503: 'unavailable' },
    ...{ 400: 'refused', 500: 'server-error' },
  },
  gateway: { 401: 'gateway-401', 429: 'gateway-429', 400: 'final', 500: 'gateway-error' },
  proxy: { 401: 'unauthorized', 429: 'rate-limited', 400: 'refused', 500: 'refused' },
}

/** What a kind means for a request. */
export function meaningOf(kind: FailureKind, effect: Effect, { ambiguous }: Pick<RetryPolicy, 'ambiguous'>) {
  const [read, metered, write, mayHold, more] = meanings[kind] as Meaning
  return {
    attempts: ambiguous ? read : { read, metered, write }[effect],
    mayHold: mayHold === 'all' ? effect !== 'read' : mayHold === effect,
    closes: more === 'closes',
    refreshes: more === 'refreshes',
  }
}

export function effectOf(operation: Pick<Operation, 'method' | 'price'>): Effect {
  if (operation.price.kind !== 'free') return 'metered'
  return operation.method === 'GET' ? 'read' : 'write'
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
  policy: RetryPolicy,
  random: () => number,
): number | null {
  const latest = all.at(-1)
  if (latest === undefined || all.length >= policy.maxAttempts) return null
  const { attempts, closes, refreshes } = meaningOf(latest.kind, effect, policy)
  if (refreshes) return 0
  // 429s with an announced wait are counted separately: they cost only time.
  const counted = all.filter(
    (each) =>
      !meaningOf(each.kind, effect, policy).refreshes && isAnnouncedLimit(each) === isAnnouncedLimit(latest),
  )
  const waited = counted.reduce((sum, { announced }) => sum + (announced ?? 0), 0)
  const isPatient = isAnnouncedLimit(latest) && waited > 0 && waited <= policy.maxWaitMs
  if (!isPatient && counted.length >= attempts) return null
  if (latest.announced === null) return random() * backoffMs(closes, counted.length)
  if (latest.announced > policy.maxWaitMs) return null
  // A random wait replaces zero, to avoid a tight loop.
  return latest.announced > 0 ? latest.announced : random() * instantSpreadMs
}

function isAnnouncedLimit({ kind, announced }: Failing): boolean {
  return kind === 'rate-limited' && announced !== null
}

const baseMs = 500
const baseMsRateLimited = 1000
const capMs = 20_000
/** Longest wait in place of an announced wait of zero. */
const instantSpreadMs = 250

/** Exponential backoff, with full jitter so that clients do not retry together. */
function backoffMs(closes: boolean, failed: number): number {
  return Math.min(capMs, (closes ? baseMsRateLimited : baseMs) * 2 ** (failed - 1))
}
