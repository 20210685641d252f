import { effectOf } from '../../api/operation.ts'
import { requireOption } from '../../errors/check-options.ts'
import type { ClientSettings } from '../options/client-settings.ts'
import type { ObservedCall, ObservedStart, Observer, CallObserver } from '../options/observer.ts'
import type { AnswerCache } from '../options/options.ts'
import { type Call, type Answer, type Send, type Wrap, contextOf, errorContext, noCredits } from './call.ts'
import { errorOfEnd } from './cancellation.ts'
import type { OpenCalls } from './open-calls.ts'
import { type InvalidRequestError, codeOf, isSocialSearchError } from '../../errors/index.ts'

/** Where a cache, or an observer that traces, says how it wraps the calls of a client. All copies of this package know it. */
export const wrap: unique symbol = Symbol.for('social-search-sdk wrap 1')

/** An object that wraps calls. */
export interface Wrapping {
  readonly [wrap]: (client: Pick<ClientSettings, 'baseUrl' | 'owner'>) => Wrap
}

function isWrapping(observer: Observer): observer is Observer & Wrapping {
  return wrap in observer
}

/**
 * What a cache makes of the calls of a client.
 *
 * @throws {ConfigurationError} if it is no cache, which would otherwise be off in silence.
 */
export function wrapOfCache(cache: AnswerCache, client: ClientSettings): Wrap | undefined {
  const make = (cache as Partial<Wrapping> | null)?.[wrap]
  requireOption(cache, make !== undefined, 'cache must be a ResultCache of social-search-sdk/cache')
  return make?.(client)
}

/** Everything that stands between a call and its requests: what traces it, its observers, and the cache. */
export function wrapped(
  send: Send,
  client: ClientSettings,
  observers: readonly Observer[],
  cache: Wrap | undefined,
  openCalls: OpenCalls,
): Send {
  const opened: Wrap = (send) => (call) => {
    openCalls.add(call)
    return send(call)
  }
  const wraps: Wrap[] = [
    ...observers.filter(isWrapping).map((each) => each[wrap](client)),
    ...(observers.length > 0 ? [observed] : []),
    // A wrap outside of this may fail before it sends the call: then the call has never been open.
    opened,
    ...(cache ? [untilEnd(openCalls), cache] : []),
  ]
  return wraps.reduceRight((inner, outer) => outer(inner), send)
}

/** For calls that a cache may answer: something may end them before they are sent. */
function untilEnd(openCalls: OpenCalls): Wrap {
  return (send) => async (call) => {
    try {
      return await send(call)
    } catch (error) {
      const { isInFlight, signal } = call.cancellation
      if (error !== signal.reason) throw error
      // The request that it has waited for goes on.
      const mayBeCharged = isInFlight && effectOf(call.operation) !== 'read'
      const context = contextOf(call.operation, call.request, mayBeCharged ? 'unknown' : 'no')
      const phase = isInFlight ? 'headers' : 'queue'
      throw errorOfEnd(error, call.settings, { ...context, callId: call.id }, phase)
    } finally {
      openCalls.delete(call)
    }
  }
}

/** Tells the observers how each call has ended. */
const observed: Wrap = (send) => (call) =>
  call.observer === undefined ? send(call) : observe(call.observer, call, () => send(call))

/** Tells the observers of a call that was refused before it began. */
export function observeRefusal(observer: CallObserver, error: InvalidRequestError): void {
  const { code, charged, applied, attempts } = error
  const never = { duration: 0, requestId: undefined, cached: undefined }
  observer.end({ outcome: code, charged, applied, attempts, credits: noCredits, ...never })
}

async function observe(observer: CallObserver, call: Call, work: () => Promise<Answer>): Promise<Answer> {
  const start = performance.now()
  const tell = (end: Omit<ObservedCall, keyof ObservedStart | 'duration'>): void =>
    observer.end({ ...end, duration: performance.now() - start })
  try {
    const answer = await work()
    const { record, cached } = answer
    const { attempts, credits } = record
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
