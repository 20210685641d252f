import { builtin } from '../../lib/builtin.ts'

/**
 * Errors of connections that Node could not open, TLS handshake included. No request was sent on them. Their codes do not say so: a
 * reset or a TLS alert may also come later.
 */
let failed: WeakSet<object> | undefined

/** Node publishes each before its requests fail with it. Called before a request is sent; other runtimes publish nothing. */
export function watchConnectErrors(): void {
  if (failed !== undefined) return
  const errors = (failed = new WeakSet())
  builtin('node:diagnostics_channel')
    ?.channel('undici:client:connectError')
    .subscribe((message) => void errors.add((message as { error: object }).error))
}

export function isConnectError(error: object): boolean {
  return failed?.has(error) === true
}
