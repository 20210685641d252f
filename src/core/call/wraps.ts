import { requireOption } from '../../errors/check-options.ts'
import type { ClientSettings } from '../options/settings.ts'
import type { Observer } from '../options/observer.ts'
import type { AnswerCache } from '../options/types.ts'
import type { Send, Wrap } from './call.ts'
import { isEnded } from './cancellation.ts'
import { observed } from './observed.ts'
import type { OpenCalls } from './open-calls.ts'
import { contextOf } from './record.ts'

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
      if (!isEnded(error)) throw error
      const context = { ...contextOf(call.operation, call.request), attempts: [] }
      throw error.toError(context, call.cancellation.isInFlight ? 'headers' : 'queue')
    } finally {
      openCalls.delete(call)
    }
  }
}
