import { ConfigurationError } from '../../errors/index.ts'
import { builtin } from '../../lib/builtin.ts'
import type { CallLimiter } from '../../limits/interface.ts'

/** A call, while user code runs for it. */
export interface SlotHolder {
  readonly call: { readonly client: { readonly limiter: CallLimiter } }
  readonly hasSlot: () => boolean
}

/** What is used of `node:async_hooks`. */
interface AsyncHooks {
  readonly AsyncLocalStorage: new () => HolderContext
}

interface HolderContext {
  run<T>(holder: SlotHolder, work: () => T): T
  getStore(): SlotHolder | undefined
}

/** In place of AsyncLocalStorage, which browsers lack: knows the holder until the first `await` of the user code. */
class SynchronousContext implements HolderContext {
  #holder: SlotHolder | undefined

  run<T>(holder: SlotHolder, work: () => T): T {
    const outer = this.#holder
    this.#holder = holder
    try {
      return work()
    } finally {
      this.#holder = outer
    }
  }

  getStore(): SlotHolder | undefined {
    return this.#holder
  }
}

let context: HolderContext | undefined

function makeContext(): HolderContext {
  const hooks = builtin('node:async_hooks') as AsyncHooks | undefined
  return hooks === undefined ? new SynchronousContext() : new hooks.AsyncLocalStorage()
}

/** Runs user code of a call that may have a slot. */
export function runForHolder<T>(holder: SlotHolder, work: () => T): T {
  context ??= makeContext()
  return context.run(holder, work)
}

/**
 * Refuses a call of user code that has a slot: two such calls would wait for the slots of each other.
 *
 * @throws {ConfigurationError}
 */
export function assertNotNested(limiter: CallLimiter): void {
  const holder = context?.getStore()
  if (holder?.hasSlot() && holder.call.client.limiter === limiter)
    throw new ConfigurationError(
      'a beforeRequest hook or fetch must not call its own client: it holds a slot',
    )
}
