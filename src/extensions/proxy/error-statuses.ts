import {
  type Charged,
  type InvalidRequestError,
  type RefusedBudget,
  ApiError,
  AuthenticationError,
  CreditBudgetError,
  InvalidResponseError,
  PermissionDeniedError,
  SocialSearchError,
} from '../../errors/index.ts'
import { budgetTooLow, gatewayAnswered, notSent } from '../../errors/words.ts'
import type { Budget } from '../../index.ts'
import { type Issue, issuesText } from '../../api/issues.ts'

/** The client's own errors that the browser may see, with the status and the code of each. Others may name internal hosts. */
const ownErrors: {
  readonly [Code in SocialSearchError['code']]?: readonly [status: number, code: RefusalCode]
} = {
  invalid_request: [400, 'validation_error'],
  connection: [502, 'connection'],
  timeout: [504, 'timeout'],
  redirect: [502, 'redirect'],
  credit_budget: [402, 'credit_budget'],
  closed: [503, 'proxy_closed'],
}

/** Whether the browser may see an error: those of the service, the network and the limits. All others stay here. */
export function isPublicError(error: unknown): error is SocialSearchError {
  if (error instanceof ApiError || error instanceof InvalidResponseError) return true
  return error instanceof SocialSearchError && error.code in ownErrors
}

/** Whether the service, or a firewall, refused the proxy: nothing that the page can fix. */
export function refusesProxy(error: SocialSearchError): boolean {
  return error instanceof AuthenticationError || error instanceof PermissionDeniedError
}

/**
 * The status, code and message of a call that failed. The client behind the proxy says itself which call it was and what it cost.
 *
 * @param error Null stands for an error that the browser may not see.
 * @param userBudget That of the user, of all the budgets that a call must fit into.
 */
export function refusalOf(
  error: SocialSearchError | null,
  charged: Charged,
  isWrite: boolean,
  userBudget: Budget | undefined,
): ProxyRefusal {
  if (error === null) {
    const fields = { charged: isWrite ? ('unknown' as const) : charged }
    return new ProxyRefusal(500, 'internal_error', 'the proxy failed', fields)
  }
  const fields = { charged: error.applied ?? error.charged }
  if (error instanceof ApiError) {
    const { status, code, what, issues, retryAfter, gateway } = error
    if (refusesProxy(error)) {
      const reason = `the service refused the proxy with ${status}; tell the operator of the proxy`
      return new ProxyRefusal(502, 'service_refused_proxy', reason, fields)
    }
    const isError = status >= 400 && status < 600
    // The page of a gateway may name internal hosts.
    const words = gateway ? gatewayAnswered(status) : what
    return new ProxyRefusal(isError ? status : 502, code, words, { ...fields, issues, retryAfter })
  }
  if (error instanceof CreditBudgetError) return budgetRefusal(error, userBudget)
  const { issues = [], option } = error as Partial<InvalidRequestError>
  const [status, code] = ownErrors[error.code] ?? [500, 'internal_error']
  // It tells the client there that this is an error of the client here.
  const { phase = 'headers' } = error
  // What the page cannot set is no advice for it.
  const said = option === 'extraParams' ? notSent(issuesText(issues)) : error.what
  const words = error.code === 'connection' ? 'the connection between the proxy and the service failed' : said
  return new ProxyRefusal(status, code, words, { ...fields, issues, phase })
}

/** Says whose budget refused the call. Its name stays here, and so does what the calls of other users have reserved. */
function budgetRefusal(
  { budget, refusedBy }: CreditBudgetError,
  userBudget: Budget | undefined,
): ProxyRefusal {
  const { needed, remaining, resetsAt } = budget
  // Items are expected by the operator, not by the page.
  const bound = budget.bound ?? undefined
  const isOfUser = userBudget !== undefined && refusedBy === userBudget
  const reserved = isOfUser ? budget.reserved : undefined
  const message = budgetTooLow(
    { needed, remaining, bound, reserved, resetsAt },
    { budget: isOfUser ? 'your budget' : 'the budget for all users', option: (name) => `\`${name}\`` },
  )
  const whose = isOfUser ? 'user' : 'all'
  const told = { needed, remaining, resetsAt, whose } as const
  const advice =
    resetsAt === undefined && reserved === undefined ? '; the operator of the proxy can raise it' : ''
  return new ProxyRefusal(402, 'credit_budget', notSent(message + advice), { budget: told })
}

/** What an error response may tell besides status, code and message. */
export interface RefusalFields {
  readonly issues?: readonly Issue[]
  /** Seconds. */
  readonly retryAfter?: number | undefined
  readonly headers?: Record<string, string>
  /** Whether the call was charged, or for a write, applied. Default `no`. */
  readonly charged?: Charged
  /** Why a budget refused the call, for a page's `CreditBudgetError`. */
  readonly budget?: Pick<RefusedBudget, 'needed' | 'remaining' | 'resetsAt' | 'whose'> | undefined
  /** How far a request to the service came. */
  readonly phase?: SocialSearchError['phase']
}

/** Codes of `createProxy()` for what it refuses itself. A page has them as the `code` of an `ApiError`. */
export type ProxyErrorCode =
  | 'origin_not_allowed'
  | 'not_found'
  | 'operation_not_allowed'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'forbidden'
  | 'payload_too_large'
  | 'request_timeout'
  | 'service_refused_proxy'
  | 'proxy_closed'
  | 'internal_error'

/** Nobody reads `caller_left`. */
export type RefusalCode = SocialSearchError['code'] | ProxyErrorCode | 'caller_left'

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
