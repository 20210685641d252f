import { readErrorEnvelope } from '../../contract/error-envelope.ts'
import type { Scope } from '../../contract/operation.ts'
import type { Issue } from '../../contract/issues.ts'
import type { ApiErrorDetails, Charged, SocialSearchError } from '../../errors.ts'
import { readRelay } from './proxy-protocol.ts'

/** What an API says of an error in a body of its own. */
export interface Complaint {
  readonly code?: string
  readonly message?: string
  readonly issues?: readonly Issue[]
  /** Makes an error of the API's own kind, in place of the one that goes by the status. */
  readonly toError?: (details: ApiErrorDetails) => SocialSearchError
  /** Set by a proxy that uses this package. The proxy has already retried, and its message is complete. */
  readonly charged?: Charged
  /** The scopes that are missing, as such a proxy tells them. */
  readonly requiredScopes?: readonly Scope[]
}

/** How an API writes JSON and words its errors. */
export interface Dialect {
  /** Media types that answers and errors come in. */
  readonly accept: string
  /** @throws for what JSON cannot say. */
  readonly stringify: (value: unknown) => string | undefined
  /** @throws for what is not JSON. */
  readonly parse: (text: string) => unknown
  /** Reads an error body, or returns null where it is somebody else's: a proxy's, say. */
  readonly complaintOf: (body: unknown) => Complaint | null
}

/** The value of a JSON text, or undefined, which JSON cannot say. The error of a parser would quote the text. */
export function parsed(text: string, { parse }: Pick<Dialect, 'parse'> = JSON): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** How the service itself does. */
export const serviceDialect: Dialect = {
  accept: 'application/json',
  stringify: JSON.stringify,
  parse: JSON.parse,
  complaintOf: (body) => {
    const envelope = readErrorEnvelope(body)
    return envelope && { ...envelope.error, ...readRelay(body) }
  },
}
