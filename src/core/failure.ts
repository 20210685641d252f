import { type Charged, ConnectionError, SocialSearchError } from '../errors.ts'
import type { Failure } from './retry-policy.ts'

/** How one attempt failed: what the caller would be told, and what decides about another attempt. */
export class AttemptFailure extends Error implements Failure {
  /** What the call rejects with if this was the last attempt: an error of this package, or an abort's reason. */
  readonly error: unknown
  readonly kind: Failure['kind']
  readonly announced: Failure['announced']
  readonly charged: Charged

  constructor(error: unknown, failure: Failure, charged: Charged) {
    super('the attempt failed')
    this.error = error
    this.kind = failure.kind
    this.announced = failure.announced
    this.charged = charged
  }

  /** The name of the failure in the timeline. */
  get outcome(): string {
    return this.error instanceof SocialSearchError ? this.error.code : 'aborted'
  }

  /**
   * A failure that did not come as an HTTP answer.
   *
   * @param timedOut Whether the attempt's own timeout ended it; other aborts are final.
   */
  static withoutAnswer(error: unknown, metered: boolean, timedOut: boolean): AttemptFailure {
    const connected = !(error instanceof ConnectionError) || error.phase === 'exchange'
    const kind = error instanceof ConnectionError ? kinds[error.phase] : timedOut ? 'no-answer' : 'final'
    return new AttemptFailure(error, { kind, announced: null }, connected && metered ? 'unknown' : 'no')
  }
}

const kinds = { connect: 'unsent', tls: 'final', exchange: 'no-answer' } as const
