/** One process of a fleet: makes the calls that its parent hands out, and says what came of them. */
import { SocialSearch } from '../../src/index.ts'
import { SharedBudget, SharedLimiter, type SharedLimiterOptions } from '../../src/extensions/shared/index.ts'
import { type Package, openStore } from './clients.ts'

/** What a worker is started with. */
export interface WorkerSetup extends Pick<SharedLimiterOptions, 'limits'> {
  readonly name: Package | 'postgres'
  readonly storeUrl: string
  readonly organization: string
  readonly baseUrl: string
  readonly apiKey: string
  /** Credits of a budget that the fleet shares; none where it is left out. */
  readonly budget?: number
}

/** What a worker says of one call. */
export interface WorkerResult {
  readonly query: string
  readonly spent: number
  readonly uncertain: number
  /** What went wrong, for the test to show. */
  readonly error?: string
}

const setup = JSON.parse(process.argv[2] ?? '') as WorkerSetup
const { name, storeUrl, organization, baseUrl, apiKey, limits } = setup
const connection = await openStore(name, storeUrl)
// Longer than a test stops a process.
const common = { store: connection.store, storeTimeout: 6000 }
const limiter = new SharedLimiter({ ...common, organization, limits, lease: 2000 })
const budget =
  setup.budget === undefined
    ? undefined
    : new SharedBudget({ ...common, name: organization, limit: setup.budget, lease: 2000 })
const search = new SocialSearch({ baseUrl, apiKey, limiter, budget })

process.on('message', (query: string | null) => void (query === null ? stop() : call(query)))
process.send?.('ready')

async function call(query: string): Promise<void> {
  let result: WorkerResult
  try {
    const { credits } = await search.microblog.search({ query, count: 1 }).withResponse()
    result = { query, ...credits }
  } catch (error) {
    result = { query, spent: 0, uncertain: 0, error: JSON.stringify(error) }
  }
  process.send?.(result)
}

/** Closes what this worker opened; the process then exits if nothing else is open. */
async function stop(): Promise<void> {
  await search.close()
  await limiter.close()
  await budget?.close()
  connection.cut()
  process.disconnect()
}
