import { ApiError } from '../../errors.ts'
import type { AttemptFailure } from './attempt-failure.ts'
import type { Call } from './call.ts'

/** Decides whether there is a next attempt, and waits until it is due. */
export async function isRetried(call: Call, failure: AttemptFailure): Promise<boolean> {
  const { operation, attempts, settings } = call
  call.phase = 'wait'
  if (mayRenew(call, failure)) return renew(call)
  const wait = failure.kind === 'final' ? null : call.retries.wait
  if (wait === null || !call.hasTime(wait)) return false
  settings.log?.('info', 'retrying', {
    ...{ operation: operation.id, attempt: attempts.length, waitMs: Math.round(wait) },
  })
  // The surface is closed for as long as a 429 asks; waiting there keeps the call's place in the queue.
  if (failure.kind === 'rate-limited') return true
  await call.sleep(wait)
  const latest = attempts.at(-1)
  if (latest) latest.waited = wait
  return true
}

function mayRenew(call: Call, { error }: AttemptFailure): boolean {
  if (!(error instanceof ApiError) || error.status !== 401) return false
  return !call.retries.isRenewed && call.settings.credential.refreshable && call.hasTime(0)
}

/** Gets a new token in place of a refused one; resolves with whether the call goes on with it. */
async function renew(call: Call): Promise<boolean> {
  const { credential, retry } = call.settings
  const renewal = credential.refresh(call.token ?? '')
  // A call that does not wait for it leaves its failure to the next one.
  renewal.catch(() => {})
  if (call.attempts.length >= retry.maxAttempts) return false
  call.retries.renew()
  await call.race(() => renewal)
  return true
}
