import { setImmediate as settled } from 'node:timers/promises'
import { SocialSearch } from '../src/index.ts'
import { createSandbox } from '../src/sandbox/index.ts'
import { serveSandbox } from '../src/sandbox/node.ts'

const limits = { perMinute: false } as const
const query = { query: 'typescript' }
const noop = (): void => {}

/** A search of twenty posts, always the same, with a fetch that responds at once. */
export async function warmSearch(): Promise<() => Promise<void>> {
  const sandbox = createSandbox({ seed: 1, limits })
  let page: Response | undefined
  const keep = async (request: Request): Promise<Response> => {
    page ??= await sandbox.fetch(request)
    return page.clone()
  }
  const { baseUrl, apiKey } = sandbox
  const client = new SocialSearch({ baseUrl, apiKey, fetch: keep, limits })
  const search = async (): Promise<void> => {
    const { posts } = await client.microblog.search(query)
    if (posts.length !== 20) throw new Error(`the search found ${posts.length} posts`)
  }
  for (let i = 0; i < 10; i++) await search()
  return search
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
