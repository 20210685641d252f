import pRetry from 'p-retry'
import type { Lease } from '../../limits/interface.ts'
import { attempt } from './attempt.ts'
import type { Answer, Call } from './call.ts'
import { waitForRetry } from './wait-for-retry.ts'

/** Runs a call: it queues, makes attempts until one succeeds or the retry policy stops, and closes. */
export async function run(call: Call): Promise<Answer> {
  try {
    // Outside pRetry, which would double the memory of a call that waits.
    let lease = call.take(await queue(call))
    return await pRetry(() => attempt(call, lease), {
      retries: Infinity,
      minTimeout: 0,
      shouldRetry: async ({ error }) => {
        if (!(await waitForRetry(call, error))) return false
        lease = call.take(await queue(call))
        return true
      },
    })
  } catch (error) {
    throw call.errorOf(error)
  } finally {
    call.close()
  }
}

/** Waits in the queue for a lease. Without a budget or provider to ask, calls made together keep their order. */
function queue(call: Call): Promise<Lease> {
  const { credential } = call.client
  call.throwIfAborted()
  if (credential.fixed === undefined || call.settings.budgets.length > 0) return prepareAndQueue(call)
  call.purchase.reserve()
  call.token = credential.fixed
  return acquire(call)
}

/** Reserves credits and gets the token before the call queues, so that a slow budget or provider holds no slot. */
async function prepareAndQueue(call: Call): Promise<Lease> {
  await call.race(() => call.purchase.reserveInBudgets())
  await updateToken(call)
  const lease = await acquire(call)
  if (lease.queued + lease.paced <= staleMs) return lease
  try {
    await updateToken(call)
    return lease
  } catch (error) {
    call.tell(() => lease.release())
    throw error
  }
}

function acquire(call: Call): Promise<Lease> {
  // It may have been aborted just after its token came.
  call.throwIfAborted()
  call.enterQueue()
  return call.client.limiter.acquire(call)
}

/** After this time in the queue, in milliseconds, a call asks for its token again: it may have been refreshed. */
const staleMs = 1000

async function updateToken(call: Call): Promise<void> {
  call.token = await call.race(() => call.client.credential.token(() => call.context()))
}
