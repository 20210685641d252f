import ky, { HTTPError } from 'ky'
import pLimit from 'p-limit'
import pRetry from 'p-retry'
import * as z from 'zod/mini'
import { type CreatePeer, path } from './peer.ts'
import { searchBody, searchParams } from './schemas.ts'

/** ky, p-retry, p-limit and zod/mini, carefully composed without further layers. */
export const create: CreatePeer = ({ baseUrl, apiKey, fetch }) => {
  const api = ky.create({
    prefix: baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    retry: 0,
    timeout: 30_000,
    ...(fetch && { fetch }),
  })
  const limit = pLimit(2)

  return {
    search(params, signal) {
      const json = z.parse(searchParams, params)
      const post = async () => {
        signal?.throwIfAborted()
        return z.parse(searchBody, await api.post(path, { json, ...(signal && { signal }) }).json())
      }
      const answer = pRetry(() => limit(post), {
        retries: 4,
        minTimeout: 0,
        signal,
        shouldRetry: ({ error, attemptNumber }) => passes(error, attemptNumber, signal),
      })
      return signal === undefined ? answer : orAborted(answer, signal)
    },
  }
}

/** Whether to retry; waits as the service announces, or with growing backoff. */
async function passes(error: Error, attempt: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (!(error instanceof HTTPError) || ![429, 503].includes(error.response.status)) return false
  const seconds = Number(error.response.headers.get('retry-after') ?? 2 ** (attempt - 1))
  await orAborted(new Promise((resolve) => setTimeout(resolve, seconds * 1000)), signal)
  return true
}

/** p-limit keeps an aborted call until its turn; this rejects it at once. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
