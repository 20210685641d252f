import pRetry from 'p-retry'
import { noticeWait } from '../../lib/wait-notice.ts'
import type { Lease } from '../../limits/interface.ts'
import { Failure } from '../retry/failure.ts'
import { attempt } from './attempt.ts'
import type { Answer, Call } from './call.ts'

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
    lease.release()
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

/** Waits until the next attempt is due; resolves with false if the call does not retry. */
async function waitForRetry(call: Call, failure: Error): Promise<boolean> {
  if (!(failure instanceof Failure)) return false
  const { isTokenRefreshed, client } = call
  const { wait = null } = failure
  const mayRefresh = !isTokenRefreshed && client.credential.refreshable && call.canSendWithin(0)
  if (failure.kind === 'unauthorized' && mayRefresh) return refreshToken(call)
  if (wait === null || !call.canSendWithin(wait)) return false
  call.log('info', 'retrying', { waitMs: Math.round(wait) })
  // The 429 closed the surface: the call waits in its queue, ahead of new calls.
  if (failure.kind === 'rate-limited') return true
  if (call.observer) call.observer.report('retry', wait)
  else noticeWait(call, { reason: 'retry', ms: wait })
  await call.sleep(wait)
  const latest = call.attempts.at(-1)
  if (latest) latest.waited = wait
  return true
}

/** Refreshes a refused token; resolves with whether the call retries. */
async function refreshToken(call: Call): Promise<boolean> {
  const refreshing = call.client.credential.refresh(call.token ?? '')
  // A call without attempts left does not wait for the refresh; the next call reports its failure.
  refreshing.catch(() => {})
  if (call.attempts.length >= call.settings.retry.maxAttempts) return false
  call.isTokenRefreshed = true
  // A refused token does not count as a failed attempt.
  call.failures = call.failures.slice(0, -1)
  await call.race(() => refreshing)
  return true
}
