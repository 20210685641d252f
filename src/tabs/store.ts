import { ConfigurationError } from '../errors/index.ts'
import { inPage } from '../lib/browser.ts'
import type { SharedStore } from '../shared/store.ts'

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
      const readAt = performance.now()
      const database = await open()
      try {
        const transaction = database.transaction(name, 'readwrite', { durability: 'relaxed' })
        const texts = transaction.objectStore(name)
        const value = (await done(texts.get(key))) as string | undefined
        // In the callback of a request, so that the transaction stays open.
        const changed = change(value, Date.now(), readAt)
        if (changed.value !== undefined) texts.put(changed.value, key)
        await new Promise<void>((resolve, reject) => {
          transaction.oncomplete = () => resolve()
          transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was aborted'))
        })
        if (changed.notice !== undefined) send(key, changed.notice)
        return changed.result
      } finally {
        database.close()
      }
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
          let release = (): void => {}
          const held = (): Promise<void> => {
            joined(leave)
            return new Promise((resolve) => (release = resolve))
          }
          navigator.locks.request(`${name}/${process}`, held).catch(reject)
          return () => release()
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

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => void request.result.createObjectStore(name)
  return done(request)
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the request failed'))
  })
}

/** Keeps something while the page is shown: a page with a channel or a lock would not enter the back/forward cache. */
function whileShown(start: (isBack: boolean) => () => void): () => void {
  let stop = start(false)
  if (!inPage()) return () => stop()
  const onHide = (): void => stop()
  const onShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) stop = start(true)
  }
  window.addEventListener('pagehide', onHide)
  window.addEventListener('pageshow', onShow)
  return () => {
    window.removeEventListener('pagehide', onHide)
    window.removeEventListener('pageshow', onShow)
    stop()
  }
}
