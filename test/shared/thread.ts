/** A thread that makes ten calls as fast as it may, and counts them where all threads see it. */
import { workerData } from 'node:worker_threads'
import { SharedBudget, SharedLimiter, sqliteStore } from '../../src/extensions/shared/index.ts'
import { queueRequest } from '../support/limiter.ts'

/** What a thread is started with. */
export interface ThreadSetup {
  readonly path: string
  /** Calls in flight, the most so far, and calls paid. */
  readonly counts: Int32Array
}

const { path, counts } = workerData as ThreadSetup
const store = sqliteStore(path)
const limiter = new SharedLimiter({ store, organization: 'threads', limits: { inFlight: 2 } })
const budget = new SharedBudget({ store, name: 'threads', limit: 25 })

await Promise.all(Array.from({ length: 10 }, call))
await limiter.close()
await budget.close()
store.close()

async function call(): Promise<void> {
  const lease = await limiter.acquire(queueRequest({ surface: null }))
  const inFlight = Atomics.add(counts, 0, 1) + 1
  if (inFlight > Atomics.load(counts, 1)) Atomics.store(counts, 1, inFlight)
  const reservation = await budget.reserve(1, 'any').catch(() => null)
  if (reservation !== null) {
    Atomics.add(counts, 2, 1)
    reservation.settle(1)
  }
  Atomics.sub(counts, 0, 1)
  lease.end()
}
