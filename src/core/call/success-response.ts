import { parsed } from '../../lib/json.ts'
import { costOf } from '../credits/price.ts'
import { readCredits } from '../credits/reported-cost.ts'
import { effectOf } from '../../api/operation-effect.ts'
import { requestIdOf } from '../http/request-id.ts'
import type { RawResponse } from '../http/send.ts'
import type { Evidence } from './attempt.ts'
import type { Call } from './call.ts'
import type { Success } from './verdict.ts'

/** Reads an answer that is a success, and concludes from it what it has cost. */
export function readSuccess(
  { client, operation, settings, record }: Pick<Call, 'client' | 'operation' | 'settings' | 'record'>,
  received: RawResponse & Pick<Evidence, 'sent'>,
): Success {
  const { redactor } = record
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
  const requestId = requestIdOf(value, redactor)
  const success = { ok: true, response, complete, text, value, requestId } as const
  if (operation.price.kind === 'free') {
    const effect = received.sent === null || effectOf(operation) === 'read' ? 'no' : 'unknown'
    return { ...success, effect, credits: undefined }
  }
  const reported = readCredits(response.headers)
  if (reported !== null) return { ...success, effect: reported.charged, credits: reported }
  // The service names its request, also in a body that breaks off. Any other success may come from a gateway.
  const isOwn = value === undefined ? /"requestId"\s*:\s*"[^"]/.test(text) : requestId !== undefined
  const spent = isOwn ? costOf(operation, value, settings.paging) : null
  if (spent === null) return { ...success, effect: 'unknown', credits: undefined }
  return { ...success, effect: 'yes', credits: { spent, uncertain: 0 } }
}
