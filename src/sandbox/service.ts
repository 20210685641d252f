import type { OperationId } from '../contract/operations.ts'
import { type Admission, type Grant, admit, defaultScopes } from './admission.ts'
import { type Answer, failure, invalid, success } from './answers.ts'
import { costOf } from './cost.ts'
import { catalogPath, createCatalog } from './catalog.ts'
import { type Hold, deliver } from './deliver.ts'
import { answerInstead, connectionReset, createFaults, distort } from './faults.ts'
import { createGate } from './gate.ts'
import { inputOf } from '../contract/input.ts'
import { createLedger } from './ledger.ts'
import { resolveOptions } from './options.ts'
import { createRandom } from './random.ts'
import { type RequestBody, readBody } from './read-body.ts'
import { basePath, createRoutes } from './routes.ts'
import type { Fault, Sandbox, SandboxOptions, SandboxRequest } from './types.ts'
import { wait } from './wait.ts'

/** The simulated service, and the door that a server needs besides those of users. */
export interface Service {
  readonly sandbox: Sandbox
  /** Answers a request, which counts as open as long as `hold` says. */
  handle(request: Request, hold: Hold): Promise<Response>
}

/** Each sandbox is an organization of its own, so each has its own address: clients share limits by address. */
let sandboxes = 0

/** Whether the description of the service carries a request id is not documented; here, it is the description alone. */
const openapi: OperationId = 'openapi'

type Admitted = Extract<Admission, { refusal: null }>
type Entry = { -readonly [Field in keyof SandboxRequest]: SandboxRequest[Field] }

export function createService(options: SandboxOptions): Service {
  const settings = resolveOptions(options)
  const { seed } = settings
  const apiKey = `sandbox_${createRandom(`${seed}/key`).hex(32)}`
  const keys = new Map<string, Grant>([
    [apiKey, { scopes: defaultScopes, lost: [] }],
    ...settings.keys.map(({ key, ...grant }) => [key, grant] as const),
  ])
  const ledger = createLedger()
  const routes = createRoutes(settings, ledger.view)
  const catalog = createCatalog(seed)
  const gate = createGate(settings.limits)
  const faults = createFaults(routes.map(({ operation }) => operation.id))
  const requests: Entry[] = []
  const ids = createRandom(`${seed}/ids`)
  const latencies = createRandom(`${seed}/latencies`)

  async function handle(request: Request, hold: Hold): Promise<Response> {
    request.signal.throwIfAborted()
    if (catalog.owns(new URL(request.url).pathname)) return catalog.handle(request, register(request))
    const release = gate.enter(request)
    try {
      // All that depends on the order of requests is decided here, before the first await.
      const entry = register(request)
      const authorization = request.headers.get('authorization')
      const admission = admit({ ...entry, authorization }, { routes, keys, gate })
      const { route, refusal } = admission
      entry.operation = route?.operation.id ?? null
      const fault = refusal === null ? faults.take(route.operation.id) : undefined
      const delay = refusal === null ? drawLatency() + (fault?.delay ?? 0) : 0

      const body = await readBody(request)
      if (body.kind === 'json') entry.body = body.value
      await wait(delay, request.signal)
      const answer = admission.refusal ?? process(entry, admission, body, fault)
      entry.status = answer.status
      return deliver(answer, { cut: fault?.cut, hold, request, release })
    } catch (error) {
      release()
      throw error
    }
  }

  function register(request: Request): Entry {
    const { pathname, search } = new URL(request.url)
    const entry: Entry = {
      at: performance.now(),
      method: request.method,
      path: pathname,
      query: search,
      operation: null,
      status: null,
      requestId: `req_${ids.hex(16)}`,
      inFlight: gate.open(),
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

  /** Carries out an admitted request, as far as a fault lets it, and charges for it on success. */
  function process(
    entry: Entry,
    { route: { operation, handle }, id }: Admitted,
    body: RequestBody,
    fault: Fault = {},
  ): Answer {
    if (fault.reset === 'before') throw connectionReset('fetch failed')
    let answered: unknown = fault.body
    const answer = distort(answerInstead(fault, entry.requestId) ?? answerTo(), fault)
    if (answer.status < 300) entry.charged = costOf(operation, answered)
    if (entry.charged > 0) ledger.charge(entry.requestId, operation.id, entry.charged)
    if (fault.reset === 'after') throw connectionReset('fetch failed')
    return answer

    function answerTo(): Answer {
      const { requestId } = entry
      if (body.kind === 'too large') return failure(requestId, 413, { message: 'The body exceeds 1 MiB' })
      if (operation.method !== 'GET' && body.kind !== 'json')
        return invalid(requestId, [{ path: '', message: 'must be JSON' }])
      const input = body.kind === 'json' ? body.value : inputOf(entry.query, operation)
      const issues = operation.request(input)
      const outcome = issues.length > 0 ? { issues } : handle(input, id)
      if ('issues' in outcome) return invalid(requestId, outcome.issues)
      if ('missing' in outcome) return failure(requestId, 404, { message: outcome.missing })
      answered = outcome.body
      return success(operation.id === openapi ? outcome.body : { requestId, ...outcome.body })
    }
  }

  const origin = `https://sandbox-${++sandboxes}.invalid`
  const sandbox: Sandbox = {
    fetch: (request) => handle(request, 'until answered'),
    baseUrl: origin + basePath,
    apiKey,
    catalog: { baseUrl: origin + catalogPath, token: catalog.token },
    ledger: ledger.view,
    requests,
    inject: (fault) => faults.add(fault),
  }
  return { sandbox, handle }
}
