import type { Issue } from '../contract/issues.ts'
import { summary } from '../errors/summary.ts'
import { SocialSearchError } from '../errors.ts'

/**
 * An event was genuine, and its payload does not fit the schema of the receiver.
 *
 * @example
 * if (error instanceof InvalidEventError) console.error(error.issues, error.payload)
 */
export class InvalidEventError extends SocialSearchError {
  static {
    this.prototype.name = 'InvalidEventError'
  }
  declare readonly code: 'invalid_event'
  /** What does not fit. */
  readonly issues: readonly Issue[]
  /** What came. Not enumerable, so that logging the error stays short. */
  declare readonly payload: unknown

  constructor(issues: readonly Issue[], payload: unknown) {
    super('invalid_event', `the payload of an event does not fit the schema: ${summary(issues)}`)
    this.issues = issues
    Object.defineProperty(this, 'payload', { value: payload, enumerable: false })
  }
}
