import { check } from '../api/schema/check.ts'
import { sleep } from '../lib/time.ts'
import type { OperationId } from '../api/operations.ts'
import { type Admission, type KeyPermissions, admit, defaultScopes } from './admission.ts'
import { type SandboxResponse, errorResponse, validationError, success } from './responses.ts'
import { creditsCharged } from './credits-charged.ts'
import { catalogPath, createCatalog } from './catalog.ts'
import { type CountsAsOpen, toResponse } from './to-response.ts'
import { injectedResponse, connectionReset, createFaults, applyFault } from './faults.ts'
import { createRateLimits } from './rate-limits.ts'
import { inputOf } from '../api/input.ts'
import { resolveOptions } from './options.ts'
import { createRandom } from './random.ts'
import { type RequestBody, readBody } from './read-body.ts'
import { basePath, createRoutes } from './routes.ts'
import type { Fault, Sandbox, SandboxCharge, SandboxOptions, SandboxRequest } from './types.ts'

/** A sandbox, with the handler that a server needs. */
export interface Service {
  readonly sandbox: Sandbox
  /** Handles a request; `countsAsOpen` says how long it counts towards the limit. */
  handle(request: Request, countsAsOpen: CountsAsOpen): Promise<Response>
}

/** Each sandbox is a separate organization and gets its own address, since clients share limits by address. */
let sandboxes = 0

/** The description is sent without a request id; whether the service adds one is not documented. */
const openapi: OperationId = 'openapi'

type Admitted = Extract<Admission, { refusal: null }>
type RequestEntry = { -readonly [Field in keyof SandboxRequest]: SandboxRequest[Field] }

export function createService(options: SandboxOptions): Service {
  const settings = resolveOptions(options)
  const { seed } = settings
  const [apiKey, writeKey] = ['key', 'write key'].map(
    (name) => `sandbox_${createRandom(`${seed}/${name}`).hex(32)}`,
  ) as [string, string]
  const keys = new Map<string, KeyPermissions>([
    [apiKey, { scopes: defaultScopes, lost: [] }],
    [writeKey, { scopes: [...defaultScopes, 'mentions:write'], lost: [] }],
    ...settings.keys.map(({ key, ...permissions }) => [key, permissions] as const),
  ])
  const entries: SandboxCharge[] = []
  const byOperation: Record<string, number> = {}
  const ledger = { spent: 0, byOperation, entries }
  const routes = createRoutes(settings, ledger)
  const catalog = createCatalog(seed)
  const limits = createRateLimits(settings.limits)
  const faults = createFaults(routes.map(({ operation }) => operation.id))
  const requests: RequestEntry[] = []
  const ids = createRandom(`${seed}/ids`)
  const latencies = createRandom(`${seed}/latencies`)

  async function handle(request: Request, countsAsOpen: CountsAsOpen): Promise<Response> {
    request.signal.throwIfAborted()
    if (catalog.owns(new URL(request.url).pathname)) return catalog.handle(request, register(request))
    const release = limits.enter(request)
    try {
      // Everything that depends on the order of requests is decided before the first await.
      const entry = register(request)
      const authorization = request.headers.get('authorization')
      const admission = admit({ ...entry, authorization }, { routes, keys, limits })
      const { route, refusal } = admission
      entry.operation = route?.operation.id ?? null
      const fault = refusal === null ? faults.take(route.operation.id) : undefined
      const delay = refusal === null ? drawLatency() + (fault?.delay ?? 0) : 0

      const body = await readBody(request)
      if (body.kind === 'json') entry.body = body.value
      // A caller that gives up ends the wait, but is charged: the service has the request.
      await sleep(delay, request.signal).catch(() => {})
      const response = admission.refusal ?? process(entry, admission, body, fault)
      request.signal.throwIfAborted()
      entry.status = response.status
      return toResponse(response, { cut: fault?.cut, countsAsOpen, request, release })
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
      operation: null,
      status: null,
      requestId: `req_${ids.hex(16)}`,
      inFlight: limits.openCount(),
      body: undefined,
      charged: 0,
    }
    requests.push(entry)
    return entry
  }

  function drawLatency(): number {
    const [min, max] = settings.latency
    return min + latencies.next() * (max - min)
  }

  /** Processes an admitted request, unless a fault prevents it, and charges for a success. */
  function process(
    entry: RequestEntry,
    { route: { operation, handle }, id }: Admitted,
    body: RequestBody,
    fault: Fault = {},
  ): SandboxResponse {
    if (fault.reset === 'before') throw connectionReset('fetch failed')
    let successBody: unknown = fault.body
    const response = applyFault(injectedResponse(fault, entry.requestId) ?? processNormally(), fault)
    if (response.status < 300) entry.charged = creditsCharged(operation, successBody)
    if (entry.charged > 0) charge(entry.requestId, operation.id, entry.charged)
    if (fault.reset === 'after') throw connectionReset('fetch failed')
    return response

    function processNormally(): SandboxResponse {
      const { requestId } = entry
      if (body.kind === 'too large')
        return errorResponse(requestId, 413, { message: 'The body exceeds 1 MiB' })
      if (operation.method !== 'GET' && body.kind !== 'json')
        return validationError(requestId, [{ path: '', message: 'must be JSON' }])
      const input = body.kind === 'json' ? body.value : inputOf(entry.query, operation)
      const issues = check(operation.request, input)
      const outcome = issues.length > 0 ? { issues } : handle(input, id)
      if ('issues' in outcome) return validationError(requestId, outcome.issues)
      if ('missing' in outcome) return errorResponse(requestId, 404, { message: outcome.missing })
      successBody = outcome.body
      return success(operation.id === openapi ? outcome.body : { requestId, ...outcome.body })
    }
  }

  function charge(requestId: string, operation: string, credits: number): void {
    ledger.spent += credits
    byOperation[operation] = (byOperation[operation] ?? 0) + credits
    entries.push({ requestId, operation, credits, at: performance.now() })
  }

  const origin = `https://sandbox-${++sandboxes}.invalid`
  const baseUrl = origin + basePath
  const fetch = (request: Request): Promise<Response> => handle(request, 'until answered')
  const sandbox: Sandbox = {
    fetch,
    baseUrl,
    apiKey,
    writeKey,
    catalog: { baseUrl: origin + catalogPath, token: catalog.token },
    clientOptions: () => ({
      baseUrl,
      apiKey,
      fetch,
      organization: `sandbox ${crypto.randomUUID()}`,
      limits: { perMinute: settings.limits.perMinute },
      dangerouslyAllowBrowser: true,
    }),
    ledger,
    requests,
    inject: (fault) => faults.add(fault),
    publish: settings.own.publish,
  }
  return { sandbox, handle }
}
