import { type Lease, abandonedMs } from '../limits/limiter.ts'
import { type Attempt, ConfigurationError, ConnectionError, TimeoutError } from '../../errors.ts'
import { abortable, linkAbort } from '../lib/abort.ts'
import { readFailure } from './read-failure.ts'
import type { Call } from './call.ts'
import { AttemptFailure } from '../retry/failure.ts'
import { type Outgoing, readText, send } from '../http/send.ts'
import { giveBack, markAnswered, markSent } from './slot.ts'
import { now } from '../lib/time.ts'

/** A success as it came, before anybody has looked into it. */
export interface Received {
  readonly response: Response
  readonly text: string
  /** False if the body was cut off because it is too large. */
  readonly complete: boolean
  /** Whether fetch itself brought a success, or could have: a middleware may have answered in its place. */
  readonly origin: 'service' | 'uncertain' | 'middleware'
}

/** Time for one attempt where the service recommends none, in milliseconds. */
export const defaultTimeoutMs = 30_000

/**
 * Sends a request and reads the answer, while the slot is held. One timer covers both, since a body can stall as well
 * as headers can. The slot is given back in the end; a failure is noted before that, since a 429 has to close the
 * surface before the next request goes.
 *
 * @throws {AttemptFailure} and nothing else.
 */
export async function exchange(call: Call, entry: Attempt, lease: Lease): Promise<Received> {
  const { operation, settings } = call
  const metered = operation.price.kind !== 'free'
  const timeoutMs = settings.timeoutMs ?? operation.timeoutMs ?? defaultTimeoutMs
  const context = { operation: operation.id, attempt: call.attempts.length }
  const limit = linkAbort([call.signal])
  let overdue: TimeoutError | undefined
  const timer = setTimeout(() => {
    const { phase } = call
    const charged = metered && entry.sent !== null ? 'unknown' : 'no'
    overdue = new TimeoutError(`no complete answer within ${timeoutMs} ms (waiting for ${phase})`, {
      operation: operation.id,
      phase,
      charged,
    })
    limit.abort(overdue)
  }, timeoutMs)
  const start = now()
  let fetched: number | null = null
  call.phase = 'headers'
  try {
    return await abortable(limit.signal, async () => {
      const response = await send(outgoing(call, limit.signal), {
        ...settings,
        context,
        metered,
        onSend: () => {
          entry.sent = new Date().toISOString()
          markSent(lease, settings.log)
          settings.log('debug', 'sending', context)
        },
        onAnswer: (answer) => {
          fetched = answer.status
          markAnswered(lease, answer, settings.log)
        },
      })
      entry.status = response.status
      call.phase = 'body'
      const { text, complete } = await readText(response, { ...settings, context, metered }, limit.signal)
      if (!response.ok) {
        const failure = readFailure(operation, response, text, settings, Date.now())
        // A middleware has put an error in the place of a success, which was charged.
        throw metered && isSuccess(fetched) ? AttemptFailure.final(failure.error, 'unknown') : failure
      }
      const origin = entry.sent === null ? 'middleware' : isSuccess(fetched) ? 'service' : 'uncertain'
      return { response, text, complete, origin }
    })
  } catch (error) {
    throw call.failed(entry, judge(error))
  } finally {
    clearTimeout(timer)
    entry.duration = now() - start
    const abandoned = limit.signal.aborted && entry.sent !== null
    if (abandoned) setTimeout(() => giveBack(lease, settings.log), abandonedMs)
    else giveBack(lease, settings.log)
    // A middleware that still holds the request must not send it now: nobody would know of it.
    limit.abort(new ConfigurationError('the attempt is over', { operation: operation.id }))
  }

  function judge(error: unknown): AttemptFailure {
    if (error instanceof AttemptFailure) return error
    // The reason of an abort is the caller's, whatever its class: it may be an error of another call.
    if (call.signal.aborted) return AttemptFailure.final(call.signal.reason, metered ? 'unknown' : 'no')
    if (overdue !== undefined) return AttemptFailure.overdue(overdue, metered)
    if (error instanceof ConnectionError) return AttemptFailure.disconnected(error, metered)
    // A middleware failed in a way of its own.
    return AttemptFailure.final(error, metered ? 'unknown' : 'no')
  }
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}

function outgoing({ operation, settings, message, token }: Call, signal: AbortSignal): Outgoing {
  const { path, body } = message
  const headers = new Headers(settings.headers)
  headers.set('accept', settings.dialect.accept)
  if (body !== undefined) headers.set('content-type', 'application/json')
  return {
    method: operation.method,
    url: `${settings.baseUrl}${path}`,
    headers,
    body,
    token,
    signal,
  }
}
