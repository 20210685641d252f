import { type InvalidRequestError, codeOf, isSocialSearchError } from '../../errors/index.ts'
import type { ObservedCall, ObservedStart } from '../options/observer.ts'
import type { Call, CallResult, Wrap } from './call.ts'
import type { CallObserver } from './call-observer.ts'
import { errorContext } from './record.ts'

/** Tells the observers how each call has ended. */
export const observed: Wrap = (send) => (call) =>
  call.observer === undefined ? send(call) : observe(call.observer, call, () => send(call))

/** Tells the observers of a call that was refused before it began. */
export function observeRefusal(observer: CallObserver, error: InvalidRequestError): void {
  const { code, charged, applied, attempts } = error
  const credits = { spent: 0, uncertain: 0 }
  const never = { duration: 0, requestId: undefined, cached: undefined }
  observer.end({ outcome: code, charged, applied, attempts, credits, ...never })
}

async function observe(
  observer: CallObserver,
  call: Call,
  work: () => Promise<CallResult>,
): Promise<CallResult> {
  const start = performance.now()
  const tell = (end: Omit<ObservedCall, keyof ObservedStart | 'duration'>): void =>
    observer.end({ ...end, duration: performance.now() - start })
  try {
    const answer = await work()
    const { attempts, credits, cached } = answer
    const { charged = 'no', requestId = answer.requestId } = attempts.at(-1) ?? {}
    tell({ outcome: 'ok', charged, applied: undefined, attempts, requestId, credits, cached })
    return answer
  } catch (error) {
    // The reason of an abort says nothing of the call.
    const { charged = 'no', applied, attempts = [] } = isSocialSearchError(error) ? error : errorContext(call)
    const { credits } = call.record
    const requestId = attempts.at(-1)?.requestId
    tell({ outcome: codeOf(error), charged, applied, attempts, requestId, credits, cached: undefined })
    throw error
  }
}
