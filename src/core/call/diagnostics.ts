import type { AnyObserver } from '../options/settings.ts'
import type { ObservedCall, ObservedStart } from '../options/types.ts'

/** What is used of `node:diagnostics_channel`. */
interface Diagnostics {
  tracingChannel?(name: string): {
    readonly hasSubscribers?: boolean
    tracePromise(work: () => Promise<ObservedCall>, context: ObservedStart): Promise<ObservedCall>
  }
}

// Without an import, which runtimes without the module would fail on.
const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Diagnostics | undefined } }
/** The channel `social-search:call`; undefined on a runtime without `node:diagnostics_channel`. */
export const channel = process
  ?.getBuiltinModule?.('node:diagnostics_channel')
  ?.tracingChannel?.('social-search:call')

/** Publishes a call to the subscribers of the channel. */
export const publisher: AnyObserver = {
  trace: (call, work) => channel?.tracePromise(work, { ...call }) ?? work(),
}
