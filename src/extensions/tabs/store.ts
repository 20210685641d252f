import { ConfigurationError } from '../../errors/index.ts'
import { deferred } from '../../lib/deferred.ts'
import type { SharedStore } from '../shared/store.ts'
import { changeText } from './database.ts'
import { whileShown } from './while-shown.ts'

/** The database and, with a key or process, the names of channels and locks. */
const name = 'social-search-sdk'

/**
 * Makes a store for all tabs, frames and workers of one origin in one browser: texts in IndexedDB, notices by
 * `BroadcastChannel`, and a Web Lock for each tab, which shows that it is open.
 *
 * @example
 * const limiter = isTabsStoreSupported() ? new SharedLimiter({ store: tabsStore(), organization: 'acme' }) : undefined
 * const client = new SocialSearch({ baseUrl: '/api/social', auth: false, limiter })
 * @throws {ConfigurationError} if {@link isTabsStoreSupported} returns false.
 */
export function tabsStore(): SharedStore {
  if (!isTabsStoreSupported()) {
    throw new ConfigurationError(
      'tabsStore needs indexedDB, navigator.locks and BroadcastChannel: a browser of 2022 or later, https or a loopback address, and a page with its own origin',
    )
  }
  return {
    async update(key, change) {
      const { notice, result } = await changeText(name, key, change)
      if (notice !== undefined) send(key, notice)
      return result
    },
    watch: (key, listener) =>
      whileShown((isBack) => {
        const channel = new BroadcastChannel(`${name}/${key}`)
        channel.onmessage = ({ data }: { data: unknown }) => {
          if (typeof data === 'string') listener(data)
        }
        if (isBack) listener()
        return () => channel.close()
      }),
    join: (process) =>
      new Promise((joined, reject) => {
        const leave = whileShown(() => {
          const { promise: left, resolve } = deferred()
          const hold = (): Promise<void> => {
            joined(leave)
            return left
          }
          navigator.locks.request(`${name}/${process}`, hold).catch(reject)
          return resolve
        })
      }),
    async findEnded(processes) {
      const { held = [] } = await navigator.locks.query()
      const open = new Set(held.map(({ name }) => name))
      return processes.filter((process) => !open.has(`${name}/${process}`))
    },
  }
}

/**
 * Returns whether this browser supports shared limits. If not, leave `limiter` out: each tab then keeps the limits alone.
 *
 * @example
 * const store = isTabsStoreSupported() ? tabsStore() : memoryStore()
 */
export function isTabsStoreSupported(): boolean {
  const { navigator, BroadcastChannel, indexedDB, origin } = globalThis as {
    navigator?: { locks?: LockManager }
    BroadcastChannel?: unknown
    indexedDB?: unknown
    origin?: string
  }
  // A sandboxed frame has an opaque origin, and no locks.
  const hasOrigin = origin !== 'null' && navigator?.locks !== undefined
  return hasOrigin && indexedDB !== undefined && typeof BroadcastChannel === 'function'
}

function send(key: string, notice: string): void {
  const channel = new BroadcastChannel(`${name}/${key}`)
  channel.postMessage(notice)
  channel.close()
}
