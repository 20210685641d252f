import type { Issue } from '../../api/issues.ts'
import type { Charged } from '../../errors/index.ts'

/** What an error response may tell besides status, code and message. */
export interface RefusalFields {
  readonly issues?: readonly Issue[]
  /** Seconds. */
  readonly retryAfter?: number | undefined
  readonly headers?: Record<string, string>
  /** Whether the call was charged, or for a write, applied. Default `no`. */
  readonly charged?: Charged
}

/** Ends a request with a response in the service's error format. */
export class ProxyRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly fields: RefusalFields

  constructor(status: number, code: string, message: string, fields: RefusalFields = {}) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
  }
}
