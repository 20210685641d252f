import {
  type ApiErrorCode,
  type BudgetRefusal,
  type Charged,
  type InvalidRequestError,
  ApiError,
  AuthenticationError,
  CreditBudgetError,
  InvalidResponseError,
  PermissionDeniedError,
  SocialSearchError,
  budgetText,
} from '../../errors/index.ts'
import type { Budget } from '../../index.ts'
import type { ClientTransport } from '../../extend.ts'
import type { Issue } from '../../api/issues.ts'

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

/**
 * The status, code and message of a call that failed.
 *
 * @param error Null stands for an error that the browser may not see.
 */
export function refusalOf(
  error: SocialSearchError | null,
  charged: Charged,
  isWrite: boolean,
  owner: BudgetOwner,
): ProxyRefusal {
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
  if (error instanceof CreditBudgetError) return budgetRefusal(error, owner)
  const { issues = [] } = error as Partial<InvalidRequestError>
  const [status, code] = ownErrors[error.code] ?? [500, 'internal_error']
  const isNetwork = error.code === 'connection'
  const words = isNetwork ? 'the connection between the proxy and the service failed' : message
  return new ProxyRefusal(status, code, words, { ...fields, issues })
}

/** Says whose budget refused the call. Its name stays here, and so does what the calls of other users have reserved. */
function budgetRefusal(error: CreditBudgetError, { asked }: BudgetOwner): ProxyRefusal {
  const { needed, remaining, resetsAt, bound } = error
  // A proxy behind this one counts all users of this one as its own user.
  const whose = error.code === 'budget_exceeded' ? 'all' : asked
  const time = resetsAt === undefined ? null : (new Date(resetsAt).toJSON() as string | null)
  const resets = time === null ? '' : ` (resets ${time.slice(0, 16).replace('T', ' ')} UTC)`
  const message = budgetText(
    { needed, remaining, bound, reserved: whose === 'user' ? error.reserved : undefined },
    {
      budget: `${whose === 'user' ? 'your budget' : 'the budget for all users'}${resets}`,
      option: (name) => `\`${name}\``,
    },
  )
  return new ProxyRefusal(402, 'budget_exceeded', message, { budget: { needed, remaining, resetsAt, whose } })
}

/** Notes whose budget a call asks: first those of the client, which all users share, then that of the user. */
export class BudgetOwner {
  /** Whose budget was asked last. */
  asked: 'all' | 'user' = 'all'

  /** A transport whose calls must fit into the user's budget, too. */
  limited(transport: ClientTransport, budget: Budget | undefined): ClientTransport {
    if (budget === undefined) return transport
    const budgets = [this.#note('user'), budget, this.#note('all')]
    return budgets.reduce((limited, budget) => limited.withOptions({ budget }), transport)
  }

  #note(owner: 'all' | 'user'): Budget {
    const renew = (): void => {
      this.asked = owner
    }
    return {
      reserve() {
        renew()
        return { renew, settle() {} }
      },
    }
  }
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
