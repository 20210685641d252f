import { CreditBudget } from '../core/credits/budget.ts'
import { defaultTimeoutMs } from '../core/call/attempt.ts'
import { report } from '../webhooks/receive.ts'
import { now } from '../core/lib/time.ts'
import { ConfigurationError, TimeoutError } from '../errors.ts'
import { type Admitted, admit } from './admission.ts'
import { type Answer, answerTo, failure, isRelayed, refuse, toResponse, withCredits } from './answers.ts'
import { CallerBudgets } from './callers.ts'
import { type ProxyCaller, type ProxyOptions, type ProxySettings, resolveProxy } from './options.ts'
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
  const { method, url } = request

  if (isForeign(request, settings)) {
    return refuse(requestId, 403, 'origin_not_allowed', 'pages of this origin may not use the proxy')
  }
  // Before any other refusal: a page whose preflight fails cannot tell that from a paid request that got lost.
  if (method === 'OPTIONS' && request.headers.has('access-control-request-method')) {
    return { status: 204, headers: preflightHeaders(request), body: null }
  }

  const { found, id } = operationsAt(new URL(url).pathname)
  if (found.length === 0) return refuse(requestId, 404, 'not_found', 'there is no operation at this path')
  const allowed = found.filter((operation) => settings.allow.has(operation.id))
  if (allowed.length === 0) {
    return refuse(requestId, 403, 'operation_not_allowed', 'the proxy does not allow this operation')
  }

  const methods = allowed.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const allow = [...methods, 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return { status: 204, headers: { allow }, body: null }
  const operation = allowed.find((each) => each.method === (method === 'HEAD' ? 'GET' : method))
  if (operation === undefined) {
    const answer = refuse(
      requestId,
      405,
      'method_not_allowed',
      `${method} is not a method of this path, there is ${allow}`,
    )
    return { ...answer, headers: { allow } }
  }

  const times = timesOf(operation, settings)
  const meter = new CreditBudget(boundless)
  let admitted: Admitted | undefined
  try {
    const admission = await admit(request, operation, settings, callers, requestId, times.sendBy)
    if ('status' in admission) return admission
    admitted = admission
    return await call({ request, operation, id, meter, times, ...admission }, settings)
  } catch (error) {
    if (request.signal.aborted && error === request.signal.reason) {
      return refuse(requestId, 499, 'caller_left', 'the caller left')
    }
    // What the user's own functions have thrown is not about this call, whatever its class.
    const relayed = admitted !== undefined && isRelayed(error) ? error : null
    const failed = { requestId: relayed?.requestId ?? requestId, operation: operation.id }
    report(error, { onError: (error) => settings.onError?.(error, failed) })
    if (relayed instanceof TimeoutError && isUnsent(relayed)) return comeBack(requestId)
    return answerTo(relayed, requestId, meter)
  } finally {
    admitted?.release()
  }
}

interface ProxiedCall extends Admitted {
  readonly request: Request
  readonly operation: KnownOperation
  readonly id: string
  readonly meter: CreditBudget
  readonly times: Times
}

/** When a request has to be done with, in monotonic milliseconds. */
interface Times {
  /** When its call is sent at the latest. */
  readonly sendBy: number
  readonly endBy: number
}

/** How much sooner than the client behind it the proxy gives up by default, in milliseconds. */
const headStartMs = 5_000

/** Time that an answer is given at least, in milliseconds, where the deadline has as much. */
const answerMs = 10_000

/** Counted from when the request came: its page has been waiting since. */
function timesOf({ timeoutMs = defaultTimeoutMs }: KnownOperation, settings: ProxySettings): Times {
  const { deadline = timeoutMs - headStartMs } = settings
  const start = now()
  return { sendBy: start + Math.max(deadline / 2, deadline - answerMs), endBy: start + deadline }
}

/** Makes the call. What may be charged goes on when the caller leaves, so that every ledger hears what it cost. */
async function call(
  { request, operation, params, id, budget, meter, times }: ProxiedCall,
  { transport, ceiling }: ProxySettings,
): Promise<Answer> {
  const sendWithinMs = Math.ceil(times.sendBy - now())
  const deadline = Math.ceil(times.endBy - now())
  if (sendWithinMs < 1) throw new ConfigurationError('authorize and budget took too long, nothing was sent')
  const bounded = budget === undefined ? transport : transport.withOptions({ budget })
  const isFree = operation.price.kind === 'free'
  const { response, text } = await bounded.request(
    operation,
    params as object,
    {
      ...{ budget: meter, ceiling, deadline },
      ...(isFree && operation.method === 'GET' && { signal: request.signal }),
    },
    id,
    { abandon: request.signal, sendWithinMs },
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
