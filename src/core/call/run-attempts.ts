import pRetry from 'p-retry'
import { ApiError } from '../../errors.ts'
import type { Lease } from '../limits/limiter.ts'
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
  const { fixedToken } = call.settings
  if (covered !== undefined || fixedToken === undefined)
    return call.race(() => finishPreparing(call, covered))
  call.token = fixedToken
  return undefined
}

async function finishPreparing(call: Call, covered: Promise<void> | undefined): Promise<void> {
  const { credential, fixedToken } = call.settings
  await covered
  call.token = fixedToken === undefined ? await credential.token() : fixedToken
}

/** Makes attempts until one succeeds, or the retry policy allows no other; rejects with the last failure. */
export function runAttempts(call: Call, first: Lease): Promise<Success> {
  let granted: Lease | undefined = first
  return pRetry(
    async () => {
      const lease = granted ?? (await nextLease(call))
      granted = undefined
      if (lease.queued + lease.paced > staleMs) await askForTokenAgain(call, lease)
      return attempt(call, lease)
    },
    {
      retries: Infinity,
      // The policy of this package decides, and does the waiting.
      minTimeout: 0,
      shouldRetry: ({ error }) => error instanceof AttemptFailure && isRetried(call, error),
    },
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
  const { credential, fixedToken } = call.settings
  if (fixedToken !== undefined) return
  try {
    call.token = await call.race(() => credential.token())
  } catch (error) {
    lease.release()
    throw AttemptFailure.final(error)
  }
}

/** Decides whether there is a next attempt, and waits until it is due. */
async function isRetried(call: Call, failure: AttemptFailure): Promise<boolean> {
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
