import type { Log } from '../../lib/logger.ts'

/** Passes on what the service announces about the end of an operation: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
export class EndOfLife {
  readonly #told = new Set<string>()

  /** Logs it, once for each operation. */
  tell(operation: string, response: Response, log: Log | undefined): void {
    if (log === undefined || this.#told.has(operation)) return
    try {
      const [deprecation, sunset] = ['deprecation', 'sunset'].map((name) => response.headers.get(name))
      if (deprecation === null && sunset === null) return
      this.#told.add(operation)
      log('warn', 'the service announces the end of this call', { operation, deprecation, sunset })
    } catch {
      // The headers of a user's `fetch` may throw, after the call has been paid for.
    }
  }
}
