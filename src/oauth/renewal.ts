import { sleep } from '../lib/time.ts'
import { OAuthError } from '../errors/index.ts'
import type { TokenSet } from './store.ts'

/** Maximum number of requests for one refresh. */
const maxAttempts = 3

/** Longest wait between them, in milliseconds. If the server asks for more, the refresh fails. */
const maxWaitMs = 10_000

/**
 * Gets new tokens in place of `tokens`. Retries a request that the server provably did not process: its refresh token is
 * still valid.
 *
 * @throws {OAuthError}
 */
export async function renew(tokens: TokenSet, send: () => Promise<TokenSet>): Promise<TokenSet> {
  const { refreshToken, scope } = tokens
  for (let attempt = 1; ; attempt++) {
    try {
      const renewed = await send()
      // The server may omit an unchanged refresh token or scope.
      return { refreshToken, ...(scope !== undefined && { scope }), ...renewed }
    } catch (error) {
      const wait = error instanceof OAuthError && isTemporary(error) ? retryDelay(error, attempt) : Infinity
      if (attempt === maxAttempts || wait > maxWaitMs) throw error
      await sleep(wait)
    }
  }
}

/** Whether the refresh token may have been used without the new one arriving. */
export function mayHaveUsedRefreshToken(error: unknown): boolean {
  return !(error instanceof OAuthError) || error.processed === 'unknown'
}

function isTemporary({ processed, reason, status = 0 }: OAuthError): boolean {
  const isUnavailable = reason === 'unreachable' || reason === 'temporarily_unavailable'
  return processed === 'no' && (isUnavailable || status === 429 || status >= 500)
}

function retryDelay({ retryAfter = 0 }: OAuthError, attempt: number): number {
  // Random, so that processes that fail together do not retry together.
  return Math.max(retryAfter * 1000, 500 * attempt * (1 + Math.random()))
}

/** A pause after a failed early renewal, while the old token still works. */
export class RenewalPause {
  #until = -Infinity

  get isActive(): boolean {
    return performance.now() < this.#until
  }

  start(error: unknown): void {
    const { retryAfter = 0 } = error instanceof OAuthError ? error : {}
    this.#until = performance.now() + Math.max(retryAfter * 1000, maxWaitMs)
  }
}
