import pRetry from 'p-retry'
import type { Lease } from '../../limits/limiter.ts'
import { attempt } from './attempt.ts'
import type { Answer, Call } from './call.ts'
import { waitForRetry } from './wait-for-retry.ts'

/** Runs a call: it queues, makes attempts until one succeeds or the retry policy stops, and closes. */
export async function run(call: Call): Promise<Answer> {
  try {
    // Outside pRetry, which would double the memory of a call that waits.
    let lease = await queue(call)
    return await pRetry(() => attempt(call, lease), {
      retries: Infinity,
      minTimeout: 0,
      shouldRetry: async ({ error }) => {
        if (!(await waitForRetry(call, error))) return false
        lease = await queue(call)
        return true
      },
    })
  } catch (error) {
    throw call.errorOf(error)
  } finally {
    call.close()
  }
}

/** Reserves credits and gets the token, so that a slow budget or provider holds no slot; then waits for a lease. */
async function queue(call: Call): Promise<Lease> {
  const { credential } = call.client
  call.throwIfAborted()
  // Without a budget to ask, a call queues at once: calls made together keep their order.
  if (call.settings.budgets.length === 0) call.purchase.reserve()
  else await call.race(() => call.purchase.reserveInBudgets())
  if (credential.fixed === undefined) await updateToken(call)
  else call.token = credential.fixed
  const lease = await call.enterQueue()
  try {
    // The token may have been refreshed since.
    if (credential.fixed === undefined && lease.queued + lease.paced > staleMs) await updateToken(call)
    call.throwIfAborted()
    return lease
  } catch (error) {
    lease.release()
    throw error
  }
}

/** After this time in the queue, in milliseconds, a call asks for its token again. */
const staleMs = 1000

async function updateToken(call: Call): Promise<void> {
  call.token = await call.race(() => call.client.credential.token())
}
