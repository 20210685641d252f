import type { AttemptFailure } from './attempt-failure.ts'
import type { Call } from './call.ts'

/** Waits until the next attempt is due; resolves with false if the call does not retry. */
export async function waitForRetry(call: Call, failure: AttemptFailure): Promise<boolean> {
  if (mayRefreshToken(call, failure)) return refreshToken(call)
  const { wait } = call
  if (wait === null || !call.canSendWithin(wait)) return false
  call.log('info', 'retrying', { waitMs: Math.round(wait) })
  // The 429 closed the surface: the call waits in its queue, ahead of new calls.
  if (failure.kind === 'rate-limited') return true
  call.observer?.report('retry', wait)
  await call.sleep(wait)
  const latest = call.attempts.at(-1)
  if (latest) latest.waited = wait
  return true
}

function mayRefreshToken(call: Call, { kind }: AttemptFailure): boolean {
  if (kind !== 'unauthorized') return false
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
