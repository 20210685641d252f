import type { NetworkFailure, Server } from './network-error.ts'

/** Explains an error from fetch. A browser hides why a connection failed, so the request may have been sent. */
export function explainNetworkError(
  error: unknown,
  { redactor }: Server,
): NetworkFailure & { message: string } {
  const { message } = (error ?? {}) as { message?: unknown }
  const said = typeof message === 'string' && message ? message : 'no reason given'
  const reason = redactor.text(said).slice(0, 200)
  return {
    phase: 'exchange',
    reason,
    message: `the connection failed after the request was sent (${reason}); a browser does not say why: the server may be down, or refuse this origin (CORS)`,
  }
}
