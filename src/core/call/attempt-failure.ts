import type { Charged } from '../../errors.ts'
import type { ReportedCredits } from '../http/proxy-protocol.ts'
import type { Failure, FailureKind } from '../retry/policy.ts'

/** A failed attempt: the error for the caller, and what the retry policy needs. */
export class AttemptFailure implements Failure {
  /** The call rejects with it after the last attempt: an error of this package, or the reason of an abort. */
  readonly error: unknown
  readonly charged: Charged
  readonly kind: FailureKind
  readonly announced: number | null
  /** The cost that a proxy reported. */
  readonly reported: ReportedCredits | null

  constructor(
    error: unknown,
    charged: Charged,
    kind: FailureKind = 'final',
    announced: number | null = null,
    reported: ReportedCredits | null = null,
  ) {
    this.error = error
    this.charged = charged
    this.kind = kind
    this.announced = announced
    this.reported = reported
  }
}
