import type { Effect } from '../../api/operation-effect.ts'

/** Attempts in total by effect; whose request may have taken effect if it was sent; what else follows. */
type Row = readonly [
  read: number,
  metered: number,
  write: number,
  mayHold: 'none' | 'write' | 'all',
  more?: 'closes' | 'refreshes' | 'uncounted',
]

/** What every failure of an attempt means. With `retry.ambiguous`, the attempts of a read count for all. */
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

/** What a failure means for one request. */
export interface Meaning {
  /** In total, with the first one. */
  readonly attempts: number
  /** Whether a request that was sent may have been charged or applied. */
  readonly mayHold: boolean
  /** Whether its search surface closes for a while. */
  readonly closes: boolean
  /** Whether a fresh token may help. */
  readonly refreshes: boolean
  /** Whether nothing has left, so that the request does not count towards a limit. */
  readonly uncounted: boolean
}

/** @param ambiguous The option `retry.ambiguous`. */
export function meaningOf(kind: FailureKind, effect: Effect, ambiguous: boolean): Meaning {
  const [read, metered, write, mayHold, more] = rows[kind] as Row
  return {
    attempts: ambiguous ? read : { read, metered, write }[effect],
    mayHold: mayHold === 'all' ? effect !== 'read' : mayHold === effect,
    closes: more === 'closes',
    refreshes: more === 'refreshes',
    uncounted: more === 'uncounted',
  }
}
