import { http } from 'msw/http'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll } from 'vitest'
import {
  type ClientOptions,
  type MicroblogSearchPage,
  type PagedOptions,
  SocialSearch,
} from '../../src/index.ts'
import { type Outcome, settle, virtualTime } from './clock.ts'
import { page } from './pages.ts'

export const baseUrl = 'https://api.example/v1'
export const apiKey = 'org_live_5f2b8c1d9e'

export function ok(body: unknown = page(['1']), init: ResponseInit = {}): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    headers: { 'content-type': 'application/json' },
    ...init,
  })
}

/** An error with the service's own body. */
export function failure(
  status: number,
  code: string,
  details: { headers?: Record<string, string>; error?: object; top?: object } = {},
): Response {
  const body = { requestId: `req_${code}`, ...details.top, error: { code, ...details.error } }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...details.headers },
  })
}

export const rateLimited = (seconds: number): Response =>
  failure(429, 'rate_limited', { headers: { 'retry-after': `${seconds}` }, error: { retryAfter: seconds } })

/** A network failure, of which nothing but the failure is visible. */
export const unreachable = (): Response => Response.error()

/** Never answers, and does not heed a signal. */
export const hang = (): Promise<never> => new Promise(() => {})

/** Answers after so many milliseconds. */
export const slow = (ms: number, answer: () => Response = ok) => {
  return () => new Promise<Response>((resolve) => setTimeout(() => resolve(answer()), ms))
}

/** What arrived at the service. */
interface Arrival {
  /** Milliseconds on the monotonic clock. */
  at: number
  method: string
  url: string
  headers: Headers
  body: string
}

export type Step = Response | (() => Response | Promise<Response>)

/** How a call ended, what its client counts, and what has arrived at the service. */
interface Seen<T> extends Outcome<T> {
  client: SocialSearch
  spent: number
  uncertain: number
  reserved: number
  /** How often something has arrived, */
  sent: number
  /** when, in milliseconds from the first one, */
  at: number[]
  /** and what, as JSON. */
  bodies: unknown[]
}

/** What a client counts after a page, a failure that is free, and one that may have been charged. */
export const paid = { spent: 2, uncertain: 0, reserved: 0 }
export const notPaid = { spent: 0, uncertain: 0, reserved: 0 }
export const maybePaid = { spent: 0, uncertain: 2, reserved: 0 }

export interface ScriptedService {
  arrivals: Arrival[]
  /** Answers in this order, the last step for ever. */
  script(...steps: Step[]): ScriptedService
  /** Makes a call in virtual time, by a new client with these options or by a given one. */
  see<T>(
    call: (client: SocialSearch) => PromiseLike<T>,
    client?: Partial<ClientOptions> | SocialSearch,
  ): Promise<Seen<T>>
  /** Searches. */
  search(
    client?: Partial<ClientOptions> | SocialSearch,
    options?: PagedOptions,
  ): Promise<Seen<MicroblogSearchPage>>
}

/**
 * The service, played by msw: answers what the test has scripted, in order, the last step for ever. Registers its own
 * hooks with vitest.
 */
export function scriptedService(): ScriptedService {
  const arrivals: Arrival[] = []
  let steps: Step[] = []
  const server = setupServer(
    http.all(`${baseUrl}/*`, async ({ request }) => {
      const { method, url, headers } = request
      arrivals.push({ at: performance.now(), method, url, headers, body: await request.clone().text() })
      const step = steps.length > 1 ? steps.shift() : steps[0]
      if (step === undefined) throw new Error('the test has scripted no answer')
      return typeof step === 'function' ? step() : step.type === 'error' ? step : step.clone()
    }),
  )
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
  afterAll(() => server.close())
  afterEach(() => {
    arrivals.length = 0
    steps = []
  })
  const service: ScriptedService = {
    arrivals,
    script: (...next) => {
      steps = next
      return service
    },
    see: async (call, given = {}) => {
      const client = given instanceof SocialSearch ? given : makeClient(given)
      const outcome = await settle(call(client))
      const { spent, uncertain, reserved } = client.credits
      const seen = { sent: arrivals.length, at: arrivals.map(({ at }) => at - arrivals[0]!.at) }
      const bodies = arrivals.map(({ body }) => (body === '' ? undefined : (JSON.parse(body) as unknown)))
      return { ...outcome, client, spent, uncertain, reserved, ...seen, bodies }
    },
    search: (given, options = {}) =>
      service.see(({ microblog }) => microblog.search({ query: 'rust' }, options), given),
  }
  return service
}

/** The same in virtual time, as each test has it that waits for nothing real. */
export function virtualService(): ScriptedService {
  virtualTime()
  return scriptedService()
}

/** A client of the scripted service with separate limits, so that no test waits for another's requests. */
export function makeClient(options: Partial<ClientOptions> = {}): SocialSearch {
  return new SocialSearch({ baseUrl, apiKey, organization: crypto.randomUUID(), logger: false, ...options })
}
