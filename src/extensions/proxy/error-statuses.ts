import {
  ApiError,
  AuthenticationError,
  type Charged,
  CreditBudgetError,
  type InvalidRequestError,
  InvalidResponseError,
  PermissionDeniedError,
  SocialSearchError,
} from '../../errors/index.ts'
import { ProxyRefusal, type RefusalCode, type RefusalFields } from './request-refusal.ts'

/** The client's own errors that the browser may see, with the status and the code of each. Others may name internal hosts. */
const ownErrors: {
  readonly [Code in SocialSearchError['code']]?: readonly [status: number, code: RefusalCode]
} = {
  invalid_request: [400, 'validation_error'],
  connection: [502, 'connection_failed'],
  timeout: [504, 'timed_out'],
  redirect: [502, 'redirected'],
  credit_budget: [402, 'budget_exceeded'],
  budget_exceeded: [402, 'budget_exceeded'],
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

/** The status, code and message of a call that failed; null stands for an error that the browser may not see. */
export function refusalOf(error: SocialSearchError | null, charged: Charged, isWrite: boolean): ProxyRefusal {
  if (error === null) {
    const fields = { charged: isWrite ? ('unknown' as const) : charged }
    return new ProxyRefusal(500, 'internal_error', 'the proxy failed', fields)
  }
  const fields = { charged: error.applied ?? error.charged }
  // The client behind the proxy adds the operation to the message again.
  const message = error.message.replace(`${error.operation}: `, '')
  if (error instanceof ApiError) {
    const { status, code, issues, retryAfter } = error
    if (refusesProxy(error)) {
      const reason = `the service refused the proxy with ${status}; only the operator of the proxy can fix this`
      return new ProxyRefusal(502, 'service_refused_proxy', reason, fields)
    }
    const isError = status >= 400 && status < 600
    // The page of a gateway may name internal hosts.
    const words = error.gateway ? `the answer ${status} is not the service's own` : message
    return new ProxyRefusal(isError ? status : 502, code, words, { ...fields, issues, retryAfter })
  }
  const { issues = [] } = error as Partial<InvalidRequestError>
  const [status, code] = ownErrors[error.code] ?? [500, 'internal_error']
  const isNetwork = error.code === 'connection'
  const words = isNetwork ? 'the connection between the proxy and the service failed' : message
  return new ProxyRefusal(status, code, words, { ...fields, issues, budget: budgetOf(error) })
}

/** The name of the budget stays here. */
function budgetOf(error: SocialSearchError): RefusalFields['budget'] {
  if (!(error instanceof CreditBudgetError)) return undefined
  const { needed, remaining, resetsAt } = error
  return { needed, remaining, resetsAt }
}
