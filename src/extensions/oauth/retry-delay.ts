import { OAuthError } from '../../errors/index.ts'

/** Maximum number of requests for one refresh. */
const maxAttempts = 3

/** Longest wait between them, in milliseconds. If the server asks for more, the refresh fails. */
const maxWaitMs = 10_000

/**
 * How long to wait before the next attempt, in milliseconds; undefined if there is none. The server provably did not
 * process the failed one, so its refresh token is still valid.
 */
export function retryDelay(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof OAuthError) || !isTemporary(error) || attempt === maxAttempts) return undefined
  const { retryAfter = 0 } = error
  // Random, so that processes that fail together do not retry together.
  const delay = Math.max(retryAfter * 1000, 500 * attempt * (1 + Math.random()))
  return delay > maxWaitMs ? undefined : delay
}

/** Whether the refresh token may have been used without the new one arriving. */
export function mayHaveUsedRefreshToken(error: unknown): boolean {
  return !(error instanceof OAuthError) || error.processed === 'unknown'
}

function isTemporary({ processed, reason, status = 0 }: OAuthError): boolean {
  const isUnavailable = reason === 'unreachable' || reason === 'temporarily_unavailable'
  return processed === 'no' && (isUnavailable || status === 429 || status >= 500)
}

/** How long to pause after a failed early renewal, in milliseconds: the old token still works. */
export function renewalPauseMs(error: unknown): number {
  const { retryAfter = 0 } = error instanceof OAuthError ? error : {}
  return Math.max(retryAfter * 1000, maxWaitMs)
}
