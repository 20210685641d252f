import { redisStore, SharedBudget, type SharedBudgetOptions } from '../../src/extensions/shared/index.ts'
import type { Connection, Package } from './clients.ts'
import { newConnection } from './workers.ts'

let budgets = 0
export const newName = () => `budget ${++budgets}`

/** A budget in the Redis of the file, on its own connection. */
export async function open(
  name: string,
  limit: number,
  { client, ...options }: Partial<SharedBudgetOptions> & { client?: Package } = {},
  wrap = (client: Connection['client']) => client,
) {
  const connection = await newConnection(client)
  const store = redisStore(wrap(connection.client))
  return { connection, budget: new SharedBudget({ store, name, limit, ...options }) }
}

type Send = () => Promise<unknown>

/** How a network may fail: before a command arrives, or after it was run. */
export const failures = {
  before: () => Promise.reject(new Error('the network failed')),
  after: async (send: Send) => {
    await send()
    throw new Error('the network failed')
  },
}
export const works = (send: Send) => send()
