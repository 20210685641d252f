import type { Scope } from '../contract/operation.ts'
import { admit, defaultScopes } from './admission.ts'
import { type Answer, failure, invalid, success } from './answers.ts'
import { type Hold, deliver } from './deliver.ts'
import { answerInstead, connectionReset, createFaults, distort } from './faults.ts'
import { createGate } from './gate.ts'
import { createLedger } from './ledger.ts'
import { resolveOptions } from './options.ts'
import { createRandom } from './random.ts'
import { type RequestBody, readBody } from './read-body.ts'
import { type Route, basePath, createRoutes } from './routes.ts'
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

type Entry = { -readonly [Field in keyof SandboxRequest]: SandboxRequest[Field] }

export function createService(options: SandboxOptions): Service {
  const settings = resolveOptions(options)
  const { seed } = settings
  const apiKey = `sandbox_${createRandom(`${seed}/key`).hex(32)}`
  const keys = new Map<string, readonly Scope[]>([
    [apiKey, defaultScopes],
    ...settings.keys.map(({ key, scopes }) => [key, scopes] as const),
  ])
  const routes = createRoutes(settings)
  const gate = createGate(settings.limits)
  const faults = createFaults(routes.map(({ operation }) => operation.id))
  const ledger = createLedger()
  const requests: Entry[] = []
  const ids = createRandom(`${seed}/ids`)
  const latencies = createRandom(`${seed}/latencies`)

  async function handle(request: Request, hold: Hold): Promise<Response> {
    request.signal.throwIfAborted()
    const release = gate.enter(request)
    try {
      // All that depends on the order of requests is decided here, before the first await.
      const entry = register(request)
      const authorization = request.headers.get('authorization')
      const { route, refusal } = admit({ ...entry, authorization }, { routes, keys, gate })
      entry.operation = route?.operation.id ?? null
      const fault = refusal === null ? faults.take(route.operation.id) : undefined
      const delay = refusal === null ? drawLatency() + (fault?.delay ?? 0) : 0

      const body = await readBody(request)
      if (body.kind === 'json') entry.body = body.value
      await wait(delay, request.signal)
      const answer = refusal ?? process(entry, route, body, fault)
      entry.status = answer.status
      return deliver(answer, { cut: fault?.cut, hold, request, release })
    } catch (error) {
      release()
      throw error
    }
  }

  function register(request: Request): Entry {
    const entry: Entry = {
      at: performance.now(),
      method: request.method,
      path: new URL(request.url).pathname,
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
  function process(entry: Entry, { operation, handle }: Route, body: RequestBody, fault: Fault = {}): Answer {
    if (fault.reset === 'before') throw connectionReset('fetch failed')
    const answer = distort(answerInstead(fault, entry.requestId) ?? answerTo(), fault)
    if (answer.status < 300 && operation.price.kind === 'fixed') {
      entry.charged = operation.price.credits
      ledger.charge(entry.requestId, operation.id, entry.charged)
    }
    if (fault.reset === 'after') throw connectionReset('fetch failed')
    return answer

    function answerTo(): Answer {
      if (body.kind === 'too large')
        return failure(entry.requestId, 413, { message: 'The body exceeds 1 MiB' })
      if (body.kind !== 'json')
        return invalid(entry.requestId, [{ path: '', message: 'the body must be JSON' }])
      const issues = operation.request(body.value)
      const outcome = issues.length > 0 ? { issues } : handle(body.value)
      return 'issues' in outcome
        ? invalid(entry.requestId, outcome.issues)
        : success(entry.requestId, outcome.body)
    }
  }

  const sandbox: Sandbox = {
    fetch: (request) => handle(request, 'until answered'),
    baseUrl: `https://sandbox-${++sandboxes}.invalid${basePath}`,
    apiKey,
    ledger: ledger.view,
    requests,
    inject: (fault) => faults.add(fault),
  }
  return { sandbox, handle }
}
