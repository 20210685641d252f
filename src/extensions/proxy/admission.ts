import { inputOf, matchPath } from '../../api/incoming-request.ts'
import { within } from '../../lib/abort.ts'
import { assertMethod } from '../../errors/check-options.ts'
import type { Budget } from '../../index.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { isRounded } from '../../lib/json.ts'
import { readBytes } from '../../lib/read-bytes.ts'
import type { ProxySettings, ProxyUser } from './options.ts'
import { ProxyRefusal } from './error-statuses.ts'
import type { Operation } from '../../api/operation.ts'
import { type OperationId, operations } from '../../api/operations.ts'

/** An authorized call. */
export interface Admitted {
  /** The id of the caller. */
  readonly caller: string
  /** The body as it was sent; empty for a GET. */
  readonly body: string
  readonly params: unknown
  readonly budget: Budget | undefined
}

/** Largest body that is read, in bytes. */
const maxBodyBytes = 2 ** 20

/**
 * Authorizes a request, reads its params and picks its budget. Throws a refusal, or what `authorize` and `budget` throw.
 * Every wait ends at `sendBy`, the latest time to send the call in monotonic milliseconds, or when the caller leaves.
 */
export function admit(
  request: Request,
  operation: KnownOperation,
  sendBy: number,
  { authorize, budgetOf }: ProxySettings,
): Promise<Admitted> {
  if (operation.method !== 'GET' && !isJson(request.headers.get('content-type')))
    throw new ProxyRefusal(415, 'unsupported_media_type', 'the content type must be application/json')
  let step: 'authorize' | 'body' | 'budget' = 'authorize'
  const late = (): never => {
    if (step !== 'body') throw tooLate(step)
    throw new ProxyRefusal(408, 'request_timeout', 'the body took too long, nothing was sent')
  }
  const work = async (): Promise<Admitted> => {
    const caller = await authorize(request)
    if (request.bodyUsed) {
      throw new ConfigurationError(
        'the body of the request was already read; mount the proxy before any body parser, and read no body in authorize',
      )
    }
    if (caller === false) throw new ProxyRefusal(403, 'forbidden', 'this user may not use the proxy')
    if (caller === null || caller === undefined)
      throw new ProxyRefusal(401, 'unauthorized', 'the proxy does not know who is calling')
    const { id } = caller as Partial<ProxyUser>
    if (typeof id !== 'string' || id === '')
      throw new ConfigurationError('authorize must return a user with an id, null or false')
    step = 'body'
    const { body, params } = await readParams(request, operation)
    step = 'budget'
    const admitted = { caller: id, body, params, budget: caller.budget }
    if (caller.budget !== undefined || budgetOf === undefined) return admitted
    // An undefined budget would mean no limit.
    return { ...admitted, budget: assertMethod('what budget returns', await budgetOf(caller), 'reserve') }
  }
  return within(sendBy - performance.now(), work, late, request.signal)
}

/** @param what The functions that have taken the time. */
export function tooLate(what: string): ConfigurationError {
  return new ConfigurationError(`${what} took too long, nothing was sent`)
}

function isJson(contentType: string | null): boolean {
  return /^application\/json *(;|$)/i.test(contentType ?? '')
}

async function readParams(
  request: Request,
  operation: KnownOperation,
): Promise<Pick<Admitted, 'body' | 'params'>> {
  if (operation.method === 'GET') return { body: '', params: inputOf(new URL(request.url).search, operation) }
  const bytes = await readBytes(request, maxBodyBytes).catch(() => null)
  if (bytes === 'too large')
    throw new ProxyRefusal(413, 'payload_too_large', `the body is larger than ${maxBodyBytes} bytes`)
  let message = 'the body must be JSON'
  try {
    // The service would search for what stands for bytes that are no text, and charge.
    const body = new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? undefined)
    const params: unknown = JSON.parse(body)
    if (!isRounded(params, body)) return { body, params }
    message = 'the body has an integer too long to be sent exactly; put it in quotes'
  } catch {
    // Refused below, like a body that cannot be read.
  }
  const issues = [{ path: '', message }]
  throw new ProxyRefusal(400, 'validation_error', `${message}, nothing was sent`, { issues })
}

/** An operation of the service. */
export type KnownOperation = Operation & { readonly id: OperationId }

const all: readonly KnownOperation[] = operations

/** The operation that a request calls, and the id in its path. */
export function route({ method, url }: Request, settings: ProxySettings) {
  const { found, id } = operationsAt(new URL(url).pathname)
  if (found.length === 0)
    throw new ProxyRefusal(404, 'not_found', 'unknown path; expected the path of an operation')
  const allowed = found.filter((operation) => settings.allow.has(operation.id))
  if (allowed.length === 0)
    throw new ProxyRefusal(403, 'operation_not_allowed', 'the proxy does not allow this operation')
  const operation = allowed.find((each) => each.method === method)
  if (operation !== undefined) return { operation, id }
  const allow = allowed.map((each) => each.method).join(', ')
  const message = `${method} is not a method of this path; expected ${allow}`
  throw new ProxyRefusal(405, 'method_not_allowed', message, { headers: { allow } })
}

/** Finds the operations at a path. Ignores what precedes the operation's own path, so the proxy can be mounted anywhere. */
function operationsAt(path: string): { found: readonly KnownOperation[]; id: string } {
  for (let start = 0; start !== -1; start = path.indexOf('/', start + 1)) {
    const { routes, id } = matchPath(path.slice(start), all)
    // `/feeds/mentions` may be `/mentions` of a proxy mounted at `/feeds`: only ids with the prefix are feeds.
    const found = routes.filter(({ pathId }) => id.startsWith(pathId?.prefix ?? ''))
    if (found.length > 0) return { found, id }
  }
  return { found: [], id: '' }
}
