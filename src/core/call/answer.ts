import type { Attempt } from '../../errors.ts'
import type { CallCredits } from '../credits/ledger.ts'
import type { Redactor } from '../lib/redact.ts'
import type { InvalidItem } from './decode.ts'

/** A successful response, parsed and validated. */
export interface Success {
  /** Not redacted: apply `redactor` to what you show of its headers. */
  readonly response: Response
  readonly redactor: Redactor
  /** Redacted, like everything below. */
  readonly text: string
  /** The parsed body, before a schema transforms it. */
  readonly parsed: unknown
  readonly requestId: string | undefined
  readonly body: unknown
  /** Items that failed validation; null unless a list is validated as `lenient`. */
  readonly invalid: readonly InvalidItem[] | null
}

/** The result of a call: the response with its attempts and its cost. */
export interface Answer extends Success {
  readonly attempts: readonly Attempt[]
  readonly credits: CallCredits
}
