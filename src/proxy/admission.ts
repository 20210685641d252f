import { inputOf } from '../api/input.ts'
import { within } from '../lib/abort.ts'
import { assertMethod } from '../errors/assert.ts'
import type { Budget } from '../core/credits/budget.ts'
import { ConfigurationError } from '../errors/index.ts'
import { readBytes } from '../lib/read-bytes.ts'
import { type ProxyResponse, errorResponse, validationError } from './responses.ts'
import type { CallerBudgets } from './caller-budgets.ts'
import type { ProxyCaller, ProxySettings } from './options.ts'
import type { KnownOperation } from './operations-at.ts'

/** An authorized call. */
export interface Admitted {
  readonly params: unknown
  readonly budget: Budget | undefined
  /** Call it when the call has ended. */
  readonly release: () => void
}

/**
 * Authorizes a request, reads its params and picks its budget; returns a response if refused. Throws what `authorize` and
 * `budget` throw.
 *
 * @param sendBy Monotonic time by which the body must have arrived.
 */
export async function admit(
  request: Request,
  operation: KnownOperation,
  settings: ProxySettings,
  callers: CallerBudgets | null,
  requestId: string,
  sendBy: number,
): Promise<Admitted | ProxyResponse> {
  if (operation.method !== 'GET' && !isJson(request.headers.get('content-type'))) {
    return errorResponse(
      requestId,
      415,
      'unsupported_media_type',
      'the content type must be application/json',
    )
  }
  const caller: unknown = await settings.authorize(request)
  if (request.bodyUsed) {
    throw new ConfigurationError(
      'the body of the request was already read; mount the proxy before any body parser, and read no body in authorize',
    )
  }
  if (caller === false) return errorResponse(requestId, 403, 'forbidden', 'this caller may not use the proxy')
  if (caller === null || caller === undefined) {
    return errorResponse(requestId, 401, 'unauthorized', 'the proxy does not know who is calling')
  }
  const params = await readParams(request, operation, settings, requestId, sendBy)
  if ('status' in params) return params
  const budget = await budgetOf(assertCaller(caller), settings, callers)
  if (budget === null) {
    return errorResponse(requestId, 503, 'too_many_callers', 'too many callers have spent credits')
  }
  return { ...params, ...budget }
}

function isJson(contentType: string | null): boolean {
  return /^application\/json *(;|$)/i.test(contentType ?? '')
}

async function readParams(
  request: Request,
  operation: KnownOperation,
  { maxBodyBytes }: ProxySettings,
  requestId: string,
  sendBy: number,
): Promise<Pick<Admitted, 'params'> | ProxyResponse> {
  if (operation.method === 'GET') return { params: inputOf(new URL(request.url).search, operation) }
  try {
    const bytes = await within(
      sendBy - performance.now(),
      () => readBytes(request, maxBodyBytes),
      () => 'late' as const,
    )
    if (bytes === 'late') {
      return errorResponse(requestId, 408, 'request_timeout', 'the body took too long, nothing was sent')
    }
    if (bytes === 'too large') {
      return errorResponse(
        requestId,
        413,
        'payload_too_large',
        `the body is larger than ${maxBodyBytes} bytes`,
      )
    }
    return { params: JSON.parse(new TextDecoder().decode(bytes)) as unknown }
  } catch {
    return validationError(requestId, [{ path: '', message: 'the body must be JSON' }])
  }
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
): Promise<Pick<Admitted, 'budget' | 'release'> | null> {
  const release = (): void => {}
  if (caller.budget !== undefined) return { budget: caller.budget, release }
  if (callers !== null) return callers.take(caller.id)
  if (typeof budget !== 'function') return { budget: undefined, release }
  const own: Budget = await budget(caller)
  // An undefined budget would mean no limit.
  assertMethod('what budget returns', own, 'reserve')
  return { budget: own, release }
}
