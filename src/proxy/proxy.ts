import { inputOf } from '../contract/input.ts'
import { CreditBudget } from '../core/budget.ts'
import { defaultTimeoutMs } from '../core/exchange.ts'
import { ConfigurationError, SocialSearchError, TimeoutError } from '../errors.ts'
import { readBytes } from '../serve/read-bytes.ts'
import { type Answer, answerTo, failure, invalid, toResponse, withCredits } from './answers.ts'
import { CallerBudgets } from './callers.ts'
import {
  type ProxyCaller,
  type ProxyFailure,
  type ProxyOptions,
  type ProxySettings,
  resolveProxy,
} from './options.ts'
import { corsHeaders, isForeign, preflightHeaders } from './origins.ts'
import { type KnownOperation, operationsAt } from './route.ts'

/** A budget that refuses nothing: it tells what one call has cost. */
const boundless = Number.MAX_SAFE_INTEGER

/**
 * Makes a proxy, so that pages can use the service without its key: mounted at `/api/social/*`, it serves
 * `new SocialSearch({ baseUrl: '/api/social' })`. It lets through what is allowed, authorized, valid and within budget, and
 * answers everything else itself, in the service's error format, before anything is spent. Headers and cookies are
 * passed on in neither direction.
 *
 * @throws {ConfigurationError} for options that cannot work.
 */
export function createProxy<Caller extends ProxyCaller>(
  options: ProxyOptions<Caller>,
): (request: Request) => Promise<Response> {
  const settings = resolveProxy(options as unknown as ProxyOptions)
  const { budget, maxCallers } = settings
  const callers = typeof budget === 'number' ? new CallerBudgets(budget, maxCallers) : null

  return async (request) => {
    const answer = await handle(request, settings, callers)
    const response = toResponse(answer, corsHeaders(request, settings))
    return request.method === 'HEAD' ? new Response(null, response) : response
  }
}

async function handle(
  request: Request,
  settings: ProxySettings,
  callers: CallerBudgets | null,
): Promise<Answer> {
  const requestId = `proxy_${crypto.randomUUID()}`
  const refuse = (status: number, code: string, message: string): Answer =>
    failure(requestId, status, { code, message })
  const { method, url } = request

  const { found, id } = operationsAt(new URL(url).pathname)
  if (found.length === 0) return refuse(404, 'not_found', 'there is no operation at this path')
  const allowed = found.filter((operation) => settings.allow.has(operation.id))
  if (allowed.length === 0) {
    return refuse(403, 'operation_not_allowed', `${found[0]?.id} is not allowed here`)
  }

  const methods = allowed.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const allow = [...methods, 'OPTIONS'].join(', ')
  const isPreflight = request.headers.has('access-control-request-method')
  if (method === 'OPTIONS' && !isPreflight) return { status: 204, headers: { allow }, body: null }
  const operation = allowed.find((each) => each.method === (method === 'HEAD' ? 'GET' : method))
  if (method !== 'OPTIONS' && operation === undefined) {
    const answer = refuse(
      405,
      'method_not_allowed',
      `${method} is not a method of this path, there is ${allow}`,
    )
    return { ...answer, headers: { allow } }
  }
  const hasEffect = operation === undefined || operation.method !== 'GET' || operation.price.kind !== 'free'
  if (hasEffect && isForeign(request, settings)) {
    return refuse(403, 'origin_not_allowed', 'pages of this origin may not use the proxy')
  }
  if (operation === undefined) {
    return { status: 204, headers: preflightHeaders(request, methods.join(', ')), body: null }
  }

  const meter = new CreditBudget(boundless)
  try {
    if (operation.method !== 'GET' && !isJson(request.headers.get('content-type'))) {
      return refuse(415, 'unsupported_media_type', 'the content type must be application/json')
    }
    const caller: unknown = await settings.authorize(request)
    if (request.bodyUsed) {
      throw new ConfigurationError('the body of the request has been read, by authorize or before the proxy')
    }
    if (caller === false) return refuse(403, 'forbidden', 'this caller may not use the proxy')
    if (caller === null || caller === undefined) {
      return refuse(401, 'unauthorized', 'the proxy does not know who is calling')
    }
    const params = await readParams(request, operation, settings.maxBodyBytes)
    if (params === 'too large') {
      return refuse(413, 'payload_too_large', `the body is larger than ${settings.maxBodyBytes} bytes`)
    }
    if (params === 'no JSON') return invalid(requestId, [{ path: '', message: 'the body must be JSON' }])

    const granted = await budgetOf(assertCaller(caller), settings, callers)
    if (granted === null) return refuse(503, 'too_many_callers', 'too many callers have spent credits')
    try {
      return await call({ request, operation, params, id, budget: granted.budget, meter }, settings)
    } finally {
      granted.release()
    }
  } catch (error) {
    if (request.signal.aborted && error === request.signal.reason) {
      return refuse(499, 'caller_left', 'the caller left')
    }
    if (error instanceof TimeoutError && isUnsent(error)) return comeBack(requestId)
    tell(settings.onError, error, {
      requestId: (error instanceof SocialSearchError && error.requestId) || requestId,
      operation: operation.id,
    })
    return answerTo(error, requestId, meter)
  }
}

/** What onError throws is its own affair: there is nobody left to tell. */
function tell(onError: ProxySettings['onError'], error: unknown, failure: ProxyFailure): void {
  void new Promise((resolve) => resolve(onError?.(error, failure))).catch(() => {})
}

interface ProxiedCall {
  readonly request: Request
  readonly operation: KnownOperation
  readonly params: unknown
  readonly id: string
  readonly budget: CreditBudget | undefined
  readonly meter: CreditBudget
}

/** How much sooner than the client behind it the proxy gives up by default, in milliseconds. */
const headStartMs = 5_000

/** Time that an answer is given at least, in milliseconds, where the deadline has as much. */
const answerMs = 10_000

/** Makes the call. What may be charged goes on when the caller leaves, so that every ledger hears what it cost. */
async function call(
  { request, operation, params, id, budget, meter }: ProxiedCall,
  { transport, ceiling, deadline = (operation.timeoutMs ?? defaultTimeoutMs) - headStartMs }: ProxySettings,
): Promise<Answer> {
  const bounded = budget === undefined ? transport : transport.withOptions({ budget })
  const isFree = operation.price.kind === 'free'
  const sendWithin = Math.max(deadline / 2, deadline - answerMs)
  const { response, text } = await bounded.request(
    operation,
    params as object,
    {
      ...{ budget: meter, ceiling, deadline, sendWithin, abandon: request.signal },
      ...(isFree && operation.method === 'GET' && { signal: request.signal }),
    },
    id,
  )
  const answer = { status: response.status, headers: {}, body: text }
  if (isFree) return answer
  return withCredits(answer, meter, meter.spent > 0 ? 'yes' : meter.uncertain > 0 ? 'unknown' : 'no')
}

function isUnsent({ charged, phase }: TimeoutError): boolean {
  return charged === 'no' && (phase === 'queue' || phase === 'wait')
}

const comeBackSeconds = 5

/** The limits of the organization leave no room just now; a client on this package waits, and tries again. */
function comeBack(requestId: string): Answer {
  const message = 'not sent: too many calls wait at the proxy'
  return failure(requestId, 429, { code: 'rate_limited', message, retryAfter: comeBackSeconds })
}

async function readParams(
  request: Request,
  operation: KnownOperation,
  maxBodyBytes: number,
): Promise<unknown> {
  if (operation.method === 'GET') return inputOf(new URL(request.url).search, operation)
  try {
    const bytes = await readBytes(request, maxBodyBytes)
    if (bytes === 'too large') return bytes
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    return 'no JSON'
  }
}

function isJson(contentType: string | null): boolean {
  return /^application\/json *(;|$)/i.test(contentType ?? '')
}

function assertCaller(caller: unknown): ProxyCaller {
  const { id } = caller as Partial<ProxyCaller>
  if (typeof id === 'string' && id !== '') return caller as ProxyCaller
  throw new ConfigurationError('authorize must return a caller with an id, null or false')
}

async function budgetOf(
  caller: ProxyCaller,
  { budget }: ProxySettings,
  callers: CallerBudgets | null,
): Promise<{ budget: CreditBudget | undefined; release: () => void } | null> {
  const release = (): void => {}
  if (caller.budget !== undefined) return { budget: caller.budget, release }
  if (callers !== null) return callers.take(caller.id)
  return { budget: typeof budget === 'function' ? await budget(caller) : undefined, release }
}
