import { type Charged, type ConnectionError, SocialSearchError } from '../../errors.ts'
import type { ToldCredits } from '../http/proxy-protocol.ts'
import type { Failure } from './policy.ts'

/** How one attempt failed: what the caller would be told, and what decides about another attempt. */
export class AttemptFailure extends Error implements Failure {
  /** What the call rejects with if this was the last attempt: an error of this package, or an abort's reason. */
  readonly error: unknown
  readonly kind: Failure['kind']
  readonly announced: Failure['announced']
  readonly charged: Charged
  /** What it has cost, where a proxy has told. */
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

  /** An attempt that nobody can or will repeat: it was aborted, or what is wrong is not the service's. */
  static final(error: unknown, charged: Charged): AttemptFailure {
    return new AttemptFailure(error, { kind: 'final', announced: null }, charged)
  }

  /** An attempt whose connection failed. */
  static disconnected(error: ConnectionError, metered: boolean): AttemptFailure {
    const charged = metered && error.phase === 'exchange' ? 'unknown' : 'no'
    return new AttemptFailure(error, { kind: kinds[error.phase], announced: null }, charged)
  }

  /** An attempt that took too long. */
  static overdue(error: SocialSearchError, metered: boolean): AttemptFailure {
    return new AttemptFailure(error, { kind: 'no-answer', announced: null }, metered ? 'unknown' : 'no')
  }
}

const kinds = { connect: 'unsent', tls: 'final', exchange: 'no-answer' } as const
