import { ApiError } from '../../errors.ts'
import type { AttemptFailure } from './attempt-failure.ts'
import type { Call } from './call.ts'

/** Decides whether there is a next attempt, and waits until it is due. */
export async function waitForRetry(call: Call, failure: AttemptFailure): Promise<boolean> {
  const { operation, attempts, settings } = call
  call.phase = 'wait'
  if (mayRenewToken(call, failure)) return renew(call)
  const wait = failure.kind === 'final' ? null : call.retries.wait
  if (wait === null || !call.canSendWithin(wait)) return false
  settings.log?.('info', 'retrying', {
    ...{ operation: operation.id, attempt: attempts.length, waitMs: Math.round(wait) },
  })
  // The surface is closed for as long as a 429 asks; waiting there keeps the call's place in the queue.
  if (failure.kind === 'rate-limited') return true
  call.observer?.tell('retry', wait)
  await call.sleep(wait)
  const latest = attempts.at(-1)
  if (latest) latest.waited = wait
  return true
}

function mayRenewToken(call: Call, { error }: AttemptFailure): boolean {
  if (!(error instanceof ApiError) || error.status !== 401) return false
  return !call.retries.isRenewed && call.settings.credential.refreshable && call.canSendWithin(0)
}

/** Refreshes a refused token; resolves with whether the call retries. */
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
