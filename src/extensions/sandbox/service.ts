import { descriptionGet } from '../../api/endpoints/description.ts'
import { inputOf } from '../../api/incoming-request.ts'
import { itemsOf } from '../../api/list-items.ts'
import { organizationLimits } from '../../api/limits.ts'
import type { Operation, Scope } from '../../api/operation.ts'
import { check } from '../../api/schema/check.ts'
import { randomId } from '../../lib/hash.ts'
import { valueAt } from '../../lib/json.ts'
import { isA } from '../../lib/thrown.ts'
import { sleep } from '../../lib/time.ts'
import { type Admitted, RateLimits, allScopes, defaultScopes, routeFor } from './admission.ts'
import { catalogPath, createCatalog } from './catalog.ts'
import { Faults, applyFault, connectionReset, injectedResponse, type Fault } from './faults.ts'
import { resolveOptions } from './options.ts'
import { createRandom } from './random.ts'
import {
  type RequestBody,
  type SandboxResponse,
  SandboxError,
  errorResponse,
  invalid,
  jsonHeaders,
  readBody,
} from './responses.ts'
import { basePath, createRoutes } from './routes.ts'
import type { RequestEntry, Sandbox, SandboxOptions } from './types.ts'

/** A sandbox for any address, with the handler that a server needs. */
export function createService(options: SandboxOptions) {
  const settings = resolveOptions(options)
  const { seed } = settings
  const { perMinute } = settings.limits
  const madeUpKey = (name: string): string => `sandbox_${createRandom(`${seed}/${name}`).hex(32)}`
  const [apiKey, writeKey] = [madeUpKey('key'), madeUpKey('write key')]
  const keys = new Map<string, readonly Scope[]>([
    [apiKey, defaultScopes],
    [writeKey, allScopes],
    ...settings.keys.map(({ key, scopes }) => [key, scopes] as const),
  ])
  const byOperation: Record<string, number> = {}
  const ledger = { spent: 0, byOperation }
  const routes = createRoutes(settings, ledger)
  const catalog = createCatalog(seed)
  const limits = new RateLimits(settings.limits)
  const faults = new Faults()
  const requests: RequestEntry[] = []
  const ids = createRandom(`${seed}/ids`)
  const latencies = createRandom(`${seed}/latencies`)

  /** Handles a request; `countsAsOpen` says how long it counts towards the limit. */
  async function handle(request: Request, countsAsOpen: CountsAsOpen): Promise<Response> {
    request.signal.throwIfAborted()
    if (catalog.owns(new URL(request.url).pathname)) return catalog.handle(request, register(request))
    const release = limits.enter(request)
    try {
      // Everything that depends on the order of requests is decided before the first await.
      const entry = register(request)
      const { isAnyAwaited } = faults
      const rules = { routes, keys, limits, isAnyAwaited }
      const admission = routeFor(entry, request.headers.get('authorization'), rules)
      const isRefused = isA(admission, SandboxError)
      const fault = isRefused ? undefined : faults.take(admission.operation.id)
      const [min, max] = settings.latency
      const delay = isRefused ? 0 : min + latencies.next() * (max - min) + (fault?.delay ?? 0)

      const body = await readBody(request)
      if (body.kind === 'json') entry.body = body.value
      // A caller that gives up ends the wait, but is charged: the service has the request.
      await sleep(delay, request.signal).catch(() => {})
      const response = isRefused
        ? errorResponse(entry.requestId, admission)
        : process(entry, admission, body, fault)
      request.signal.throwIfAborted()
      entry.status = response.status
      return toResponse(response, request, countsAsOpen, release)
    } catch (error) {
      release()
      throw error
    }
  }

  function register(request: Request): RequestEntry {
    const { pathname, search } = new URL(request.url)
    const entry: RequestEntry = {
      at: performance.now(),
      method: request.method,
      path: pathname,
      query: search,
      headers: keptHeaders(request),
      operation: null,
      status: null,
      requestId: `req_${ids.hex(16)}`,
      inFlight: limits.openCount,
      body: undefined,
      charged: 0,
    }
    requests.push(entry)
    return entry
  }

  /** Processes an admitted request, unless a fault prevents it, and charges for a success. */
  function process(
    entry: RequestEntry,
    admitted: Admitted,
    body: RequestBody,
    fault: Fault = {},
  ): SandboxResponse {
    if (fault.reset === 'before') throw connectionReset('fetch failed')
    const { operation, refusal } = admitted
    // Elsewhere, a body replaces that of a success.
    const injected = refusal && fault.body !== undefined ? { ...fault, status: fault.status ?? 200 } : fault
    const answered =
      injectedResponse(injected, entry.requestId, operation) ??
      (refusal ? errorResponse(entry.requestId, refusal) : answer(admitted, body, entry))
    const credits = answered.status < 300 ? creditsCharged(operation, answered.data) : 0
    entry.charged = credits
    ledger.spent += credits
    if (credits > 0) byOperation[operation.id] = (byOperation[operation.id] ?? 0) + credits
    if (fault.reset === 'after') throw connectionReset('fetch failed')
    return applyFault(answered, fault)
  }

  /** The sandbox at an address. */
  function sandboxAt(origin: string): Sandbox {
    const baseUrl = origin + basePath
    const fetch = (request: Request): Promise<Response> => handle(request, 'until answered')
    return {
      fetch,
      baseUrl,
      apiKey,
      writeKey,
      catalog: { baseUrl: origin + catalogPath, token: catalog.token },
      clientOptions: () => ({
        baseUrl,
        apiKey,
        fetch,
        organization: `sandbox ${label()}`,
        ...(perMinute !== organizationLimits.perMinute && { limits: { perMinute } }),
        dangerouslyAllowBrowser: true,
        logger: false,
      }),
      ledger,
      requests,
      inject: (fault) => faults.add(fault),
      publish: settings.own.publish,
    }
  }
  return { sandboxAt, handle }
}

let labels = 0

/** A label that no other client has. Edge workers refuse random values before the first request. */
function label(): string {
  try {
    return randomId(16)
  } catch {
    return String(++labels)
  }
}

function keptHeaders({ headers }: Request): Record<string, string> {
  const kept = Object.fromEntries(headers)
  const { authorization } = kept
  return authorization === undefined
    ? kept
    : { ...kept, authorization: authorization.replace(/^(\S+ )?.*$/, '$1[redacted]') }
}

function answer(admitted: Admitted, body: RequestBody, { requestId, query }: RequestEntry): SandboxResponse {
  try {
    const data = dataOf(admitted, body, query)
    // Whether the service adds a request id to its description is not documented.
    const sent = admitted.operation === descriptionGet ? data : { requestId, ...data }
    return { status: 200, headers: jsonHeaders(), body: JSON.stringify(sent), data }
  } catch (error) {
    if (!isA(error, SandboxError)) throw error
    return errorResponse(requestId, error)
  }
}

/** The body of a success, without its request id. */
function dataOf({ operation, handle, pathId }: Admitted, body: RequestBody, query: string): object {
  if (body.kind === 'too large') throw new SandboxError(413, { message: 'The body exceeds 1 MiB' })
  if (operation.method !== 'GET' && body.kind !== 'json')
    throw invalid([{ path: '', message: 'must be JSON' }])
  const input = body.kind === 'json' ? body.value : inputOf(query, operation)
  const issues = check(operation.request, input)
  if (issues.length > 0) throw invalid(issues)
  return handle(input, pathId)
}

/** Credits charged for a success with this body. */
function creditsCharged(operation: Operation, body: unknown): number {
  const { price } = operation
  if (price.kind === 'free') return 0
  // An injected body may state another cost.
  const stated = valueAt(body, ['meta', 'creditsCharged'])
  if (Number.isSafeInteger(stated) && Number(stated) >= 0) return Number(stated)
  return price.kind === 'perRequest' ? price.credits : price.credits * (itemsOf(operation, body)?.length ?? 0)
}

/** When a request stops counting as open: when the response is made, or when its body was read. */
export type CountsAsOpen = 'until answered' | 'until read'

/**
 * Makes a `Response`, and calls `release` once the request no longer counts as open. In memory, that is at once: a test may
 * never read the body.
 */
function toResponse(
  { status, headers, body, cut }: SandboxResponse,
  request: Request,
  countsAsOpen: CountsAsOpen,
  release: () => void,
): Response {
  const isWhole = cut === undefined
  const hasBody = ![204, 205, 304].includes(status)
  if (!hasBody || (isWhole && countsAsOpen === 'until answered')) {
    release()
    return new Response(hasBody ? body : null, { status, headers })
  }

  const bytes = new TextEncoder().encode(body)
  let unsent = isWhole ? bytes : bytes.subarray(0, Math.floor(bytes.length / 2))

  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        request.signal.addEventListener('abort', () => {
          release()
          // Has no effect on a stream that has ended.
          controller.error(request.signal.reason)
        })
      },
      pull(controller) {
        if (unsent.length > 0) {
          controller.enqueue(unsent)
          unsent = bytes.subarray(0, 0)
          if (!isWhole) return undefined
        }
        if (cut === 'stall') return new Promise(() => {})
        release()
        if (cut === 'reset') controller.error(connectionReset('terminated'))
        else controller.close()
        return undefined
      },
      cancel: release,
    },
    // By default, a stream takes the first part before a reader asks for it.
    { highWaterMark: 0 },
  )
  return new Response(stream, { status, headers })
}
