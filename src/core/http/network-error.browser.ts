import type { NetworkFailure } from './network-error.ts'

/** Reads an error from fetch. A browser hides why a connection failed, so the request may have been sent. */
export function readNetworkFailure(error: unknown): NetworkFailure {
  const { message } = (error ?? {}) as { message?: unknown }
  return { phase: 'exchange', reason: typeof message === 'string' && message ? message : 'no reason given' }
}
