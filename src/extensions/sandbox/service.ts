import { descriptionGet } from '../../api/endpoints/description.ts'
import { inputOf } from '../../api/incoming-request.ts'
import { itemsOf } from '../../api/list-items.ts'
import { organizationLimits } from '../../api/limits.ts'
import type { Scope } from '../../api/operation.ts'
import { costOf } from '../../api/price.ts'
import { check } from '../../api/schema/check.ts'
import { randomId } from '../../lib/hash.ts'
import { isA } from '../../lib/thrown.ts'
import { sleep } from '../../lib/time.ts'
import { RateLimits, allScopes, defaultScopes, refusalOf, routeFor } from './admission.ts'
import { catalogPath, createCatalog } from './catalog.ts'
import { type Fault, Faults, altered, connectionReset, cutShort, injectedBy } from './faults.ts'
import { resolveOptions } from './options.ts'
import { createRandom } from './random.ts'
import {
  type SandboxResponse,
  SandboxError,
  errorResponse,
  invalid,
  jsonHeaders,
  readBody,
} from './responses.ts'
import { type Route, basePath, createRoutes } from './routes.ts'
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

  /** A request counts as open until its answer is made, since a test may never read it, or until one that breaks off has ended. */
  async function handle(request: Request): Promise<Response> {
    request.signal.throwIfAborted()
    if (catalog.owns(new URL(request.url).pathname)) return catalog.handle(request, register(request))
    const release = limits.enter(request)
    try {
      // Everything that depends on the order of requests is decided before the first await.
      const entry = register(request)
      const { route, id } = routeFor(entry, routes)
      entry.operation = route.operation.id || null
      const refusal = refusalOf(route, request.headers.get('authorization'), keys, limits)
      const fault = refusal ? {} : faults.take(route.operation.id)
      const [min, max] = settings.latency
      const delay = refusal ? 0 : min + latencies.next() * (max - min) + (fault.delay ?? 0)

      entry.body = await readBody(request)
      // A caller that gives up ends the wait, but is charged: the service has the request.
      await sleep(delay, request.signal).catch(() => {})
      const response = respond(entry, route, fault, () => {
        if (refusal) throw refusal
        return dataOf(route, id, entry)
      })
      request.signal.throwIfAborted()
      const { status, headers } = response
      entry.status = status
      if (fault.cut === undefined) release()
      const sent =
        fault.cut === undefined ? response.body : cutShort(response.body, fault.cut, request, release)
      return new Response([204, 205, 304].includes(status) ? null : sent, { status, headers })
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

  /** Answers with what `process` returns, or with its fault, and charges for a success. */
  function respond(
    entry: RequestEntry,
    { operation }: Route,
    fault: Fault,
    process: () => object,
  ): SandboxResponse {
    const { requestId } = entry
    if (fault.reset === 'before') throw connectionReset('fetch failed')
    let response: SandboxResponse
    try {
      const injected = injectedBy(fault, operation.errors)
      const { status, data } = injected ?? { status: 200, data: process() }
      const credits = status < 300 ? (costOf(operation.price, data, () => itemsOf(operation, data)) ?? 0) : 0
      entry.charged = credits
      ledger.spent += credits
      if (credits > 0) byOperation[operation.id] = (byOperation[operation.id] ?? 0) + credits
      // Whether the service adds a request id to its description is not documented.
      const sent = operation === descriptionGet ? data : { requestId, ...(data as object) }
      response = { status, headers: jsonHeaders(), body: injected ? '' : JSON.stringify(sent) }
    } catch (error) {
      if (!isA(error, SandboxError)) throw error
      response = errorResponse(requestId, error)
    }
    if (fault.reset === 'after') throw connectionReset('fetch failed')
    return altered(response, fault)
  }

  /** The sandbox at an address. */
  function sandboxAt(origin: string): Sandbox {
    const baseUrl = origin + basePath
    return {
      fetch: handle,
      baseUrl,
      apiKey,
      writeKey,
      catalog: { baseUrl: origin + catalogPath, token: catalog.token },
      clientOptions: () => ({
        baseUrl,
        apiKey,
        fetch: handle,
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

/** The body of a success, without its request id. @throws {SandboxError} for a request that the service refuses. */
function dataOf({ operation, handle }: Route, id: string, { body, query }: RequestEntry): object {
  if (operation.method !== 'GET' && body === undefined) throw invalid([{ path: '', message: 'must be JSON' }])
  const input = body === undefined ? inputOf(query, operation) : body
  const issues = check(operation.request, input)
  if (issues.length > 0) throw invalid(issues)
  return handle(input, id)
}
