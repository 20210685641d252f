import type { Effect } from '../../api/operation.ts'

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

/** Kinds by status; 400 and 500 stand for all others. */
type Kinds = Readonly<Record<400 | 500, FailureKind> & Partial<Record<number, FailureKind>>>

/** What an error status means, by its sender. */
const kinds: Readonly<Record<'service' | 'gateway' | 'proxy', Kinds>> = {
  service: {
    ...{ 401: 'unauthorized', 429: 'rate-limited', 502: 'upstream', 503: 'unavailable' },
    ...{ 400: 'refused', 500: 'server-error' },
  },
  gateway: { 401: 'gateway-401', 429: 'gateway-429', 400: 'final', 500: 'gateway-error' },
  proxy: { 401: 'unauthorized', 429: 'rate-limited', 400: 'refused', 500: 'refused' },
}

/**
 * @param sender Who has sent the response, if not the service: a proxy made with this package, or another gateway.
 * @param announced The wait that the response announces, in milliseconds.
 */
export function kindOfStatus(
  status: number,
  { gateway, proxy }: { gateway?: boolean | undefined; proxy?: boolean | undefined },
  announced: number | null,
): FailureKind {
  const own = kinds[gateway ? 'gateway' : proxy ? 'proxy' : 'service']
  // A proxy has already retried, but may have skipped a long wait.
  const isOver = proxy && status === 429 && !announced
  return (isOver ? undefined : own[status]) ?? own[status < 500 ? 400 : 500]
}
