import { type OperationId, operationOf } from '../../api/operations.ts'
import {
  assertFunction,
  assertObject,
  assertOptions,
  requireOption,
  milliseconds,
  wholeNumber,
} from '../../errors/check-options.ts'
import { type Budget, CreditBudget, type Transport } from '../../index.ts'
import { clientTransport } from '../../extend.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { logOnce } from '../../errors/on-error.ts'
import { Repeats } from './repeats.ts'

/** The user that a request is made for. */
export interface ProxyUser {
  /** The user's id. Users with the same id share a budget. */
  readonly id: string
  /** This user's budget, in place of the proxy's `budget`. */
  readonly budget?: Budget | undefined
}

/** Which pages of other origins may use a proxy. */
export interface ProxyCors {
  /** Exact origins, such as `https://app.example.com` or `capacitor://localhost`. */
  origins: readonly string[]
  /** Whether their requests may send cookies. Default false. */
  credentials?: boolean | undefined
}

/** The call that failed. */
export interface ProxyFailure {
  /** The request id in the response. */
  readonly requestId: string
  readonly operation: OperationId
}

/** Options of a proxy. */
export interface ProxyOptions<User extends ProxyUser = ProxyUser> {
  /** The client that has the key: a `SocialSearch`, or a transport. */
  client: Transport | { readonly transport: Transport }
  /** Ids of the calls that pages may make, such as `microblog.search`. All others are refused. */
  allow: readonly OperationId[]
  /**
   * Returns the user who sent a request: null if nobody is logged in (401), false if the user may not call (403). It must
   * not read the body.
   */
  authorize: (request: Request) => User | null | undefined | false | Promise<User | null | undefined | false>
  /**
   * Credits for each user: a number, counted in memory, or a function that returns the user's budget. Default: only the
   * client's own budget.
   */
  budget?: number | ((user: User) => Budget | Promise<Budget>) | undefined
  /** How many items to reserve credits for, if the service documents no maximum, as for reactions. Default 1,000. */
  expectedItems?: number | undefined
  /**
   * Time for one call with all waits, in milliseconds. In the last ten seconds (or the second half, if shorter), nothing is
   * sent: the page gets a 429. Default: five seconds less than a client's default timeout.
   */
  deadline?: number | undefined
  /** Which pages of other origins may use the proxy. Default: none. */
  cors?: ProxyCors | undefined
  /**
   * Called with every error, also of `authorize` and `budget`. Default: `console.error` gets each cause of a 500 once, and
   * why the service refused the proxy, without the text of your own errors.
   */
  onError?: ((error: unknown, failure: ProxyFailure) => unknown) | undefined
}

/** Checked options with defaults. */
export type ProxySettings = ReturnType<typeof resolveProxy>

/** @throws {ConfigurationError} for options that cannot work. */
export function resolveProxy(options: ProxyOptions) {
  assertOptions(options, {
    ...{ client: true, allow: true, authorize: true, budget: true },
    ...{ expectedItems: true, deadline: true, cors: true, onError: true },
  })
  const { client, allow, budget } = options
  assertObject('client', client)
  const transport = clientTransport('transport' in client ? client.transport : client)
  assertFunction('authorize', options.authorize)
  assertAllow(allow)
  if (budget !== undefined && typeof budget !== 'function') new CreditBudget(budget)
  if (options.onError !== undefined) assertFunction('onError', options.onError)
  return {
    ...resolveCors(options.cors),
    transport,
    allow: new Set<string>(allow),
    authorize: options.authorize,
    budgetOf: typeof budget === 'number' ? budgetForEach(budget) : budget,
    expectedItems:
      options.expectedItems === undefined ? undefined : wholeNumber('expectedItems', options.expectedItems),
    deadline: options.deadline === undefined ? undefined : milliseconds('deadline', options.deadline),
    onError: options.onError ?? (() => {}),
    repeats: new Repeats(),
    /** For causes that the response does not name. */
    log: options.onError === undefined ? logOnce('thrown by authorize, budget or the client') : () => {},
  }
}

function assertAllow(allow: unknown): void {
  if (!Array.isArray(allow) || allow.length === 0)
    throw new ConfigurationError('allow must name at least one operation')
  for (const id of allow as readonly string[])
    if (operationOf(id) === undefined)
      throw new ConfigurationError(`allow names ${JSON.stringify(id)}, which is not an operation`)
}

function resolveCors(cors: ProxyCors = { origins: [] }) {
  assertOptions(cors, { origins: true, credentials: true }, 'cors')
  const { origins, credentials = false } = cors
  if (!Array.isArray(origins)) throw new ConfigurationError('cors.origins must be a list of origins')
  for (const origin of origins as readonly unknown[]) {
    if (!isOrigin(origin)) {
      throw new ConfigurationError(
        `cors.origins must list exact origins such as https://app.example.com, got ${JSON.stringify(origin)}`,
      )
    }
  }
  requireOption(credentials, typeof credentials === 'boolean', 'cors.credentials must be true or false')
  return { origins: [...(origins as readonly string[])], credentials }
}

/** Whether browsers, web views or extensions may send it as `Origin`. `URL` has no origin for `capacitor:` and others. */
function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || value.includes('*') || !URL.canParse(value)) return false
  const { protocol, host } = new URL(value)
  return host !== '' && `${protocol}//${host}` === value
}

/** Keeps every budget: forgetting one would give its user all credits again. */
function budgetForEach(credits: number): (user: ProxyUser) => Budget {
  const budgets = new Map<string, Budget>()
  return ({ id }) => {
    const budget = budgets.get(id) ?? new CreditBudget(credits)
    budgets.set(id, budget)
    return budget
  }
}
