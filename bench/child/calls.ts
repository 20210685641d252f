/**
 * Makes the requested number of calls one after the other, and prints how long they took. Arguments: program, calls to
 * warm up, base URL. Without a base URL, responses come from a stub.
 */
import { type Duration, apiKey, load, nowhere, readPage, stopwatch, tell } from './set-up.ts'

const [, , program, warmUp, baseUrl] = process.argv
const page = readPage()
const headers = { 'content-type': 'application/json' }
const stub = (): Promise<Response> => Promise.resolve(new Response(page, { headers }))

const create = await load(program)
const isStub = baseUrl === undefined
const peer = create({ baseUrl: baseUrl ?? nowhere, apiKey, fetch: isStub ? stub : undefined })

const { posts } = await peer.search({ query: 'typescript' })
if (posts.length !== 20) throw new Error(`${program} found ${posts.length} posts`)

async function time(calls: number): Promise<Duration> {
  const stop = stopwatch()
  for (let i = 0; i < calls; i++) await peer.search({ query: 'typescript' })
  const { wall, cpu } = stop()
  return { wall: wall / calls, cpu: cpu / calls }
}

// Until the code is compiled as far as it will be, and connections are open.
await time(Number(warmUp))

tell({})
process.on('message', ({ calls }: { calls: number }) => void sample(calls).then(tell))

async function sample(calls: number): Promise<Duration> {
  // The first calls after a rest are slow for every contestant.
  await time(20)
  return time(calls)
}
