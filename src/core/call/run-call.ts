import { ApiError } from '../../errors.ts'
import type { Lease } from '../../limits/limiter.ts'
import { attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Answer, Call, Success } from './call.ts'

/** Runs a call when it leaves the queue for the first time, and settles the caller's promise. */
export function runCall(call: Call, lease: Lease | null, reason?: unknown): void {
  if (lease !== null) {
    call.resolve(answerOf(call, lease))
    return
  }
  call.reject(call.errorOf(reason))
  call.close()
}

/** Makes the attempts of a call; rejects with the error that the caller gets. */
async function answerOf(call: Call, lease: Lease): Promise<Answer> {
  try {
    const success = await makeAttempts(call, lease)
    const { spent, uncertain } = call.purchase
    return { ...success, attempts: call.attempts, credits: { spent, uncertain } }
  } catch (failure) {
    throw call.errorOf(failure)
  } finally {
    call.close()
  }
}

/** Makes attempts until one succeeds or the retry policy stops. */
async function makeAttempts(call: Call, first: Lease): Promise<Success> {
  for (let lease = first; ;) {
    if (call.settings.credential.fixed === undefined) await updateStaleToken(call, lease)
    try {
      return await attempt(call, lease)
    } catch (failure) {
      if (!(failure instanceof AttemptFailure) || !(await waitForRetry(call, failure))) throw failure
    }
    await prepare(call)
    lease = await new Promise((resolve, reject) => {
      call.enterQueue((_, next, reason) => (next === null ? reject(reason) : resolve(next)))
    })
  }
}

/**
 * Reserves credits and gets the token before the call queues, so that a slow budget or provider holds no slot.
 *
 * @returns undefined if both are available synchronously.
 */
export function prepare(call: Call): Promise<void> | undefined {
  const reserving = call.purchase.reserve()
  const { credential } = call.settings
  if (reserving === undefined && credential.fixed !== undefined) {
    call.token = credential.fixed
    return undefined
  }
  return call.race(async () => {
    await reserving
    call.token = await credential.token()
  })
}

/** After this time in the queue, in milliseconds, a call asks for its token again: it may have been refreshed. */
const staleMs = 1000

async function updateStaleToken(call: Call, lease: Lease): Promise<void> {
  if (lease.queued + lease.paced <= staleMs) return
  try {
    call.token = await call.race(() => call.settings.credential.token())
  } catch (error) {
    lease.release()
    throw error
  }
}

/** Waits until the next attempt is due; resolves with false if the call does not retry. */
async function waitForRetry(call: Call, failure: AttemptFailure): Promise<boolean> {
  if (mayRefreshToken(call, failure)) return refreshToken(call)
  const { wait } = call
  if (failure.kind === 'final' || wait === null || !call.canSendWithin(wait)) return false
  call.log('info', 'retrying', { waitMs: Math.round(wait) })
  // The 429 closed the surface: the call waits in its queue, ahead of new calls.
  if (failure.kind === 'rate-limited') return true
  call.observer?.report('retry', wait)
  await call.sleep(wait)
  const latest = call.attempts.at(-1)
  if (latest) latest.waited = wait
  return true
}

function mayRefreshToken(call: Call, { error }: AttemptFailure): boolean {
  if (!(error instanceof ApiError) || error.status !== 401) return false
  return !call.isTokenRefreshed && call.settings.credential.refreshable && call.canSendWithin(0)
}

/** Refreshes a refused token; resolves with whether the call retries. */
async function refreshToken(call: Call): Promise<boolean> {
  const { credential, retry } = call.settings
  const refreshing = credential.refresh(call.token ?? '')
  // A call without attempts left does not wait for the refresh; the next call reports its failure.
  refreshing.catch(() => {})
  if (call.attempts.length >= retry.maxAttempts) return false
  call.isTokenRefreshed = true
  // A refused token does not count as a failed attempt.
  call.failures = call.failures.slice(0, -1)
  await call.race(() => refreshing)
  return true
}
