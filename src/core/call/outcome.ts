import type { Charged } from '../../errors/index.ts'
import { parsed } from '../../lib/json.ts'
import { type CallCredits, costOf } from '../credits/ledger.ts'
import { readCredits } from '../credits/reported-cost.ts'
import type { RawResponse } from '../http/send.ts'
import type { Failure } from '../retry/failure.ts'
import type { Situation } from './call.ts'
import { failureOfResponse } from './error-response.ts'

export type AttemptOutcome = ParsedSuccess | Failure

/** A success, parsed, whether it is usable or not; its texts and data are redacted. */
export interface ParsedSuccess extends RawResponse {
  /** Undefined if the text is not JSON, or not the whole body. */
  readonly value: unknown
  /** The value, or the text if it is not JSON. */
  readonly body: unknown
  readonly requestId: string | undefined
  readonly tookEffect: Charged
  /** What it cost; undefined if that is unknown. */
  readonly credits: CallCredits | undefined
}

export function outcomeOf(at: Situation, received: RawResponse): AttemptOutcome {
  const { status } = received.response
  return status >= 200 && status < 300 ? parseSuccess(at, received) : failureOfResponse(at, received)
}

function parseSuccess({ call, redactor, tookEffect }: Situation, received: RawResponse): ParsedSuccess {
  const { client, operation, settings } = call
  const { response, complete } = received
  let { text } = received
  // An invalid body is reported later.
  let value = response.status !== 206 && complete ? parsed(text, client.bodyFormat) : undefined
  const clean = redactor.text(text)
  if (clean !== text) {
    // Pages end up in logs, and proxies pass them on.
    value = redactor.data(value)
    text = clean
  }
  const requestId = redactor.requestId(value)
  const success = { response, complete, text, value, body: value ?? text, requestId }
  if (operation.price.kind === 'free') return { ...success, tookEffect, credits: undefined }
  const reported = readCredits(response.headers)
  if (reported !== null) return { ...success, tookEffect: reported.charged, credits: reported }
  // The service names its request, also in a body that breaks off. Any other success may come from a gateway.
  const isOwn = value === undefined ? /"requestId"\s*:\s*"[^"]/.test(text) : requestId !== undefined
  const spent = isOwn ? costOf(operation, value, settings.paging) : null
  if (spent === null) return { ...success, tookEffect: 'unknown', credits: undefined }
  return { ...success, tookEffect: 'yes', credits: { spent, uncertain: 0 } }
}
