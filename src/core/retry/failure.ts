import type { Charged } from '../../errors/index.ts'
import type { CallCredits } from '../credits/ledger.ts'

/** How an attempt failed. */
export type FailureKind =
  /** Not sent: DNS, connection refused, TLS handshake cut off. An untrusted certificate is `final`. */
  | 'unsent'
  /** Sent, but without a complete response. */
  | 'no-answer'
  /** 401, after which a refreshed token may be sent. */
  | 'unauthorized'
  /** 429 with the service's error body. */
  | 'rate-limited'
  /** 429 without the service's error body. */
  | 'foreign-limit'
  /** 503 with the service's error body. */
  | 'unavailable'
  /** 502 with the service's error body. */
  | 'upstream'
  /** 500, 504 and other 5xx with the service's error body. */
  | 'server-error'
  /** 5xx without the service's error body: it may come from a proxy and hide a success. */
  | 'foreign-error'
  /** A success that cannot be parsed or validated. */
  | 'unreadable'
  /** Anything else, which is never retried. */
  | 'final'

/** A failed attempt. It is an error, since p-retry accepts nothing else; the caller gets its `error`. */
export class Failure extends Error {
  /** An error of this package, the reason of an abort, or the error of a `beforeError` hook. */
  readonly error: unknown
  /** Whether the attempt was charged; for a write, whether it was applied. */
  readonly risk: Charged
  readonly kind: FailureKind
  /** The wait that the response announces, in milliseconds, or null. */
  readonly announced: number | null
  /** The cost that a proxy reports, or null. */
  readonly reported: CallCredits | null
  /** Milliseconds to wait before the next attempt; null if the call does not retry; undefined until it is settled. */
  wait: number | null | undefined

  constructor(
    error: unknown,
    risk: Charged,
    kind: FailureKind = 'final',
    announced: number | null = null,
    reported: CallCredits | null = null,
  ) {
    super('the attempt failed')
    this.error = error
    this.risk = risk
    this.kind = kind
    this.announced = announced
    this.reported = reported
  }
}

/** Whether a failure is a 429, which closes the surface. */
export function isRateLimit({ kind }: Pick<Failure, 'kind'>): boolean {
  return kind === 'rate-limited' || kind === 'foreign-limit'
}
