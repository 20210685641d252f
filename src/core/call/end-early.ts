import type { TimeoutPhase } from '../../errors/index.ts'
import { type Abortable, followAbort } from '../../lib/abort.ts'
import type { Call } from './call.ts'

/** Cancellation rules for a call that a proxy makes for its client. */
export interface CancelRules {
  /**
   * Cancels the call if no request is in flight. A request in flight may be charged, so the call waits for its
   * response, but does not retry.
   */
  readonly abandon?: AbortSignal | undefined
  /** Milliseconds in which the call may be sent. A request in flight is not cancelled. */
  readonly maxQueueWaitMs?: number | undefined
}

const phaseDescriptions: Record<TimeoutPhase, string> = {
  queue: 'in the queue',
  headers: 'before the response began',
  body: 'before the response was complete',
  wait: 'between two attempts',
}

/** Aborts a call on its signal, at its deadline, if it is not sent in time, or by the rules of a proxy. */
export function endEarly(call: Call, { abandon, maxQueueWaitMs = Infinity }: CancelRules = {}): void {
  const { signal, deadlineMs } = call.settings
  const sendWithinMs = Math.min(maxQueueWaitMs, call.settings.maxQueueWaitMs)
  if (signal !== undefined) follow(call, signal, call)
  if (abandon !== undefined) follow(call, abandon, { abort: (reason) => cancelUnlessInFlight(call, reason) })
  expireAfter(call, deadlineMs, () => expire(call, `the deadline of ${deadlineMs} ms passed`))
  expireAfter(call, sendWithinMs, () => {
    if (call.isIdle) expire(call, `not sent in ${sendWithinMs} ms`)
  })
}

function follow(call: Call, signal: AbortSignal, follower: Abortable): void {
  call.onClose(followAbort(signal, follower))
  if (signal.aborted) follower.abort(signal.reason)
}

function cancelUnlessInFlight(call: Call, reason: unknown): void {
  if (call.isIdle) call.abort(reason)
  else call.sendBy = -Infinity
}

function expireAfter(call: Call, ms: number, then: () => void): void {
  if (ms === Infinity) return
  const end = performance.now() + ms
  if (end < call.sendBy) {
    call.sendBy = end
    call.expire = then
  }
  const timer = setTimeout(then, ms)
  call.onClose(() => clearTimeout(timer))
}

function expire(call: Call, message: string): void {
  call.abort(call.timeoutError(`${message} ${phaseDescriptions[call.phase]}`))
}
