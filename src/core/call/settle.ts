import type { Attempt, Charged } from '../../errors/index.ts'
import { abandonedMs } from '../../limits/interface.ts'
import { costOf } from '../credits/ledger.ts'
import { creditsHeader, readCredits } from '../http/proxy-protocol.ts'
import type { Received } from '../http/send.ts'
import { type Failure, isRateLimit } from '../retry/failure.ts'
import { nextWait } from '../retry/policy.ts'
import type { Call } from './call.ts'
import { failureOfResponse } from './error-response.ts'
import { type Success, isSuccess, parseSuccess } from './success-response.ts'

/**
 * Settles a response of the service as soon as it has been read, before hooks or schemas can fail: accounts for it, tells
 * the limiter of a 429, so that the next request does not run into it, and releases the slot.
 */
export function settle(call: Call, entry: Attempt, received: Received): Success | Failure {
  const outcome = isSuccess(received.response)
    ? settleSuccess(call, entry, received)
    : settleFailure(call, entry, failureOfResponse(call, received))
  // Calls that share the request get the body, too, if they end before its hooks.
  call.settings.onPhase?.()
  // The service notices a closed connection a moment later.
  call.release(received.complete ? 0 : abandonedMs)
  return outcome
}

function settleSuccess(call: Call, entry: Attempt, received: Received): Success {
  const success = parseSuccess(call, received)
  const { value, text, requestId } = success
  if (requestId !== undefined) entry.requestId = requestId
  // A body without the service's request id may come from a proxy.
  if (call.stake === 'metered')
    entry.charged = charge(call, received, requestId === undefined ? undefined : value)
  const risk = call.stake === 'metered' ? entry.charged : call.risk
  call.settled = { risk, body: value ?? text }
  return success
}

/** Records the cost of a success. `body` is undefined if the service may not have sent it. */
function charge({ operation, purchase, settings }: Call, { response }: Received, body: unknown): Charged {
  const reported = response.headers.has(creditsHeader) ? readCredits(response.headers) : null
  if (reported !== null) {
    purchase.settle(reported.spent, reported.uncertain)
    return reported.charged
  }
  const cost = body === undefined ? null : costOf(operation, body, settings.paging)
  if (cost === null) purchase.doubt()
  else purchase.settle(cost)
  // With a fixed price, the success alone proves the charge.
  return cost !== null || operation.price.kind === 'perRequest' ? 'yes' : 'unknown'
}

/** Accounts for a failure, decides on the wait before the next attempt, and closes the surface after a 429. */
export function settleFailure(call: Call, entry: Attempt, failure: Failure): Failure {
  const { risk, reported } = failure
  if (call.stake === 'metered') entry.charged = risk
  if (reported !== null && risk !== 'no') call.purchase.settle(reported.spent, reported.uncertain)
  else if (risk !== 'no') call.purchase.doubt()
  failure.wait = nextWait([...call.failures, failure], call.stake, call.settings.retry, Math.random)
  if (isRateLimit(failure)) call.closeSurface(failure.announced || (failure.wait ?? 0))
  call.settled ??= { risk }
  return failure
}
