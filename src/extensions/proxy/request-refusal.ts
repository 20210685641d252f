import type { Issue } from '../../api/issues.ts'
import type { ApiErrorCode, BudgetRefusal, Charged } from '../../errors/index.ts'

/** What an error response may tell besides status, code and message. */
export interface RefusalFields {
  readonly issues?: readonly Issue[]
  /** Seconds. */
  readonly retryAfter?: number | undefined
  readonly headers?: Record<string, string>
  /** Whether the call was charged, or for a write, applied. Default `no`. */
  readonly charged?: Charged
  /** Why a budget refused the call, for a page's `CreditBudgetError`. */
  readonly budget?: Pick<BudgetRefusal, 'needed' | 'remaining' | 'resetsAt' | 'whose'> | undefined
}

/** Nobody reads `caller_left`. */
export type RefusalCode = ApiErrorCode | 'budget_exceeded' | 'caller_left'

/** Ends a request with a response in the service's error format. */
export class ProxyRefusal extends Error {
  readonly status: number
  readonly code: RefusalCode
  readonly fields: RefusalFields

  constructor(status: number, code: RefusalCode, message: string, fields: RefusalFields = {}) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
  }
}
