import { setImmediate as settled } from 'node:timers/promises'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { SocialSearch, isSocialSearchError } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { serveSandbox } from '../../src/extensions/sandbox/node.ts'

const limits = { perMinute: false } as const
const query = { query: 'typescript' }
const noop = (): void => {}

/** What a client can go through, each time the same way, with a fetch that responds at once. */
export interface Scenarios {
  /** A search that finds twenty posts. */
  search(): Promise<void>
  /** The same after a 429. */
  searchAfter429(): Promise<void>
  /** A walk whose second page fails. */
  failedPage(): Promise<void>
}

/** Makes the scenarios, with a search that has run before. */
export async function warmScenarios(): Promise<Scenarios> {
  const sandbox = createSandbox({ seed: 1, limits })
  const { baseUrl, apiKey } = sandbox
  let page: Response | undefined
  /** Statuses of the next responses; 200 if there are none. */
  const statuses: number[] = []
  const fetch = async (request: Request): Promise<Response> => {
    page ??= await sandbox.fetch(request)
    const status = statuses.shift() ?? 200
    if (status === 200) return page.clone()
    const error = { code: `status_${status}`, ...(status === 429 && { retryAfter: 0 }) }
    return Response.json({ requestId: 'req_1', error }, { status })
  }
  const client = new SocialSearch({ baseUrl, apiKey, fetch, limits })
  const search = async (): Promise<void> => {
    const { posts } = await client.microblog.search(query)
    if (posts.length !== 20) throw new Error(`the search found ${posts.length} posts`)
  }
  for (let i = 0; i < 10; i++) await search()
  return {
    search,
    searchAfter429() {
      statuses.push(429)
      return search()
    },
    async failedPage() {
      statuses.push(200, 500)
      const walk = client.microblog.search(query).toArray({ limit: 40 })
      const error: unknown = await walk.catch((error: unknown) => error)
      if (!isSocialSearchError(error) || error.next === undefined) throw new Error('the page must fail')
    },
  }
}

/** Bytes of a waiting call, measured with many calls behind two that never get a response. Needs --expose-gc. */
export async function bytesOfWaitingCall(): Promise<number> {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('node needs --expose-gc')
  const fetch = (): Promise<Response> => new Promise(noop)
  const client = new SocialSearch({
    baseUrl: 'http://127.0.0.1/v1',
    apiKey: 'a_key_of_sixteen',
    fetch,
    limits,
  })
  const calls = new Array<unknown>(5_000).fill(null)
  const fill = async (upTo: number): Promise<void> => {
    for (let i = 0; i < upTo; i++) {
      const call = client.microblog.search(query)
      call.then(noop, noop)
      calls[i] = call
    }
    await settled()
    gc()
  }
  // Excludes objects that are made once.
  await fill(100)
  const before = process.memoryUsage().heapUsed
  const held = calls.slice(0, 100)
  await fill(calls.length)
  const bytes = (process.memoryUsage().heapUsed - before) / calls.length
  if (held.includes(null)) throw new Error('the first calls have to be held until here')
  return bytes
}

/** Number of requests that a server gets for one search. */
export async function requestsOfSearch(): Promise<number> {
  await using server = await serveSandbox({ seed: 1 })
  const { baseUrl, apiKey } = server
  await new SocialSearch({ baseUrl, apiKey }).microblog.search(query)
  return server.requests.length
}

/** Calls of a crowd. */
export const crowdSize = 2000

/** Crowds of calls that wait together and are cancelled together, by what they have in common. */
export const crowds: Readonly<Record<string, () => Promise<void>>> = {
  'equal calls that share one request': () =>
    crowd({ cache: new ResultCache({ maxAge: 60_000 }) }, () => [query, { timeout: 60_000 }]),
  'queued calls with a deadline': () =>
    crowd({}, (index) => [{ query: `typescript ${index}` }, { deadline: 86_400_000 }]),
}

async function crowd(
  options: { cache?: ResultCache },
  callOf: (index: number) => [{ query: string }, object],
): Promise<void> {
  const client = new SocialSearch({
    ...{ baseUrl: 'http://127.0.0.1/v1', apiKey: `a_key_of_sixteen_${crypto.randomUUID()}` },
    ...{ fetch: () => new Promise<Response>(noop), ...options },
  })
  const controller = new AbortController()
  const { signal } = controller
  const calls = Array.from({ length: crowdSize }, (_, index) => {
    const [params, options] = callOf(index)
    return client.microblog.search(params, { ...options, signal }).catch(noop)
  })
  await settled()
  controller.abort()
  await Promise.all(calls)
}
