import type { Attempt, Charged } from '../../errors/index.ts'
import type { CallCredits } from '../credits/ledger.ts'

/** How an attempt failed. */
export type FailureKind =
  /** Not sent: DNS, connection refused, TLS handshake cut off. An untrusted certificate is `final`. */
  | 'unsent'
  /** Sent, but without a complete response. */
  | 'no-answer'
  /** 401, if the call has a token to refresh and has not refreshed it yet. */
  | 'unauthorized'
  /** 429 with the service's error body. */
  | 'rate-limited'
  /** 429 without the service's error body. */
  | 'gateway-429'
  /** 503 with the service's error body. */
  | 'unavailable'
  /** 502 with the service's error body. */
  | 'upstream'
  /** 500, 504 and other 5xx with the service's error body. */
  | 'server-error'
  /** 5xx without the service's error body: it may come from a gateway and hide a success. */
  | 'gateway-error'
  /** A success that cannot be parsed or validated. */
  | 'unreadable'
  /** Anything else, which is never retried. */
  | 'final'

/** A failed attempt, and what follows from that. It is an error, since p-retry accepts nothing else; the caller gets its `error`. */
export class Failure extends Error {
  /** An error of this package, or the reason of an abort. */
  declare readonly error: unknown
  /** Whether the attempt was charged; for a write, whether it was applied. */
  declare readonly tookEffect: Charged
  declare readonly kind: FailureKind
  /** The wait that the response announces, in milliseconds, or null. */
  declare readonly announced: number | null
  /** What it cost, if the response says so. */
  declare readonly credits: CallCredits | undefined
  /** Those of the call up to this one. */
  declare readonly attempts: readonly Attempt[]
  /** Milliseconds to wait before the next attempt; null if the call does not retry. */
  declare readonly wait: number | null
  /** Milliseconds for which it closes its surface; null unless it is a 429. */
  declare readonly closedMs: number | null

  constructor(fields: Omit<Failure, keyof Error>) {
    super('the attempt failed')
    Object.assign(this, fields)
  }
}

/** Whether a failure is a 429. */
export function isRateLimit({ kind }: Pick<Failure, 'kind'>): boolean {
  return kind === 'rate-limited' || kind === 'gateway-429'
}
