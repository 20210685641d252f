import { builtin } from '../../lib/builtin.ts'
import type { AnyObserver } from '../options/settings.ts'
import type { ObservedCall, ObservedStart } from '../options/types.ts'

/** What is used of `node:diagnostics_channel`. */
interface Diagnostics {
  tracingChannel?(name: string): {
    readonly hasSubscribers?: boolean
    tracePromise(work: () => Promise<ObservedCall>, context: ObservedStart): Promise<ObservedCall>
  }
}

/** The channel `social-search:call`; undefined on a runtime without `node:diagnostics_channel`. */
export const channel = (builtin('node:diagnostics_channel') as Diagnostics | undefined)?.tracingChannel?.(
  'social-search:call',
)

/** Publishes a call to the subscribers of the channel. */
export const publisher: AnyObserver = {
  trace: (call, work) => channel?.tracePromise(work, { ...call }) ?? work(),
}
