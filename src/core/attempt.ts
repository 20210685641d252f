import { type Attempt, InvalidResponseError, TimeoutError } from '../errors.ts'
import { abortable, linkAbort } from './abort.ts'
import { cleanRequestId, closedSurface, parse, readFailure } from './answer.ts'
import type { Call } from './call.ts'
import { type Decoded, decode } from './decode.ts'
import { AttemptFailure } from './failure.ts'
import { type Outgoing, maxBodyBytes, readText, send } from './http.ts'
import { LaneClosed } from './lane.ts'
import type { Lease } from './limiter.ts'
import type { Redactor } from './redact.ts'
import { now } from './time.ts'

/** A success, read and checked. */
export interface Success {
  readonly response: Response
  readonly text: string
  readonly requestId: string | undefined
  readonly decoded: Extract<Decoded, { ok: true }>
}

/** Time for one attempt where the service recommends none, in milliseconds. */
const defaultTimeoutMs = 30_000

/** How long a call queues before the log says so, in milliseconds. */
const longQueueMs = 30_000

/**
 * Goes through one attempt of a call: credits, token, queue, send, read, check.
 *
 * @throws {AttemptFailure} and nothing else, with the outcome noted in timeline and ledger.
 */
export async function attempt(call: Call): Promise<Success> {
  let lease: Lease
  try {
    call.purchase.cover()
    call.token = await abortable(call.signal, () => call.settings.credential.token())
    lease = await queue(call)
  } catch (error) {
    throw new AttemptFailure(error, { kind: 'final', announced: null }, 'no')
  }
  const entry = call.enter(lease)
  let answer: { response: Response; text: string; complete: boolean }
  try {
    answer = await exchange(call, entry)
  } finally {
    lease.release()
  }
  return accept(call, entry, answer)
}

async function queue(call: Call): Promise<Lease> {
  const { operation, settings, signal, surface } = call
  call.phase = 'queue'
  const fields = { operation: operation.id, surface, seconds: longQueueMs / 1000 }
  const warning = setTimeout(() => settings.log('warn', 'still queued', fields), longQueueMs)
  try {
    return await settings.limiter.acquire({
      surface,
      share: settings.share,
      resumed: call.attempts.length > 0,
      patience: settings.retry.maxWaitMs,
      signal,
    })
  } catch (error) {
    throw error instanceof LaneClosed ? closedSurface(operation, error.remaining) : error
  } finally {
    clearTimeout(warning)
  }
}

/** Sends and reads while the slot is held; one timer covers both, since a body can stall as well as headers can. */
async function exchange(
  call: Call,
  entry: Attempt,
): Promise<{ response: Response; text: string; complete: boolean }> {
  const { operation, settings } = call
  const timeoutMs = settings.timeoutMs ?? operation.timeoutMs ?? defaultTimeoutMs
  const timed = linkAbort([call.signal])
  const overdue = (): TimeoutError =>
    new TimeoutError(`no complete answer within ${timeoutMs} ms (waiting for ${call.phase})`, {
      operation: operation.id,
      phase: call.phase,
    })
  const timer = setTimeout(() => timed.abort(overdue()), timeoutMs)
  const context = { operation: operation.id, attempt: call.attempts.length }
  const start = now()
  call.phase = 'headers'
  try {
    return await abortable(timed.signal, async () => {
      const onSend = (): void => {
        entry.sent = new Date().toISOString()
        settings.log('debug', 'sending', context)
      }
      const { redactor, fetch, middleware } = settings
      const response = await send(
        outgoing(call, timed.signal),
        { redactor, fetch, middleware, onSend },
        context,
      )
      entry.status = response.status
      call.phase = 'body'
      const { text, complete } = await readText(response, operation.id, settings.redactor)
      if (response.ok) return { response, text, complete }
      throw readFailure(operation, response, settings.redactor.text(text), Date.now())
    })
  } catch (error) {
    const metered = operation.price.kind !== 'free'
    const timedOut = error instanceof TimeoutError && !call.signal.aborted
    throw call.failed(
      entry,
      error instanceof AttemptFailure ? error : AttemptFailure.withoutAnswer(error, metered, timedOut),
    )
  } finally {
    clearTimeout(timer)
    timed.dispose()
    entry.duration = now() - start
  }
}

/** Checks a success. What was paid for is never dropped: an answer that cannot be used travels on the error. */
async function accept(
  call: Call,
  entry: Attempt,
  { response, text, complete }: { response: Response; text: string; complete: boolean },
): Promise<Success> {
  const { operation, settings } = call
  const body = response.status === 206 || !complete ? undefined : parse(text)
  const requestId = requestIdOf(body, settings.redactor)
  if (requestId !== undefined) entry.requestId = requestId
  const decoded: Decoded =
    body === undefined
      ? { ok: false, complaint: unreadable(response.status, text, complete), issues: [] }
      : await decode(operation, body, settings.validation, settings.schema)
  if (decoded.ok) {
    if (entry.sent !== null) {
      call.purchase.settle()
      entry.charged = operation.price.kind === 'free' ? 'no' : 'yes'
    }
    settings.log('debug', 'answered', {
      operation: operation.id,
      attempt: call.attempts.length,
      status: response.status,
      durationMs: Math.round(entry.duration),
      requestId,
    })
    return { response, text, requestId, decoded }
  }
  // Only the service puts its request id into a body; anything else may come from a proxy, and is not known to be billed.
  if (requestId !== undefined && entry.sent !== null) call.purchase.settle()
  const clean = settings.redactor.text(text)
  const error = new InvalidResponseError(decoded.complaint, {
    operation: operation.id,
    requestId,
    issues: decoded.issues.map(({ path, message }) => ({ path, message: settings.redactor.text(message) })),
    body: parse(clean) ?? clean,
  })
  const charged = operation.price.kind === 'free' ? 'no' : 'yes'
  throw call.failed(entry, new AttemptFailure(error, { kind: 'unreadable', announced: null }, charged))
}

function unreadable(status: number, text: string, complete: boolean): string {
  if (!complete) return `the answer is larger than ${maxBodyBytes} bytes and was cut off`
  if (status === 206) return 'the answer is partial (206)'
  return text === '' ? `the answer is empty (${status})` : 'the answer is not JSON'
}

function requestIdOf(body: unknown, redactor: Redactor): string | undefined {
  const requestId = cleanRequestId((body as { requestId?: unknown } | null | undefined)?.requestId)
  return requestId === undefined ? undefined : redactor.text(requestId)
}

function outgoing(call: Call, signal: AbortSignal): Outgoing {
  const { operation, settings, body, token } = call
  const headers = new Headers(settings.headers)
  headers.set('accept', 'application/json')
  if (body !== undefined) headers.set('content-type', 'application/json')
  return {
    method: operation.method,
    url: `${settings.baseUrl}${operation.path}`,
    headers,
    body,
    token,
    signal,
  }
}
