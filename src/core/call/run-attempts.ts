import { ApiError } from '../../errors.ts'
import type { Lease } from '../limits/limiter.ts'
import { stakeOf } from '../retry/policy.ts'
import { RetryState } from '../retry/retry-state.ts'
import { retrying } from '../retry/retry.ts'
import { attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Call } from './call.ts'
import type { Success } from './read-answer.ts'

/** Time in the queue after which the token is asked for again, in milliseconds: it may have been renewed meanwhile. */
const staleMs = 1000

/**
 * Sets credits aside and gets the token, ahead of the queue, since both may take their time and should hold no slot.
 *
 * @returns undefined if both are there at once.
 */
export function prepare(call: Call): Promise<void> | undefined {
  const covered = call.purchase.cover()
  const { fixed } = call.settings.credential
  if (covered !== undefined || fixed === undefined) return call.race(() => finishPreparing(call, covered))
  call.token = fixed
  return undefined
}

async function finishPreparing(call: Call, covered: Promise<void> | undefined): Promise<void> {
  await covered
  call.token = await call.settings.credential.token()
}

/** Makes attempts until one succeeds, or the retry policy allows no other; rejects with the last failure. */
export function runAttempts(call: Call, first: Lease): Promise<Success> {
  const retries = new RetryState(call.settings.retry, stakeOf(call.operation))
  let granted: Lease | undefined = first
  return retrying(
    async () => {
      const lease = granted ?? (await nextLease(call))
      granted = undefined
      if (lease.queued + lease.paced > staleMs) await askForTokenAgain(call, lease)
      return attempt(call, lease, retries)
    },
    async (error) => error instanceof AttemptFailure && isRetried(call, error, retries),
  )
}

async function nextLease(call: Call): Promise<Lease> {
  try {
    await prepare(call)
    return await new Promise((granted, refused) => call.queue(granted, refused))
  } catch (error) {
    throw AttemptFailure.final(error)
  }
}

async function askForTokenAgain(call: Call, lease: Lease): Promise<void> {
  const { credential } = call.settings
  if (credential.fixed !== undefined) return
  try {
    call.token = await call.race(() => credential.token())
  } catch (error) {
    lease.release()
    throw AttemptFailure.final(error)
  }
}

/** Decides whether there is a next attempt, and waits until it is due. */
async function isRetried(call: Call, failure: AttemptFailure, retries: RetryState): Promise<boolean> {
  const { operation, attempts, settings } = call
  call.phase = 'wait'
  if (mayRenew(call, failure, retries)) return renew(call, retries)
  const wait = failure.kind === 'final' ? null : retries.wait
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

function mayRenew(call: Call, { error }: AttemptFailure, { renewed }: RetryState): boolean {
  if (renewed || !call.settings.credential.refreshable || !call.hasTime(0)) return false
  return error instanceof ApiError && error.status === 401
}

/** Gets a new token in place of a refused one; resolves with whether the call goes on with it. */
async function renew(call: Call, retries: RetryState): Promise<boolean> {
  const { credential, retry } = call.settings
  const renewal = credential.refresh(call.token ?? '')
  // A call that does not wait for it leaves its failure to the next one.
  renewal.catch(() => {})
  if (call.attempts.length >= retry.maxAttempts) return false
  retries.renew()
  await call.race(() => renewal)
  return true
}
