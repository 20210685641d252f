import type { Charged, ErrorContext } from '../../errors/index.ts'
import type { CallCredits } from '../credits/price.ts'
import type { RawResponse } from '../http/send.ts'
import type { FailureKind } from '../failures/failure-table.ts'

/** What an attempt means. */
export type Verdict = Success | Failed

/** A success, parsed, whether it is usable or not; its texts and data are redacted. */
export interface Success extends RawResponse {
  readonly ok: true
  /** Undefined if the text is not JSON, or not the whole body. */
  readonly value: unknown
  readonly requestId: string | undefined
  readonly effect: Charged
  /** What it cost; undefined if that is unknown. */
  readonly credits: CallCredits | undefined
}

/** A failure, before it is decided what follows from it. */
export interface Found {
  readonly kind: FailureKind
  /** The `outcome` of the attempt: the code of its error, or `aborted`. */
  readonly code: string
  readonly requestId?: string | undefined
  /** Makes the error, once the facts of the call are known. */
  readonly toError: (context: ErrorContext) => unknown
  /** Whether it was charged; for a write, whether it was applied. Default: what the kind says. */
  readonly effect?: Charged
  /** What it cost, if the response says so. */
  readonly credits?: CallCredits | undefined
  /** The wait that the response announces, in milliseconds. */
  readonly announced?: number | null
  /** The body of a success that is not usable. */
  readonly body?: unknown
}

/** A failure, and what follows. */
export interface Failed extends Found {
  readonly ok: false
  readonly effect: Charged
  readonly announced: number | null
  /** Milliseconds to wait before the next attempt; null if the call does not retry. */
  readonly wait: number | null
  /** Whether nothing has left. */
  readonly isUnsent: boolean
  /** Milliseconds for which it closes its surface; null unless it is a 429. */
  readonly closedMs: number | null
  /** Whether a fresh token may help. */
  readonly refreshes: boolean
}
