/**
 * Sends many calls that end in all ways to a server in another process, and fails if memory or handles grow, or if the
 * credits do not add up. Needs --expose-gc.
 *
 *   npx node --expose-gc test/soak/memory.ts --calls 100000
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SocialSearch } from '../../src/index.ts'
import { createDraw } from './memory/outcomes.ts'
import { miscounts } from '../support/ledger.ts'

const { gc } = globalThis
if (gc === undefined) throw new Error('node needs --expose-gc')
const { values } = parseArgs({ options: { calls: { type: 'string', default: '1000000' } } })
const calls = Number(values.calls)
if (!(Number.isSafeInteger(calls) && calls >= 1000))
  throw new Error('--calls must be a number of at least 1000')

/** Clients that make calls all the time. One more is replaced again and again. */
const lastingClients = 32
/** Calls that a client makes at once: two go, the others wait. */
const callsAtOnce = 4
const callsOfReplaced = 100
const rounds = 10
/** Bytes that the heap may grow by from the first rounds to the last ones; what is compiled meanwhile takes some, too. */
const mostGrowth = 4_000_000

const server = fork(fileURLToPath(new URL('memory/server.ts', import.meta.url)))
const [port] = (await once(server, 'message')) as [number]
const draw = createDraw(1)
const outcomes: Record<string, number> = {}
const credits = { spent: 0, uncertain: 0, reserved: 0 }
let clients = 0

const failures: string[] = []
process.on('unhandledRejection', (error) => failures.push(`unhandled: ${String(error)}`))

async function call(client: SocialSearch): Promise<void> {
  const share = draw()
  const abort = share < 0.01 ? new AbortController() : undefined
  const query = share > 0.995 ? '' : 'typescript'
  const result = client.microblog.search({ query }, abort && { signal: abort.signal }).then(
    () => 'ok',
    (error: unknown) => (error as Error).name,
  )
  if (abort !== undefined) {
    await sleep(share * 300)
    abort.abort()
  }
  const outcome = await result
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
}

async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work))
}

function openClient(): SocialSearch {
  return new SocialSearch({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: `key_of_client_${++clients}`,
    timeout: 250,
    limits: { perMinute: false },
  })
}

async function closeClient(client: SocialSearch): Promise<void> {
  await client.close()
  const { spent, uncertain, reserved } = client.credits
  credits.spent += spent
  credits.uncertain += uncertain
  credits.reserved += reserved
}

async function runRound(count: number): Promise<void> {
  let left = count
  const use = (client: SocialSearch, most: number): Promise<void> =>
    inParallel(callsAtOnce, async () => {
      for (let made = 0; made < most && left-- > 0; made++) await call(client)
    })
  const replace = async (): Promise<void> => {
    while (left > 0) {
      const client = openClient()
      await use(client, callsOfReplaced / callsAtOnce)
      await closeClient(client)
    }
  }
  await Promise.all([replace(), ...lasting.map((client) => use(client, Infinity))])
}

async function sample(): Promise<{ heap: number; handles: number }> {
  // Slots of aborted requests come back a little later.
  await sleep(200)
  gc?.()
  await sleep(10)
  gc?.()
  return { heap: process.memoryUsage().heapUsed, handles: process.getActiveResourcesInfo().length }
}

const lasting = Array.from({ length: lastingClients }, openClient)
const samples: Awaited<ReturnType<typeof sample>>[] = []
let made = 0
for (let round = 1; round <= rounds; round++) {
  const start = performance.now()
  const count = Math.round((calls * round) / rounds) - made
  await runRound(count)
  made += count
  const rate = Math.round(count / ((performance.now() - start) / 1000))
  const { heap, handles } = await sample()
  samples.push({ heap, handles })
  console.log(`${made} calls, ${rate}/s: heap ${(heap / 1e6).toFixed(2)} MB, ${handles} handles`)
}

await Promise.all(lasting.map(closeClient))
server.send('charged')
const [charged] = (await once(server, 'message')) as [number]
server.disconnect()
console.log(outcomes)
console.log(`charged ${charged}, spent ${credits.spent}, uncertain ${credits.uncertain}`)

const least = (of: 'heap' | 'handles', from: number, to: number): number =>
  Math.min(...samples.slice(from, to).map((sample) => sample[of]))
const growth = least('heap', -3, rounds) - least('heap', 1, 4)
if (growth > mostGrowth) failures.push(`the heap grew by ${growth} bytes`)
const handles = least('handles', -3, rounds) - least('handles', 1, 4)
if (handles > 0) failures.push(`there are ${handles} more handles`)
failures.push(...miscounts(credits, charged))
for (const failure of failures) console.log(`✗ ${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0
