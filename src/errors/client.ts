import { type Issue, issuesText } from '../api/issues.ts'
import {
  type ErrorContext,
  SocialSearchError,
  nameClasses,
  setNonEnumerable,
  withoutUndefined,
} from './base.ts'
import { type ConnectionPhase, type RefusedBudget, type TimeoutPhase, mayFitLater } from './facts.ts'
import { budgetTooLow, clientClosed, invalidRequest } from './words.ts'

/**
 * An option is invalid. Thrown by a constructor, or by a call before it is sent.
 *
 * @example
 * if (error instanceof ConfigurationError) console.error(error.message)
 */
export class ConfigurationError extends SocialSearchError {
  declare readonly code: 'configuration'

  constructor(message: string, context?: ErrorContext) {
    super('configuration', message, context)
  }
}

/**
 * The params are invalid; `issues` says why. Nothing was sent or charged.
 *
 * @example
 * if (error instanceof InvalidRequestError) for (const { path, message } of error.issues) console.error(path, message)
 */
export class InvalidRequestError extends SocialSearchError {
  declare readonly code: 'invalid_request'
  /** The invalid fields, up to a hundred. */
  declare readonly issues: readonly Issue[]

  /** The option that sends them nevertheless, if there is one. */
  declare readonly option?: 'extraParams'

  /** @param context `subject`: the name of the invalid value, for an issue with an empty path. */
  constructor(
    issues: readonly Issue[],
    context: ErrorContext & { subject?: string; option?: 'extraParams' | undefined } = {},
  ) {
    const { subject = 'params', option } = context
    super('invalid_request', invalidRequest(issues, subject, option), context, { issues, option })
  }
}

/**
 * The connection failed, or broke before the response was complete. `charged` tells whether you may have paid.
 *
 * @example
 * if (error instanceof ConnectionError && error.charged === 'no') later() // nothing was sent
 */
export class ConnectionError extends SocialSearchError {
  declare readonly code: 'connection'
  /** `connect` and `tls`: nothing was sent. `exchange`: the request may have been processed. */
  declare readonly phase: ConnectionPhase
  /** The runtime's code, such as `ECONNRESET`, or its message. */
  declare readonly reason: string

  constructor(message: string, context: ErrorContext & { phase: ConnectionPhase; reason: string }) {
    const { phase, reason } = context
    super('connection', message, context, { phase, reason })
  }
}

/**
 * `timeout`, `deadline` or `maxQueueWait` has run out, or will. `phase` tells what the call was doing.
 *
 * @example
 * if (error instanceof TimeoutError && error.charged === 'no') later() // it cost nothing
 */
export class TimeoutError extends SocialSearchError {
  declare readonly code: 'timeout'
  /**
   * Where it ran out: in the queue, opening a connection, waiting for headers, reading the body, or between two attempts. `connect` only
   * on Node, without a `fetch` of your own.
   */
  declare readonly phase: TimeoutPhase
  /** The option that ended the call; absent if your own function did not answer. */
  declare readonly option?: 'timeout' | 'deadline' | 'maxQueueWait'
  /** Seconds until the call could be sent, if it failed at once because the wait would be too long. */
  declare readonly retryAfter?: number

  constructor(
    message: string,
    context: ErrorContext & {
      phase: TimeoutPhase
      option?: TimeoutError['option']
      waited?: number | undefined
      retryAfter?: number | undefined
    },
  ) {
    const { phase, option, waited, retryAfter } = context
    super('timeout', message, context, { phase, option, waited, retryAfter })
  }
}

/**
 * The response was a redirect. The client follows none, because that would send your key to another address.
 *
 * @example
 * if (error instanceof RedirectError) console.error('check baseUrl:', error.status)
 */
export class RedirectError extends SocialSearchError {
  declare readonly code: 'redirect'
  /** HTTP status; absent if the browser hides it. */
  declare readonly status?: number

  constructor(message: string, context?: ErrorContext & { status?: number | undefined }) {
    super('redirect', message, context, { status: context?.status })
  }
}

/**
 * A 2xx response is not JSON, or does not match the documented shape. You paid for it: it is in `body`.
 *
 * @example
 * if (error instanceof InvalidResponseError) salvage(error.body) // you paid for it
 */
export class InvalidResponseError extends SocialSearchError {
  declare readonly code: 'invalid_response'
  declare readonly body: unknown
  /** How the body differs from the documented shape, up to a hundred issues. */
  declare readonly issues: readonly Issue[]

  constructor(message: string, context: ErrorContext & { issues?: readonly Issue[] }) {
    const { issues = [] } = context
    const text = issues.length > 0 ? `${message}: ${issuesText(issues)}` : message
    super('invalid_response', text, context, { issues })
  }
}

/**
 * The call may cost more than the budget has left. Nothing was sent to the service. For comments, a lower `maxComments` may
 * help, and for reactions `expectedItems`.
 *
 * @example
 * if (error instanceof CreditBudgetError) console.log(`needs ${error.budget.needed}, has ${error.budget.remaining} credits`)
 */
export class CreditBudgetError extends SocialSearchError {
  declare readonly code: 'credit_budget'
  /** The budget, and what the call needs of it. */
  declare readonly budget: RefusedBudget
  /** What to change: `budget`, or the param or option that lowers the cost. */
  declare readonly option: string
  /** @internal The budget itself; undefined if it is that of a proxy. */
  declare readonly refusedBy: unknown

  /** @param details `what`: what it says, if not the sentence about a budget of the client. */
  constructor(
    { what, refusedBy, ...refusal }: RefusedBudget & { what?: string | undefined; refusedBy?: unknown },
    context?: ErrorContext,
  ) {
    const { reserved = 0, name, bound } = refusal
    const isLater = mayFitLater(refusal)
    const budget = withoutUndefined({ ...refusal, reserved: isLater ? reserved : undefined })
    const named = name === undefined ? 'the `budget`' : `the budget ${JSON.stringify(name)}`
    const advice = isLater ? '' : '; raise the budget'
    super(
      'credit_budget',
      what || budgetTooLow(budget, { budget: named, option: (name) => `\`${name}\`` }) + advice,
      context,
      { budget, option: bound === null ? 'expectedItems' : (bound?.param ?? 'budget') },
    )
    setNonEnumerable(this, 'refusedBy', refusedBy)
  }
}

/**
 * Pages contradict each other, so reading on could repeat or skip items. No further page was fetched.
 *
 * @example
 * if (error instanceof PaginationError) await save({ next: error.next }) // to resume() later
 */
export class PaginationError extends SocialSearchError {
  declare readonly code: 'pagination'
  /** The params to continue with; null if the service named no next page. `body` is a page that you did not ask for. */
  declare readonly next: object | null
  constructor(message: string, next: object | null, context?: ErrorContext) {
    super('pagination', message, { ...context, next })
  }
}

/**
 * The client or its limiter was closed before the call ended.
 *
 * @example
 * const search = client.microblog.search({ query }).then()
 * await client.close()
 * await search.catch((error: unknown) => console.log(error instanceof ClosedError)) // true
 */
export class ClosedError extends SocialSearchError {
  declare readonly code: 'closed'

  constructor(closed: 'client' | 'limiter' = 'client', context?: ErrorContext) {
    super('closed', clientClosed(closed), context)
  }
}

nameClasses({
  ConfigurationError,
  InvalidRequestError,
  ConnectionError,
  TimeoutError,
  RedirectError,
  InvalidResponseError,
  CreditBudgetError,
  PaginationError,
  ClosedError,
})
