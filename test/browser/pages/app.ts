import { SocialSearch, isSocialSearchError } from 'social-search-sdk'
import { WebLocksLimiter } from 'social-search-sdk/weblocks'

/** A service to call, and the limits it keeps. */
export interface Target {
  baseUrl: string
  apiKey: string
  limits: { perMinute: number; windowMs: number }
}

const violations: string[] = []
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  violations.push(`${violatedDirective} ${blockedURI}`),
)

const app = {
  SocialSearch,
  WebLocksLimiter,
  isSocialSearchError,
  violations,
  /** How many of the searches of this page have been answered so far. */
  answered: 0,
  /** Sends so many searches with the limits that all tabs keep together; resolves with how they ended. */
  async search({ baseUrl, apiKey, limits }: Target, count: number): Promise<string[]> {
    const limiter = new WebLocksLimiter({ organization: baseUrl, limits })
    const client = new SocialSearch({ baseUrl, apiKey, limiter, dangerouslyAllowBrowser: true, retry: false })
    const searches = Array.from({ length: count }, async (_, i) => {
      const { posts } = await client.microblog.search({ query: `coffee ${i}` })
      app.answered++
      return posts.length
    })
    const settled = await Promise.allSettled(searches)
    return settled.map((result) => (result.status === 'fulfilled' ? 'ok' : String(result.reason)))
  },
  /** Does the same in a worker of this page. */
  searchInWorker(target: Target, count: number): Promise<string[]> {
    const worker = new Worker('/app.js', { type: 'module' })
    return new Promise((resolve) => {
      worker.onmessage = ({ data }: { data: string[] | 'ready' }) => {
        if (data === 'ready') worker.postMessage([target, count])
        else resolve(data)
      }
    })
  },
}

if (!('document' in globalThis)) {
  onmessage = ({ data: [target, count] }: { data: [Target, number] }) =>
    void app.search(target, count).then((ended) => postMessage([...violations, ...ended]))
  postMessage('ready')
}

export type App = typeof app
Object.assign(globalThis, { app })
