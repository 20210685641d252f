import { type Charged, SocialSearchError } from '../../errors.ts'
import type { ToldCredits } from '../http/proxy-protocol.ts'
import type { Failure } from '../retry/policy.ts'

/** How one attempt failed: the error that the caller gets, and what decides about another attempt. */
export class AttemptFailure extends Error implements Failure {
  /** What the call rejects with if this was the last attempt: an error of this package, or an abort's reason. */
  readonly error: unknown
  readonly kind: Failure['kind']
  readonly announced: Failure['announced']
  readonly charged: Charged
  /** What it has cost, if a proxy says so. */
  readonly told: ToldCredits | null

  constructor(error: unknown, failure: Failure, charged: Charged, told: ToldCredits | null = null) {
    super('the attempt failed')
    this.error = error
    this.kind = failure.kind
    this.announced = failure.announced
    this.charged = charged
    this.told = told
  }

  /** The name of the failure in the timeline. */
  get outcome(): string {
    return this.error instanceof SocialSearchError ? this.error.code : 'aborted'
  }

  /** An attempt after which there is no other: it was aborted, or another one would fail as well. */
  static final(error: unknown, charged: Charged = 'no'): AttemptFailure {
    return new AttemptFailure(error, { kind: 'final', announced: null }, charged)
  }
}
