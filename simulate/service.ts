import { operations } from '../src/contract/operations.ts'
import type { Operation } from '../src/contract/operation.ts'
import { sleep } from './clock.ts'
import type { Draws } from './draws.ts'
import { type Cause, Gate } from './gate.ts'
import type { Scenario } from './scenarios.ts'

/** Where the service is; nothing but its model answers there. */
export const baseUrl = 'https://simulated.example/v1'

/** The arrival of a request of ours. */
export interface Arrival {
  /** Milliseconds since the start of the run. */
  readonly at: number
  /** Null for one that was admitted. */
  readonly refused: Cause | null
}

/** The service as a client sees it: network, limits, time, faults. Runs on whatever clock is installed. */
export class Service {
  readonly arrivals: Arrival[] = []
  /** Requests of somebody else. */
  readonly foreign = { sent: 0, served: 0 }
  readonly #draws: Draws
  readonly #dates: boolean
  readonly #gate: Gate
  readonly #start = performance.now()
  #admitted = 0

  constructor(scenario: Scenario, draws: Draws) {
    this.#draws = draws
    this.#dates = scenario.dates
    this.#gate = new Gate(scenario.countsRejects, scenario.window, draws.phase)
    const [first] = scenario.operations
    if (scenario.foreignPerMinute > 0) void this.#foreignLoad(first?.surface ?? null)
  }

  /** Stands for the global fetch. */
  readonly fetch = async ({ url }: Pick<Request, 'url'>): Promise<Response> => {
    await sleep(this.#draws.network())
    const answer = await this.#serve(surfaceAt(url))
    if (answer !== 'reset' && this.#dates) answer.headers.set('date', date())
    await sleep(this.#draws.network())
    // Where a connection dies, undici says just that, with the code below it.
    if (answer === 'reset') {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) })
    }
    return answer
  }

  async #serve(surface: string | null): Promise<Response | 'reset'> {
    const at = performance.now() - this.#start
    const refusal = this.#gate.arrive(surface, at, 'own')
    this.arrivals.push({ at, refused: refusal?.cause ?? null })
    if (refusal !== null) return failure(429, 'rate_limited', refusal.retryAfter)
    const { ms, end, retryAfter } = this.#draws.visit(this.#admitted++)
    await sleep(ms)
    this.#gate.leave('own')
    if (end === 'reset') return end
    return end === 'success' ? success() : failure(503, 'professionalnet_unavailable', retryAfter)
  }

  /** Somebody else, who does not care about 429s. */
  async #foreignLoad(surface: string | null): Promise<void> {
    for (;;) {
      await sleep(this.#draws.foreignGap())
      const stay = this.#draws.foreignStay()
      this.foreign.sent++
      if (this.#gate.arrive(surface, performance.now() - this.#start, 'foreign') !== null) continue
      this.foreign.served++
      setTimeout(() => this.#gate.leave('foreign'), stay)
    }
  }
}

function surfaceAt(url: string): string | null {
  const all: readonly Operation[] = operations
  return all.find(({ path }) => url === `${baseUrl}${path}`)?.surface ?? null
}

/** The service's clock is not the client's, and tells whole seconds. */
function date(): string {
  return new Date(Date.now() + 1_234_567).toUTCString()
}

const requestId = 'req_simulated'

function success(): Response {
  return Response.json({ requestId, posts: [], meta: { returnedCount: 0, page: 1, hasMore: false } })
}

function failure(status: number, code: string, retryAfter: number): Response {
  const body = { requestId, error: { code, message: 'simulated', retryAfter } }
  return Response.json(body, { status, headers: { 'retry-after': String(retryAfter) } })
}
