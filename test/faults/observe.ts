import { vi } from 'vitest'
import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  type Fetch,
  type InvalidResponseError,
  SocialSearch,
  SocialSearchError,
  TimeoutError,
} from '../../src/index.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { page, post } from '../support/pages.ts'
import { realTime } from '../support/real-time.ts'
import { rawServer } from '../support/raw-server.ts'
import { type Step, apiKey, makeClient, ok } from '../support/service.ts'
import { must } from './case.ts'

/** What each fault is tried on: a call that is free, one that is metered, and one that changes something. */
const calls = {
  GET: (client: SocialSearch) => client.professionalnet.industries.list(),
  POST: (client: SocialSearch) => client.microblog.search({ query: 'rust' }),
  PATCH: (client: SocialSearch) => client.mentions.setState('men_1', { state: 'done' }),
}
type Method = keyof typeof calls

/** A body that is a documented success of all three. */
export const success = {
  ...page(['1']),
  posts: [post('1')],
  industries: [],
  meta: { returnedCount: 1, hasMore: false, total: 0, page: 1, pageCount: 1, pageSize: 25 },
}

/** How a server answers, and how a client reaches it. */
export interface Place {
  readonly options: Pick<ClientOptions, 'baseUrl'> & Partial<ClientOptions>
  /** Requests that the server has seen. */
  arrived(): number
  /** Attempts that could be seen some other way, where no request can arrive. */
  tried?(): number
  close(): Promise<void>
}

/** A server of raw bytes on this machine. */
export async function wire(answer: Parameters<typeof rawServer>[0]): Promise<Place> {
  const { baseUrl, requests, close } = await rawServer(answer)
  return { options: { baseUrl }, arrived: () => requests.length, close }
}

/** Tries a fault of the wire on all three calls, each with a separate server: some bytes, or what a function does. */
export function onWire(
  answer: string | Buffer | Parameters<typeof rawServer>[0],
  options?: Partial<ClientOptions>,
): Promise<string> {
  return onEach(
    () => wire(typeof answer === 'function' ? answer : (socket) => void socket.end(answer)),
    options,
  )
}

/** The same for what only fetch can bring about, in virtual time. */
export function onFetch(fetch: Fetch): Promise<string> {
  return inVirtualTime(() =>
    onEach(() => {
      let arrived = 0
      const counting: Fetch = (request) => (arrived++, fetch(request))
      const options = { baseUrl: 'https://api.example/v1', fetch: counting }
      return Promise.resolve({ options, arrived: () => arrived, close: () => Promise.resolve() })
    }),
  )
}

/** Tries a fault on all three calls and tells, of each, how often it was sent, how it ended and what it cost. */
export async function onEach(
  make: () => Promise<Place>,
  options: Partial<ClientOptions> = {},
): Promise<string> {
  const sent: string[] = []
  const ends = new Map<Method, string>()
  let charge = ''
  for (const method of Object.keys(calls) as Method[]) {
    const place = await make()
    const organization = crypto.randomUUID()
    const client = new SocialSearch({ apiKey, organization, ...place.options, ...options })
    const ended = vi.isFakeTimers() ? settle<unknown> : outcomeOf<unknown>
    const { error } = await ended(calls[method](client))
    const attempts = error instanceof SocialSearchError ? error.attempts.length : place.arrived()
    const arrived = place.arrived()
    must((place.tried?.() ?? attempts) === attempts, 'the runtime adds no attempts')
    await place.close()
    sent.push(
      arrived === attempts
        ? `${method} ×${arrived}`
        : `${method} ×${arrived} in ${attempts} attempt${attempts === 1 ? '' : 's'}`,
    )
    ends.set(method, ending(error))
    if (method === 'POST') charge = costs(client, error)
    else must(costs(client, error) === costs(client, error, 'no', 0, 0), `a free ${method} costs nothing`)
  }
  const all = new Set(ends.values())
  const end = all.size === 1 ? [...all] : [...ends].map(([method, how]) => `${method} ${how}`)
  return `${sent.join(', ')}; ${end.join(', ')}; POST ${charge}`
}

/** How a call ended, in a few words. */
export function ending(error: unknown): string {
  if (error === undefined) return 'answered'
  if (error instanceof ApiError) return `${error.name} ${error.status}`
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return `${error.name} (${error.phase})`
  return error instanceof Error ? error.name : `rejected with ${JSON.stringify(error)}`
}

/** What a call cost: in its own words, where it failed, and in those of the ledger. */
export function costs(
  client: SocialSearch,
  error: unknown,
  charged = error instanceof SocialSearchError ? error.charged : undefined,
  spent = client.credits.spent,
  uncertain = client.credits.uncertain,
): string {
  must(client.credits.reserved === 0, 'nothing stays reserved')
  const word = error instanceof SocialSearchError ? `charged ${charged}, ` : ''
  return `${word}spent ${spent}, uncertain ${uncertain}`
}

/** How several calls ended, each way once. */
export function endings(ends: readonly PromiseSettledResult<unknown>[]): string {
  const ways = ends.map((end) => ending(end.status === 'rejected' ? end.reason : undefined))
  return [...Map.groupBy(ways, (way) => way)].map(([way, { length }]) => `${length} ${way}`).join(', ')
}

/** What a promise came to. */
export const outcomeOf = realTime.settle

/** So many queries, no two alike. */
export const queries = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `query ${index}`)

/** A fetch that answers step by step, the last step for ever, and notes when each request came. */
export interface Scripted {
  readonly fetch: Fetch
  readonly at: number[]
}

export function scripted(...steps: Step[]): Scripted {
  const at: number[] = []
  const fetch: Fetch = async () => {
    at.push(performance.now())
    const step = steps[Math.min(at.length, steps.length) - 1]
    if (step === undefined) throw new Error('the case has scripted no answer')
    return typeof step === 'function' ? await step() : step.clone()
  }
  return { fetch, at }
}

/** Runs a case in virtual time, and insists that no timer is left when it is over. */
export async function inVirtualTime<T>(work: () => Promise<T>): Promise<T> {
  useVirtualTime()
  try {
    const result = await work()
    await pass(100)
    must(vi.getTimerCount() === 0, 'no timer is left')
    return result
  } finally {
    vi.useRealTimers()
  }
}

/** Searches in virtual time, and tells when requests were sent and how it ended. */
export function search(steps: readonly Step[], options: Partial<ClientOptions> = {}): Promise<string> {
  return inVirtualTime(async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const start = performance.now()
    const { fetch, at } = scripted(...steps)
    const client = makeClient({ fetch, ...options })
    const { error, ms } = await settle(client.microblog.search({ query: 'rust' }))
    random.mockReturnValue(0)
    const times = at.map((time) => Math.floor(time - start)).join(', ')
    const sent = at.length === 0 ? 'not sent' : `sent at ${times} ms`
    return `${sent}; ${ending(error)} at ${Math.floor(ms)} ms; ${costs(client, error)}`
  })
}

/** Searches a service that answers 200 with a body, and hands over what came of it. */
export async function searched(
  text: string,
  options: Parameters<SocialSearch['microblog']['search']>[1] = {},
): Promise<{ client: SocialSearch; value: Record<string, unknown> | undefined; error: unknown }> {
  const client = makeClient({ fetch: () => Promise.resolve(ok(text)) })
  const outcome = await outcomeOf(client.microblog.search({ query: 'rust' }, options))
  return { client, ...outcome } as never
}

/** How such a search ended, and whether the paid body can still be had. */
export async function kept(text: string): Promise<string> {
  const { client, error } = await searched(text)
  const { body, issues } = error as InvalidResponseError
  const same = body === text || JSON.stringify(body) === text
  const named =
    issues.length > 0 ? `, ${issues.map(({ path }) => path || 'the whole').join(' and ')} named` : ''
  return `${ending(error)}${named}, body ${same ? 'kept' : 'lost'}; ${costs(client, error)}`
}
