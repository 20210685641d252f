import { inputOf } from '../api/query-input.ts'
import { within } from '../lib/abort.ts'
import { assertMethod } from '../errors/check-options.ts'
import type { Budget } from '../core/credits/budget.ts'
import { ConfigurationError } from '../errors/index.ts'
import { readBytes } from '../lib/read-bytes.ts'
import type { ProxyCaller, ProxySettings } from './options.ts'
import type { KnownOperation } from './operations-at.ts'
import { Refusal, invalidRequest } from './request-refusal.ts'

/** An authorized call. */
export interface Admitted {
  readonly params: unknown
  readonly budget: Budget | undefined
  /** Call it when the call has ended. */
  readonly release: () => void
}

/**
 * Authorizes a request, reads its params and picks its budget. Throws a refusal, or what `authorize` and `budget` throw.
 *
 * @param sendBy Monotonic time by which the body must have arrived.
 */
export async function admit(
  request: Request,
  operation: KnownOperation,
  settings: ProxySettings,
  sendBy: number,
): Promise<Admitted> {
  if (operation.method !== 'GET' && !isJson(request.headers.get('content-type')))
    throw new Refusal(415, 'unsupported_media_type', 'the content type must be application/json')
  const caller: unknown = await settings.authorize(request)
  if (request.bodyUsed) {
    throw new ConfigurationError(
      'the body of the request was already read; mount the proxy before any body parser, and read no body in authorize',
    )
  }
  if (caller === false) throw new Refusal(403, 'forbidden', 'this caller may not use the proxy')
  if (caller === null || caller === undefined)
    throw new Refusal(401, 'unauthorized', 'the proxy does not know who is calling')
  const params = await readParams(request, operation, settings, sendBy)
  return { params, ...(await budgetOf(assertCaller(caller), settings)) }
}

function isJson(contentType: string | null): boolean {
  return /^application\/json *(;|$)/i.test(contentType ?? '')
}

async function readParams(
  request: Request,
  operation: KnownOperation,
  { maxBodyBytes }: ProxySettings,
  sendBy: number,
): Promise<unknown> {
  if (operation.method === 'GET') return inputOf(new URL(request.url).search, operation)
  const read = () => readBytes(request, maxBodyBytes).catch(() => null)
  const bytes = await within(sendBy - performance.now(), read, () => 'late' as const)
  if (bytes === 'late') throw new Refusal(408, 'request_timeout', 'the body took too long, nothing was sent')
  if (bytes === 'too large')
    throw new Refusal(413, 'payload_too_large', `the body is larger than ${maxBodyBytes} bytes`)
  try {
    if (bytes !== null) return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    // Refused below, like a body that cannot be read.
  }
  throw invalidRequest([{ path: '', message: 'the body must be JSON' }])
}

function assertCaller(caller: unknown): ProxyCaller {
  const { id } = caller as Partial<ProxyCaller>
  if (typeof id === 'string' && id !== '') return caller as ProxyCaller
  throw new ConfigurationError('authorize must return a caller with an id, null or false')
}

async function budgetOf(
  caller: ProxyCaller,
  { budget, callers }: ProxySettings,
): Promise<Pick<Admitted, 'budget' | 'release'>> {
  const release = (): void => {}
  if (caller.budget !== undefined) return { budget: caller.budget, release }
  if (callers !== null) {
    const taken = callers.take(caller.id)
    if (taken === null) throw new Refusal(503, 'too_many_callers', 'too many callers have spent credits')
    return taken
  }
  if (typeof budget !== 'function') return { budget: undefined, release }
  const own: Budget = await budget(caller)
  // An undefined budget would mean no limit.
  assertMethod('what budget returns', own, 'reserve')
  return { budget: own, release }
}
