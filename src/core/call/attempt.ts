import type { Lease } from '../limits/limiter.ts'
import { type Attempt, InvalidResponseError, TimeoutError } from '../../errors.ts'
import { abortable } from '../lib/abort.ts'
import type { Call } from './call.ts'
import { cleanSuccess } from './redact-success.ts'
import { type Decoded, decode } from './decode.ts'
import { parsed } from '../http/dialect.ts'
import { type Received, exchange } from './exchange.ts'
import { AttemptFailure } from '../retry/failure.ts'
import { maxBodyBytes } from '../http/send.ts'
import { readCredits } from '../http/proxy-protocol.ts'
import { requestIdOf } from '../http/request-id.ts'
import { giveBack, takeSlot } from './slot.ts'

/** Time in the queue after which the token is asked for again, in milliseconds: it may have been renewed meanwhile. */
const staleMs = 1000

/** A success, read and checked. */
export interface Success {
  readonly response: Response
  readonly text: string
  /** The parsed body, before a schema has made anything of it. */
  readonly sent: unknown
  readonly requestId: string | undefined
  readonly decoded: Extract<Decoded, { ok: true }>
}

/**
 * Goes through one attempt of a call: credits, token, slot, exchange, check.
 *
 * @throws {AttemptFailure} and nothing else, with the outcome noted in timeline and ledger.
 */
export async function attempt(call: Call): Promise<Success> {
  const { credential, log } = call.settings
  let lease: Lease | undefined
  try {
    await abortable(call.signal, () => call.purchase.cover())
    // Asked for ahead of the queue, since a renewal may take its time and should hold no slot.
    call.token = await abortable(call.signal, () => credential.token())
    lease = await takeSlot(call)
    if (lease.queued + lease.paced > staleMs)
      call.token = await abortable(call.signal, () => credential.token())
  } catch (error) {
    if (lease) giveBack(lease, log)
    throw AttemptFailure.final(error, 'no')
  }
  const entry = call.enter(lease)
  return accept(call, entry, await exchange(call, entry, lease))
}

/** Checks a success. What was paid for is never dropped: an answer that cannot be used travels on the error. */
async function accept(call: Call, entry: Attempt, received: Received): Promise<Success> {
  const { operation, settings, signal } = call
  const { complete } = received
  const isWhole = received.response.status !== 206 && complete
  const { response, text, body } = cleanSuccess(
    received.response,
    received.text,
    isWhole ? parsed(received.text, settings.dialect) : undefined,
    settings,
  )
  const requestId = requestIdOf(body, settings.redactor)
  if (requestId !== undefined) entry.requestId = requestId
  // Only the service puts its request id into a body; without one it may be a proxy's.
  call.bill(
    entry,
    { origin: received.origin, told: readCredits(response.headers) },
    requestId === undefined ? undefined : body,
  )

  let decoded: Decoded
  try {
    // A schema of the caller's may take its time; it must not outlast the call.
    decoded = await abortable(signal, () =>
      body === undefined
        ? Promise.resolve({ ok: false, complaint: unreadable(response.status, text, complete), issues: [] })
        : decode(operation, body, settings),
    )
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw call.failed(entry, AttemptFailure.final(error, entry.charged))
    decoded = { ok: false, complaint: 'the deadline passed while the answer was checked', issues: [] }
  }
  if (decoded.ok) {
    settings.log('debug', 'answered', {
      operation: operation.id,
      attempt: call.attempts.length,
      status: response.status,
      durationMs: Math.round(entry.duration),
      requestId,
    })
    return { response, text, sent: body, requestId, decoded }
  }
  const error = new InvalidResponseError(settings.redactor.text(decoded.complaint), {
    operation: operation.id,
    requestId,
    issues: settings.redactor.data(decoded.issues.map((issue) => ({ ...issue }))),
    body: body ?? text,
  })
  throw call.failed(entry, new AttemptFailure(error, { kind: 'unreadable', announced: null }, entry.charged))
}

function unreadable(status: number, text: string, complete: boolean): string {
  if (!complete) return `the answer is larger than ${maxBodyBytes} bytes and was cut off`
  if (status === 206) return 'the answer is partial (206)'
  return text === '' ? `the answer is empty (${status})` : 'the answer is not JSON'
}
