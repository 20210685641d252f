import { type Issue, issuesText } from '../../api/issues.ts'
import { SocialSearchError, nameClasses } from '../../errors/index.ts'

/**
 * An event was genuine, and its payload does not fit the schema of the receiver.
 *
 * @example
 * if (error instanceof InvalidEventError) console.error(error.issues, error.payload)
 */
export class InvalidEventError extends SocialSearchError {
  declare readonly code: 'invalid_event'
  /** How the payload differs from the schema. */
  readonly issues: readonly Issue[]
  /** The payload. Not enumerable, so that logs of the error stay short. */
  declare readonly payload: unknown

  constructor(issues: readonly Issue[], payload: unknown) {
    super('invalid_event', `the payload of the event does not fit the schema: ${issuesText(issues)}`)
    this.issues = issues
    Object.defineProperty(this, 'payload', { value: payload, enumerable: false })
  }
}

nameClasses({ InvalidEventError })
