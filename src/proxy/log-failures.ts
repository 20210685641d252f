import { SocialSearchError } from '../errors.ts'
import { isPublicError } from './responses.ts'

/**
 * Makes the default `onError`: it logs each cause of a 500 once, since the response does not name it. Only messages of this
 * package are known to hold no secret; of other errors it logs the class alone.
 */
export function logFailures(): (error: unknown, failure: { readonly operation: string }) => void {
  const logged = new Set<string>()
  return (error, { operation }) => {
    if (isPublicError(error)) return
    const type = error instanceof Error ? error.constructor.name : typeof error
    const message =
      error instanceof SocialSearchError ? error.message : 'thrown by authorize, budget or the client'
    const cause = `${type}: ${message}`
    if (logged.has(cause)) return
    logged.add(cause)
    console.error(`the proxy responded to ${operation} with 500; ${cause}; pass onError to see each error`)
  }
}
