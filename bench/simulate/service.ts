import { operations } from '../../src/api/operations.ts'
import type { Operation } from '../../src/api/operation.ts'
import { sleep } from './clock.ts'
import type { Draws } from './draws.ts'
import { type Cause, Gate } from './gate.ts'
import type { Scenario } from './scenarios.ts'

/** URL of the service; only its model responds there. */
export const baseUrl = 'https://simulated.example/v1'

/** The arrival of one of our requests. */
export interface Arrival {
  /** Milliseconds since the start of the run. */
  readonly at: number
  /** Null if it was admitted. */
  readonly refused: Cause | null
}

/** The service as a client sees it: network, limits, time, faults. Uses the installed clock. */
export class Service {
  readonly arrivals: Arrival[] = []
  /** Foreign requests. */
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

  /** Replaces the global fetch. */
  readonly fetch = async ({ url }: Pick<Request, 'url'>): Promise<Response> => {
    await sleep(this.#draws.network())
    const answer = await this.#serve(surfaceAt(url))
    if (answer !== 'reset' && this.#dates) answer.headers.set('date', date())
    await sleep(this.#draws.network())
    // undici reports only this for a broken connection, with the code in `cause`.
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

  /** Foreign load, which ignores 429s. */
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

/** The service's clock differs from the client's, and has whole seconds. */
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
