/** One process of a fleet: calls as often as its limiter lets it, until it is ended. */
import { once } from 'node:events'
import { SocialSearch } from '../../src/index.ts'
import { SharedLimiter } from '../../src/extensions/shared/index.ts'
import type { Limits } from '../../src/limits/interface.ts'
import { type Package, openStore } from '../../test/redis/clients.ts'

/** What a worker is started with. */
export interface WorkerSetup {
  readonly name: string
  readonly store: Package | 'postgres'
  readonly storeUrl: string
  readonly organization: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly limits: Limits
  /** Calls that wait at a time. */
  readonly calls: number
}

const setup = JSON.parse(process.argv[2] ?? '') as WorkerSetup
const { baseUrl, apiKey, organization, limits } = setup
const { store } = await openStore(setup.store, setup.storeUrl)
const limiter = new SharedLimiter({ store, organization, limits, logger: false })
const client = new SocialSearch({ baseUrl, apiKey, limiter, logger: false })

process.send?.('ready')
await once(process, 'message')
await Promise.all(Array.from({ length: setup.calls }, call))

async function call(): Promise<never> {
  for (;;) await client.microblog.search({ query: setup.name, count: 1 })
}
