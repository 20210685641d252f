/**
 * Makes calls over real sockets to a server in another process that resets, truncates, stalls and charges, and checks
 * money, slots and secrets. Nothing depends on exact times.
 *
 *   npx node test/soak/sockets.ts --calls 2000 --seed 1
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../../bench/simulate/plan.ts'
import { type Charged, CreditBudget, SocialSearch, SocialSearchError } from '../../src/index.ts'
import { type Random, createRandom } from '../../src/extensions/sandbox/random.ts'
import { drawSecret } from './misfortune/credentials.ts'
import { shows } from './misfortune/leaks.ts'
import { callHeader } from './misfortune/network.ts'
import { callOperation, soakOperations } from './misfortune/operations.ts'
import { clientHeader, startServer } from './sockets/start-server.ts'
import { miscounts } from '../support/ledger.ts'

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
})
const { seed } = values
const calls = wholeNumber('calls', values.calls)

const callsOfClient = 20
const clientsAtOnce = 8
const callsAtOnce = 4

/** What a call said of its cost. */
interface Made {
  readonly id: string
  readonly isPaid: boolean
  readonly ambiguous: boolean
  readonly charged: Charged | null
  readonly credits: { spent: number; uncertain: number } | null
}

const failures: string[] = []
const fail = (what: string): void => void failures.push(what)
process.on('unhandledRejection', (error) => fail(`unhandled rejection: ${String(error)}`))

const server = await startServer('many', seed)
const { baseUrl } = server
const made: Made[] = []
const clients: { client: SocialSearch; budget: CreditBudget; ids: string[]; name: string }[] = []
let left = calls

async function useClients(): Promise<void> {
  while (left > 0) {
    const name = `client ${clients.length}`
    const random = createRandom(`${seed}/${name}`)
    const apiKey = drawSecret(random, 'Key')
    const ambiguous = random.chance(0.2)
    const budget = new CreditBudget(random.pick([20, 500, 5000]))
    const client = new SocialSearch({
      ...{ baseUrl, apiKey, organization: `${seed} ${name}`, budget },
      ...{ timeout: 300, limits: { perMinute: false }, retry: { ambiguous, maxWait: 50 } },
      headers: { [clientHeader]: name },
    })
    const used = { client, budget, ids: [] as string[], name }
    clients.push(used)
    let ofClient = Math.min(callsOfClient, left)
    left -= ofClient
    const work = async (): Promise<void> => {
      while (ofClient-- > 0) await call(used, apiKey, ambiguous, random)
    }
    await Promise.all(Array.from({ length: callsAtOnce }, work))
    await client.close()
  }
}

async function call(
  { client, ids, name }: (typeof clients)[number],
  apiKey: string,
  ambiguous: boolean,
  random: Random,
): Promise<void> {
  const id = `${name}, call ${ids.length}`
  ids.push(id)
  const operation = random.pick(random.chance(0.6) ? soakOperations.slice(0, 3) : soakOperations)
  const abort = random.chance(0.2) ? new AbortController() : null
  const options = { headers: { [callHeader]: id }, ...(abort && { signal: abort.signal }) }
  const isPaid = operation.price !== 0
  const end = { id, isPaid, ambiguous, charged: null, credits: null }
  const reason = new Error('left')
  if (abort !== null) void sleep(random.integer(0, 60)).then(() => abort.abort(reason))
  try {
    const { data, response, attempts, credits } = await callOperation(
      client,
      operation,
      options,
    ).withResponse()
    const parts = [data, attempts, [...response.headers], await response.text()]
    if (parts.some((part) => shows(part, [apiKey]))) fail(`${id} returned the key`)
    made.push({ ...end, credits })
  } catch (error) {
    made.push({ ...end, charged: error instanceof SocialSearchError ? error.charged : null })
    if (error === reason) return
    if (!(error instanceof SocialSearchError)) fail(`${id} rejected with a foreign ${String(error)}`)
    else if (shows(error, [apiKey])) fail(`${id} rejected with a ${error.name} that shows the key`)
  }
}

await Promise.all(Array.from({ length: clientsAtOnce }, useClients))
// What is on its way to the server still arrives.
await sleep(300)
const { visits, mostInFlight, charged: chargedInAll } = await server.stop()

const visitsOf = Map.groupBy(visits, ({ id }) => id)
const chargedFor = (ids: readonly string[]): number =>
  ids.flatMap((id) => visitsOf.get(id) ?? []).reduce((sum, { charged }) => sum + charged, 0)

for (const { id, isPaid, ambiguous, charged, credits } of made) {
  const cost = chargedFor([id])
  if (charged === 'no' && cost > 0) fail(`${id} says charged no, and was charged ${cost}`)
  if (credits !== null) for (const problem of miscounts(credits, cost)) fail(`${id}: ${problem}`)
  const resent = (visitsOf.get(id) ?? []).slice(0, -1).some(({ mayRepeat }) => !mayRepeat)
  if (isPaid && !ambiguous && resent) fail(`${id} was sent twice, although it may have been charged`)
}
for (const { client, budget, ids, name } of clients) {
  const cost = chargedFor(ids)
  for (const account of [client.credits, budget])
    for (const problem of miscounts(account, cost)) fail(`${name}: ${problem}`)
  if (cost > budget.limit) fail(`${name} was charged ${cost} with a budget of ${budget.limit}`)
}
if (mostInFlight > 2) fail(`a client had ${mostInFlight} requests in flight`)
console.log(
  `${made.length} calls over sockets, ${visits.length} requests, charged ${chargedInAll}; seed ${seed}`,
)
for (const failure of failures.slice(0, 20)) console.log(`✗ ${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0
