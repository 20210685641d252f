import { SocialSearch, isSocialSearchError } from 'social-search-sdk'
import { SharedLimiter } from 'social-search-sdk/shared'
import { isTabsStoreSupported, tabsStore } from 'social-search-sdk/tabs'

/** A service to call, and the limits it keeps. */
export interface Target {
  baseUrl: string
  apiKey: string
  limits: { perMinute: number; windowMs: number }
  /** Requests that this client has in flight at most. */
  inFlight?: number
}

const violations: string[] = []
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  violations.push(`${violatedDirective} ${blockedURI}`),
)

let limiter: SharedLimiter | undefined
const held: { release(): void }[] = []

const app = {
  SocialSearch,
  isTabsStoreSupported,
  tabsStore,
  isSocialSearchError,
  turn,
  violations,
  /** How many of the searches of this page have been answered so far. */
  answered: 0,
  /** Sends so many searches with the limits that all tabs keep together; resolves with how they ended. */
  async search({ baseUrl, apiKey, limits, inFlight = 2 }: Target, count: number): Promise<string[]> {
    await turn()
    const limiter = new SharedLimiter({ store: tabsStore(), organization: baseUrl, limits })
    const client = new SocialSearch({
      ...{ baseUrl, apiKey, limiter, limits: { inFlight } },
      ...{ dangerouslyAllowBrowser: true, retry: false },
    })
    const searches = Array.from({ length: count }, async (_, i) => {
      const { posts } = await client.microblog.search({ query: `coffee ${i}` })
      app.answered++
      return posts.length
    })
    const settled = await Promise.allSettled(searches)
    return settled.map((result) => (result.status === 'fulfilled' ? 'ok' : String(result.reason)))
  },
  /** Does the same in a worker of this page, which may fall asleep after the first answer. */
  searchInWorker(target: Target, count: number, sleepMs = 0): Promise<string[]> {
    const worker = new Worker('/app.js', { type: 'module' })
    return new Promise((resolve) => {
      worker.onmessage = ({ data }: { data: string[] | 'ready' | 'asleep' }) => {
        if (data === 'ready') worker.postMessage([target, count, sleepMs])
        else if (data === 'asleep') app.isWorkerAsleep = true
        else resolve(data)
      }
    })
  },
  isWorkerAsleep: false,
  /** Takes slots, and keeps them. */
  async take(organization: string, count: number): Promise<void> {
    const share = { inFlight: 2, perMinute: 20 }
    limiter ??= new SharedLimiter({ store: tabsStore(), organization })
    for (let i = 0; i < count; i++)
      held.push(
        await limiter.acquire({ surface: null, share, priority: 0, isRetry: false, maxHoldWait: 60_000 }),
      )
  },
  releaseAll(): void {
    for (const lease of held.splice(0)) lease.release()
  },
  /** Stops as a frozen page does, and goes on. */
  async freeze(ms: number): Promise<void> {
    document.dispatchEvent(new Event('freeze'))
    // What listeners have set off is done before a page is frozen.
    await turn()
    stop(ms)
    document.dispatchEvent(new Event('resume'))
  },
}

/** A further turn of the event loop: the one that a test itself sets off is exempt from the policy. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

/** Nothing else runs here, as in a page that the browser has put to sleep. */
function stop(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

if (!('document' in globalThis)) {
  onmessage = async ({ data: [target, count, sleepMs] }: { data: [Target, number, number] }) => {
    const ended = app.search(target, count)
    if (sleepMs > 0) {
      while (app.answered === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      // A thread that stops within a transaction of IndexedDB would hold up the others; browsers freeze no such page.
      await new Promise((resolve) => setTimeout(resolve, 300))
      postMessage('asleep')
      // Nothing else runs in this worker, as in a page that the browser has put to sleep.
      for (const end = performance.now() + sleepMs; performance.now() < end;);
    }
    postMessage([...violations, ...(await ended)])
  }
  postMessage('ready')
}

export type App = typeof app
Object.assign(globalThis, { app })
