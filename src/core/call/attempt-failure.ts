import { type Charged, SocialSearchError } from '../../errors.ts'
import type { ReportedCredits } from '../http/proxy-protocol.ts'
import type { Failure } from '../retry/policy.ts'

/** A failed attempt: the error for the caller, and what the retry policy needs. */
export class AttemptFailure extends Error implements Failure {
  /** The call rejects with it after the last attempt: an error of this package, or the reason of an abort. */
  readonly error: unknown
  readonly kind: Failure['kind']
  readonly announced: Failure['announced']
  readonly charged: Charged
  /** The cost that a proxy reported. */
  readonly reported: ReportedCredits | null

  constructor(
    error: unknown,
    charged: Charged,
    kind: Failure['kind'] = 'final',
    announced: Failure['announced'] = null,
    reported: ReportedCredits | null = null,
  ) {
    super('the attempt failed')
    this.error = error
    this.charged = charged
    this.kind = kind
    this.announced = announced
    this.reported = reported
  }

  /** `outcome` in the timeline. */
  get outcome(): string {
    return this.error instanceof SocialSearchError ? this.error.code : 'aborted'
  }
}
