/**
 * Sends many calls that end in all ways to a server in another process, and fails if memory or handles grow. Needs --expose-gc.
 *
 *   npx node --expose-gc test/soak/memory.ts --calls 100000
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../../bench/simulate/plan.ts'
import { SocialSearch } from '../../src/index.ts'
import { createRandom } from '../../src/extensions/sandbox/random.ts'

const { gc } = globalThis
if (gc === undefined) throw new Error('node needs --expose-gc')
const { values } = parseArgs({ options: { calls: { type: 'string', default: '1000000' } } })
const calls = wholeNumber('calls', values.calls, 1000)

/** Clients that make calls all the time. One more is replaced again and again. */
const lastingClients = 32
/** Calls that a client makes at once: two go, the others wait. */
const callsAtOnce = 4
const callsOfReplaced = 100
const rounds = 10
/** Bytes that the heap may grow by from the first rounds to the last ones; what is compiled meanwhile takes some, too. */
const mostGrowth = 4_000_000

const server = fork(fileURLToPath(new URL('memory-server.ts', import.meta.url)))
const [port] = (await once(server, 'message')) as [number]
const baseUrl = `http://127.0.0.1:${port}/v1`
const random = createRandom('memory')
const outcomes: Record<string, number> = {}
let clients = 0

const failures: string[] = []
process.on('unhandledRejection', (error) => failures.push(`unhandled: ${String(error)}`))

async function call(client: SocialSearch): Promise<void> {
  const abort = random.chance(0.01) ? new AbortController() : undefined
  const query = random.chance(0.005) ? '' : 'typescript'
  const result = client.microblog.search({ query }, abort && { signal: abort.signal }).then(
    () => 'ok',
    (error: unknown) => (error as Error).name,
  )
  if (abort !== undefined) {
    await sleep(random.integer(0, 3))
    abort.abort()
  }
  const outcome = await result
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
}

function openClient(): SocialSearch {
  const apiKey = `key_of_client_${++clients}`
  return new SocialSearch({ baseUrl, apiKey, timeout: 250, limits: { perMinute: false } })
}

async function runRound(count: number): Promise<void> {
  let left = count
  const use = async (client: SocialSearch, most: number): Promise<void> => {
    const work = async (): Promise<void> => {
      for (let made = 0; made < most && left-- > 0; made++) await call(client)
    }
    await Promise.all(Array.from({ length: callsAtOnce }, work))
  }
  const replace = async (): Promise<void> => {
    while (left > 0) {
      const client = openClient()
      await use(client, callsOfReplaced / callsAtOnce)
      await client.close()
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

await Promise.all(lasting.map((client) => client.close()))
server.disconnect()
console.log(outcomes)

const least = (of: 'heap' | 'handles', from: number, to: number): number =>
  Math.min(...samples.slice(from, to).map((sample) => sample[of]))
const growth = least('heap', -3, rounds) - least('heap', 1, 4)
if (growth > mostGrowth) failures.push(`the heap grew by ${growth} bytes`)
const handles = least('handles', -3, rounds) - least('handles', 1, 4)
if (handles > 0) failures.push(`there are ${handles} more handles`)
for (const failure of failures) console.log(`✗ ${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0
