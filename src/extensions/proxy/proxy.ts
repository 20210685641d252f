import { CreditBudget } from '../../index.ts'
import { effectOf } from '../../api/operation.ts'
import { boundOf } from '../../api/price.ts'
import { type CallCredits, attemptHeader, creditsHeader, defaultTimeoutMs } from '../../extend.ts'
import {
  type Charged,
  ApiError,
  InvalidResponseError,
  TimeoutError,
  hadNoEffect,
  isSocialSearchError,
} from '../../errors/index.ts'
import { limitReached, notSent } from '../../errors/words.ts'
import { randomId } from '../../lib/hash.ts'
import { shallowJson } from '../../lib/json.ts'
import { isA, runUserCallback } from '../../lib/thrown.ts'
import { ProxyRefusal, isPublicError, refusalOf, refusesProxy } from './error-statuses.ts'
import { type Admitted, type KnownOperation, admit, route, tooLate } from './admission.ts'
import { type ProxyOptions, type ProxySettings, type ProxyUser, resolveProxy } from './options.ts'

/**
 * Creates a proxy, so that web pages can call the service without its key. Mounted at `/api/social/*`, it serves
 * `new SocialSearch({ baseUrl: '/api/social' })`. It forwards requests that are allowed, authorized, valid and within
 * budget, and refuses all others in the service's error format before anything is spent. It forwards no headers and no
 * cookies in either direction.
 *
 * @throws {ConfigurationError} for invalid options.
 * @example
 * const proxy = createProxy({
 *   client,
 *   allow: ['microblog.search'],
 *   authorize: (request) => userOf(request), // null refuses the request
 *   budget: 100, // credits for each user
 * })
 */
export function createProxy<User extends ProxyUser>(
  options: ProxyOptions<User>,
): (request: Request) => Promise<Response> {
  const settings = resolveProxy(options as unknown as ProxyOptions)
  return async (request) => {
    const response = await answer(request, settings)
    for (const [name, value] of Object.entries(corsHeaders(request, settings)))
      response.headers.set(name, value)
    return response
  }
}

async function answer(request: Request, settings: ProxySettings): Promise<Response> {
  const requestId = `proxy_${randomId(20)}`
  try {
    if (isUntrusted(request, settings))
      throw new ProxyRefusal(403, 'origin_not_allowed', 'pages of this origin may not use the proxy')
    // Answer preflights before any other check: a page cannot tell a failed preflight from a lost paid request.
    if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method'))
      return jsonResponse(null, 204, preflightHeaders(request))
    const { operation, id } = route(request, settings)
    const times = callTimes(operation, settings)
    const arrived = { request, operation, id, requestId, times, meter: new CreditBudget(Infinity) }
    return await forward(arrived, settings)
  } catch (error) {
    if (isA(error, ProxyRefusal)) return errorResponse(requestId, error)
    throw error
  }
}

/** A request for an operation that the proxy allows. */
interface ArrivedCall {
  readonly request: Request
  readonly operation: KnownOperation
  readonly id: string
  readonly requestId: string
  readonly times: ReturnType<typeof callTimes>
  /** Refuses nothing, and counts what the call has cost. */
  readonly meter: CreditBudget
}

interface ProxiedCall extends ArrivedCall, Admitted {}

async function forward(arrived: ArrivedCall, settings: ProxySettings): Promise<Response> {
  let admitted: Admitted
  try {
    admitted = await admit(arrived.request, arrived.operation, arrived.times.sendBy, settings)
  } catch (error) {
    return responseTo(error, arrived, settings)
  }
  return callOnce({ ...arrived, ...admitted }, settings)
}

/** Makes a call once, also if a browser sends its request again. */
async function callOnce(call: ProxiedCall, settings: ProxySettings): Promise<Response> {
  const { request, operation, id, caller, body, meter, times } = call
  const attempt = request.headers.get(attemptHeader)
  try {
    if (attempt === null || operation.method === 'GET') return await callService(call, settings)
    const respond = (): Promise<Response | null> =>
      callService(call, settings).catch((error: unknown) => {
        // Who has left takes no retry from those who wait for the same.
        const isOver = chargedOf(meter) === 'no' && (!isSocialSearchError(error) || hadNoEffect(error))
        return request.signal.aborted && isOver ? null : responseTo(error, call, settings)
      })
    const key = JSON.stringify([caller, operation.id, id, attempt, body])
    const response = await settings.repeats.answer(key, respond, times.endBy, request.signal)
    return response ?? responseTo(request.signal.reason, call, settings)
  } catch (error) {
    return responseTo(error, call, settings)
  }
}

/** The response to a call that has failed, before or after it was admitted. */
function responseTo(
  error: unknown,
  { request, operation, requestId, meter, caller, budget }: ArrivedCall & Partial<Admitted>,
  settings: ProxySettings,
): Response {
  if (isA(error, ProxyRefusal)) return errorResponse(requestId, error)
  if (request.signal.aborted && error === request.signal.reason) {
    const fields = { charged: chargedOf(meter) }
    return errorResponse(requestId, new ProxyRefusal(499, 'caller_left', 'the user left', fields))
  }
  // An error from `authorize` or `budget` is not about this call, even if its class is one of the client's.
  const publicError = caller !== undefined && isPublicError(error) ? error : null
  // The body of a gateway may name internal hosts.
  const isForeign = publicError instanceof ApiError && publicError.gateway
  const shownId = (isForeign ? undefined : publicError?.requestId) ?? requestId
  const failed = { requestId: shownId, operation: operation.id }
  runUserCallback(() => settings.onError(error, failed))
  if (publicError instanceof TimeoutError && isUnsent(publicError))
    return errorResponse(requestId, retryLater(publicError))
  const charged = publicError?.charged ?? chargedOf(meter)
  const isWrite = effectOf(operation) === 'write'
  const response =
    publicError instanceof InvalidResponseError
      ? unusableSuccess(publicError)
      : errorResponse(shownId, refusalOf(publicError, charged, isWrite, budget))
  addCredits(response, meter.summary(), charged)
  if (publicError === null || refusesProxy(publicError))
    settings.log(`the proxy responded to ${operation.id} with ${response.status}`, error)
  return response
}

/** By default, the proxy gives up this much sooner than the client behind it, in milliseconds. */
const headStartMs = 5_000

/** Shortest time left for the response, in milliseconds, if the deadline is long enough. */
const minAnswerMs = 10_000

/**
 * The latest time to send a call, and to end it, in monotonic milliseconds. The limits count from the arrival of the request,
 * since the page waits from then on.
 */
function callTimes({ timeoutMs = defaultTimeoutMs }: KnownOperation, settings: ProxySettings) {
  const { deadline = timeoutMs - headStartMs } = settings
  const start = performance.now()
  return { sendBy: start + Math.max(deadline / 2, deadline - minAnswerMs), endBy: start + deadline }
}

/** Makes the call. A call that may be charged continues when the caller leaves, so that ledgers get its cost. */
async function callService(
  { request, operation, params, id, budget, meter, times }: ProxiedCall,
  { transport, expectedItems }: ProxySettings,
): Promise<Response> {
  const maxQueueWait = Math.ceil(times.sendBy - performance.now())
  const deadline = Math.ceil(times.endBy - performance.now())
  if (maxQueueWait < 1) throw tooLate('authorize or budget')
  const bounded = budget === undefined ? transport : transport.withOptions({ budget })
  const { price } = operation
  const isFree = price.kind === 'free'
  // A page could ask for more than it is set to, where the service documents a bound.
  const isOpen = boundOf(price) === null
  const { signal: callerLeft } = request
  const received = await bounded.send(
    operation,
    // The client has refused misplaced options.
    bounded.compose(operation, params as object, id),
    {
      ...{ budget: meter, expectedItems: isOpen ? expectedItems : undefined, deadline, maxQueueWait },
      signal: isFree && operation.method === 'GET' ? callerLeft : undefined,
    },
    { callerLeft },
  )
  const age = received.cached && { age: String(Math.floor(received.cached.age / 1000)) }
  const response = jsonResponse(received.text || null, received.response.status, age)
  if (isFree) return response
  // The user who began a request that several share may have left: then another one pays.
  const { credits } = received.record
  return addCredits(response, credits, credits.spent > 0 ? 'yes' : chargedOf(meter))
}

function isUnsent(error: TimeoutError): boolean {
  return hadNoEffect(error) && (error.phase === 'queue' || error.phase === 'wait')
}

/** If the wait is unknown, in seconds. */
const defaultRetryAfter = 5

/** The organization's limits are exhausted for now; this package's client waits and retries. */
function retryLater({ retryAfter }: TimeoutError): ProxyRefusal {
  const reason = retryAfter === undefined ? 'it waited too long at the proxy' : limitReached
  return new ProxyRefusal(429, 'rate_limited', notSent(reason), {
    retryAfter: retryAfter ?? defaultRetryAfter,
  })
}

/**
 * A response to the browser.
 *
 * @param body JSON text, or null for none.
 */
function jsonResponse(body: string | null, status: number, headers: Record<string, string> = {}): Response {
  const type = body === null ? undefined : { 'content-type': 'application/json' }
  const fixed = { ...type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  return new Response(body, { status, headers: { ...fixed, ...headers } })
}

/** A refusal in the service's envelope. */
function errorResponse(requestId: string, { status, code, message, fields }: ProxyRefusal): Response {
  const { issues = [], retryAfter, headers = {}, charged = 'no', budget, phase } = fields
  const wait = retryAfter === undefined ? undefined : { retryAfter: Math.ceil(retryAfter) }
  const error = { code, message, charged, ...budget, phase, ...(issues.length > 0 && { issues }), ...wait }
  const body = JSON.stringify({ requestId, error })
  return jsonResponse(body, status, { ...headers, ...(wait && { 'retry-after': String(wait.retryAfter) }) })
}

/** Passes a paid body on as it is: the caller may need less than the documented shape. */
function unusableSuccess({ body, attempts }: InvalidResponseError): Response {
  const { status = 200 } = attempts.at(-1) ?? {}
  if (status === 204 || status === 205) return jsonResponse(null, status)
  return jsonResponse(typeof body === 'string' ? body : (shallowJson(body) ?? ''), status)
}

/** Whether a call that failed was charged. */
function chargedOf(meter: CreditBudget): Charged {
  const { spent, uncertain } = meter.summary()
  return uncertain > 0 ? 'unknown' : spent > 0 ? 'yes' : 'no'
}

/** Adds what a call has cost, so that the ledger of the client behind the proxy is correct. */
function addCredits(response: Response, { spent, uncertain }: CallCredits, charged: Charged): Response {
  response.headers.set(creditsHeader, `spent=${spent}, uncertain=${uncertain}, charged=${charged}`)
  return response
}

type CorsSettings = Pick<ProxySettings, 'origins' | 'credentials'>

/**
 * Whether a page of an untrusted origin made the request. Browsers report the origin and pages cannot change it. A request
 * without one does not come from a browser, so it carries no other user's cookies.
 */
function isUntrusted(request: Request, { origins }: CorsSettings): boolean {
  const origin = request.headers.get('origin')
  if (origin !== null && origins.includes(origin)) return false
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  if (origin === null) return false
  // Compare hosts, not origins: behind a server that ends TLS, the request's own URL is http.
  return !URL.canParse(origin) || new URL(origin).host !== new URL(request.url).host
}

/** Headers that let a page of a trusted origin read the response. */
function corsHeaders(request: Request, { origins, credentials }: CorsSettings): Record<string, string> {
  if (origins.length === 0) return {}
  const origin = request.headers.get('origin')
  if (origin === null || !origins.includes(origin)) return { vary: 'origin' }
  return {
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': `retry-after, ${creditsHeader}`,
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
  }
}

/** Headers of the response to a preflight request. */
function preflightHeaders(request: Request): Record<string, string> {
  const requested = request.headers.get('access-control-request-headers')
  return {
    // The request itself is refused later if its method does not exist.
    'access-control-allow-methods': request.headers.get('access-control-request-method') ?? '',
    // The proxy forwards no headers, so it can accept any.
    ...(requested !== null && { 'access-control-allow-headers': requested }),
    'access-control-max-age': '600',
  }
}
