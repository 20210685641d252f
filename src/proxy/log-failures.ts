import { logOnce } from '../errors/report.ts'
import { isPublicError } from './responses.ts'

/** Makes the default `onError`: it logs each cause of a 500 once, since the response does not name it. */
export function logFailures(): (error: unknown, failure: { readonly operation: string }) => void {
  const log = logOnce('thrown by authorize, budget or the client')
  return (error, { operation }) => {
    if (!isPublicError(error)) log(`the proxy responded to ${operation} with 500`, error)
  }
}
