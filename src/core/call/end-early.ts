import { TimeoutError, type TimeoutPhase } from '../../errors.ts'
import { type Abortable, followAbort } from '../lib/abort.ts'
import type { Call } from './call.ts'

/** How long a caller who calls for another one, such as a proxy, wants an answer. */
export interface CallerPatience {
  /** Aborts the call while no request of it is under way: what has been sent may be charged, so its answer is waited for. */
  readonly abandon?: AbortSignal | undefined
  /** Time in which the call may be sent, in milliseconds; past it, an answer under way is still waited for. */
  readonly sendWithinMs?: number | undefined
}

const moments: Record<TimeoutPhase, string> = {
  queue: 'in the queue',
  headers: 'before the answer began',
  body: 'before the answer was complete',
  wait: 'between two attempts',
}

/** Aborts a call when its signal or its deadline says so, or when its caller has waited long enough. */
export function endEarly(call: Call, { abandon, sendWithinMs = Infinity }: CallerPatience = {}): void {
  const { signal, deadlineMs } = call.settings
  if (signal !== undefined) follow(call, signal, call)
  if (abandon !== undefined) follow(call, abandon, { abort: (reason) => leave(call, reason) })
  if (deadlineMs !== Infinity) {
    expireAfter(call, deadlineMs, () => expire(call, `the deadline of ${deadlineMs} ms passed`))
  }
  if (sendWithinMs !== Infinity) {
    expireAfter(call, sendWithinMs, () => {
      if (call.isIdle) expire(call, `it could not be sent within ${sendWithinMs} ms`)
    })
  }
}

function follow(call: Call, signal: AbortSignal, follower: Abortable): void {
  call.onClose(followAbort(signal, follower))
  if (signal.aborted) follower.abort(signal.reason)
}

function leave(call: Call, reason: unknown): void {
  if (call.isIdle) call.abort(reason)
  else call.sendBy = -Infinity
}

function expireAfter(call: Call, ms: number, then: () => void): void {
  call.sendBy = Math.min(call.sendBy, performance.now() + ms)
  const timer = setTimeout(then, ms)
  call.onClose(() => clearTimeout(timer))
}

function expire(call: Call, message: string): void {
  const { phase } = call
  const context = call.context(call.chargedSoFar)
  call.abort(new TimeoutError(`${message} ${moments[phase]}`, { ...context, phase }))
}
