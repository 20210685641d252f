import { isA } from '../lib/thrown.ts'
import { SocialSearchError } from './index.ts'

/** Causes that a process logs; a message may repeat a part of what was received. */
const maxCauses = 100

/**
 * Makes a function that logs each cause of a failure once. Only messages of this package are known to contain no secret; of
 * other errors it logs the class.
 *
 * @param source Where other errors come from.
 */
export function logOnce(source: string): (failure: string, error: unknown) => void {
  const logged = new Set<string>()
  return (failure, error) => {
    const kind = isA(error, Error) ? error.constructor.name : typeof error
    const cause = `${kind}: ${error instanceof SocialSearchError ? error.message : source}`
    if (logged.has(cause) || logged.size === maxCauses) return
    logged.add(cause)
    console.error(`${failure}; ${cause} (pass onError to see each error)`)
  }
}
