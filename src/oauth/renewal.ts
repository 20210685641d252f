import { now, sleep } from '../core/lib/time.ts'
import { OAuthError } from '../errors.ts'
import type { Protocol } from './protocol.ts'
import type { TokenSet } from './store.ts'

/** Most requests of one refresh. */
const maxAttempts = 3

/** Longest wait between two of them, in milliseconds; whoever asks for more is left alone until a call comes again. */
const maxWaitMs = 10_000

/**
 * Gets new tokens. What provably was not processed is repeated: it left the refresh token as it was.
 *
 * @throws {OAuthError}
 */
export async function renew(protocol: Protocol, tokens: TokenSet, refreshToken: string): Promise<TokenSet> {
  for (let attempt = 1; ; attempt++) {
    try {
      const renewed = await protocol.refresh(refreshToken)
      // A server that does not rotate refresh tokens, or keeps the scopes, need not repeat them.
      return { refreshToken, ...(tokens.scope !== undefined && { scope: tokens.scope }), ...renewed }
    } catch (error) {
      const wait = error instanceof OAuthError && isPassing(error) ? waitOf(error, attempt) : Infinity
      if (attempt === maxAttempts || wait > maxWaitMs) throw error
      await sleep(wait)
    }
  }
}

/** Whether the refresh token may have been used up without its successor having arrived. */
export function isLost(error: unknown): boolean {
  return !(error instanceof OAuthError) || error.processed === 'unknown'
}

function isPassing({ processed, reason, status = 0 }: OAuthError): boolean {
  const said = reason === 'unreachable' || reason === 'temporarily_unavailable'
  return processed === 'no' && (said || status === 429 || status >= 500)
}

function waitOf({ retryAfter = 0 }: OAuthError, attempt: number): number {
  // Processes that fail together should not come back together.
  return Math.max(retryAfter * 1000, 500 * attempt * (1 + Math.random()))
}

/** Time in which one renewal that failed is enough, while the old token works. */
export class Pause {
  #until = -Infinity

  get holds(): boolean {
    return now() < this.#until
  }

  start(error: unknown): void {
    const { retryAfter = 0 } = error instanceof OAuthError ? error : {}
    this.#until = now() + Math.max(retryAfter * 1000, maxWaitMs)
  }
}
