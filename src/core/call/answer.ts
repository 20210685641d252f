import type { Attempt } from '../../errors.ts'
import type { CallCredits } from '../credits/ledger.ts'
import type { Redactor } from '../lib/redact.ts'
import type { InvalidItem } from './decode.ts'

/** A success, read and checked. */
export interface Success {
  /** Its headers may repeat a secret, which the redactor takes out. */
  readonly response: Response
  readonly redactor: Redactor
  /** Free of secrets, as everything below. */
  readonly text: string
  /** The parsed body, before a schema has made anything of it. */
  readonly parsed: unknown
  readonly requestId: string | undefined
  readonly body: unknown
  /** Items that failed validation; null unless a list is validated as `lenient`. */
  readonly invalid: readonly InvalidItem[] | null
}

/** A success, with what is known of the call behind it. */
export interface Answer extends Success {
  readonly attempts: readonly Attempt[]
  readonly credits: CallCredits
}
