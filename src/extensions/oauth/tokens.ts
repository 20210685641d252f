import type { ReauthorizationReason } from '../../errors/index.ts'
import { isRecord, parsed } from '../../lib/json.ts'

/** The tokens of one authorization, as plain JSON. `accessToken` and `refreshToken` are secrets. */
export interface TokenSet {
  readonly accessToken: string
  /** Present if `offline_access` was granted, until the session ends. */
  readonly refreshToken?: string | undefined
  /** When the tokens were requested, in milliseconds of this machine's clock. */
  readonly obtainedAt: number
  /** When the access token expires, in milliseconds of this machine's clock; absent if the server did not say. */
  readonly expiresAt?: number | undefined
  /**
   * When a process began to send the refresh token, in milliseconds of the store's clock; absent once the response is known. After
   * a minute, that process has died, and the refresh token may be used up.
   */
  readonly refreshSentAt?: number | undefined
  /** Why the session ended; absent while it lasts. No process sends its access token any more. */
  readonly endReason?: ReauthorizationReason | undefined
}

/** The tokens in a text of a store: null if it is empty, undefined if it is not a set of tokens. */
export function tokensIn(text = ''): TokenSet | null | undefined {
  if (text === '') return null
  const tokens = parsed(text)
  const { accessToken, obtainedAt, refreshToken = accessToken } = isRecord(tokens) ? tokens : {}
  const areTexts = [accessToken, refreshToken].every((token) => typeof token === 'string' && token !== '')
  return areTexts && Number.isFinite(obtainedAt) ? (tokens as TokenSet) : undefined
}
