import type { Socket } from 'node:net'
import { vi } from 'vitest'
import { ApiError, ConnectionError, SocialSearchError, TimeoutError } from '../../src/errors/index.ts'
import type { ClientOptions, Fetch, SocialSearch } from '../../src/index.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { page, post } from '../support/pages.ts'
import { realTime } from '../support/real-time.ts'
import { rawServer } from '../support/raw-server.ts'
import { type Step, makeClient, ok } from '../support/service.ts'

/** Failures by their names in `test/faults/faults.md`: each makes one happen, and tells what its user sees. */
export type Faults = Readonly<Record<string, () => Promise<string>>>

/** Rejects a fault if something breaks that holds for all of them. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`it must hold that ${what}`)
}

/** What each fault is tried on: a call that is free, one that is metered, and one that changes something. */
const calls = {
  GET: (client: SocialSearch) => client.professionalnet.industries.list(),
  POST: (client: SocialSearch) => client.microblog.search({ query: 'rust' }),
  PATCH: (client: SocialSearch) => client.mentions.setState('men_1', { state: 'done' }),
}

/** A body that is a documented success of all three. */
export const success = {
  ...page(['1']),
  posts: [post('1')],
  industries: [],
  meta: { returnedCount: 1, hasMore: false, total: 0, page: 1, pageCount: 1, pageSize: 25 },
}
export const body = JSON.stringify(success)

/** What came of a call. */
export interface End {
  readonly client: SocialSearch
  readonly value: unknown
  readonly error: unknown
  /** Milliseconds. */
  readonly ms: number
  /** When each request came. */
  readonly at: readonly number[]
}

/** What differs from one search. */
interface Terms {
  readonly call?: (client: SocialSearch) => PromiseLike<unknown>
  /** Goes through its items instead. */
  readonly walk?: (client: SocialSearch) => AsyncIterable<object>
  readonly options?: Partial<ClientOptions>
  /** What the user sees besides. */
  readonly tells?: (end: End) => string
}

/** Calls a service that answers step by step, the last step for ever, in virtual time; random waits are half of the longest. */
export function told(steps: readonly Step[], terms: Terms = {}): Promise<string> {
  return inVirtualTime(async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const at: number[] = []
    const start = performance.now()
    const fetch: Fetch = async () => {
      at.push(performance.now() - start)
      const step = steps[Math.min(at.length, steps.length) - 1]!
      return typeof step === 'function' ? await step() : step.clone()
    }
    const client = makeClient({ fetch, ...terms.options })
    const ids: unknown[] = []
    const consume = async (): Promise<void> => {
      for await (const item of terms.walk!(client))
        ids.push(Reflect.get(item, 'id') ?? Reflect.get(item, 'urn'))
    }
    const outcome = await settle<unknown>(terms.walk ? consume() : (terms.call ?? calls.POST)(client))
    const { error, ms } = outcome
    const said = [
      sentAt(at),
      `${ending(error)} at ${Math.floor(ms)} ms${terms.walk ? nextOf(error) : ''}`,
      costs({ client, error }),
    ]
    if (terms.walk) said.unshift(`items ${ids.join(', ') || 'none'}`)
    if (terms.tells) said.push(terms.tells({ ...outcome, client, at }))
    return said.join('; ')
  })
}

function sentAt(at: readonly number[]): string {
  if (at.length === 0) return 'not sent'
  return at.length > 9 ? `sent ×${at.length}` : `sent at ${at.map(Math.floor).join(', ')} ms`
}

const nextOf = (error: unknown): string =>
  error === undefined ? '' : `, next ${JSON.stringify((error as SocialSearchError).next)}`

/** Tries a fault of the wire on all three calls, each with a separate server: some bytes, or what a function does. */
export function onWire(answer: string | Buffer | Parameters<typeof rawServer>[0]): Promise<string> {
  const act = typeof answer === 'function' ? answer : (socket: Socket) => void socket.end(answer)
  return onEach(realTime.settle, async () => {
    const { baseUrl, requests, close } = await rawServer(act)
    return { options: { baseUrl }, arrived: () => requests.length, close }
  })
}

/** The same for what only fetch can bring about, in virtual time. */
export function onFetch(fetch: Fetch): Promise<string> {
  return inVirtualTime(() =>
    onEach(settle, () => {
      let arrived = 0
      const counting: Fetch = (request) => (arrived++, fetch(request))
      return Promise.resolve({ options: { fetch: counting }, arrived: () => arrived })
    }),
  )
}

/** A service that fails, and the requests that it has seen. */
interface Place {
  readonly options: Partial<ClientOptions>
  arrived(): number
  close?(): Promise<void>
}

/** Tries a fault on all three calls and tells, of each, how often it was sent, how it ended and what it cost. */
async function onEach(ended: typeof settle, make: () => Promise<Place>): Promise<string> {
  const sent: string[] = []
  const ends = new Map<string, string>()
  let charge = ''
  for (const [method, call] of Object.entries(calls)) {
    const { options, arrived, close } = await make()
    const client = makeClient(options)
    const { error } = await ended<unknown>(call(client))
    await close?.()
    const attempts = error instanceof SocialSearchError ? error.attempts.length : arrived()
    must(arrived() === attempts, 'the runtime adds no attempts')
    sent.push(`${method} ×${attempts}`)
    ends.set(method, ending(error))
    const cost = costs({ client, error })
    if (method === 'POST') charge = cost
    else must(/^(charged no, )?spent 0, uncertain 0$/.test(cost), 'what is free costs nothing')
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
export function costs({ client, error }: Pick<End, 'client' | 'error'>): string {
  const { spent, uncertain, reserved } = client.credits
  must(reserved === 0, 'nothing stays reserved')
  const counted = `spent ${spent}, uncertain ${uncertain}`
  if (!(error instanceof SocialSearchError)) return counted
  const warning = error.charged === 'yes' ? 'You were charged' : 'You may have been charged'
  must(error.message.includes(warning) === (error.charged !== 'no'), 'a message tells of a charge')
  return `charged ${error.charged}, ${counted}`
}

/** How several calls ended, each way once. */
export function endings(ends: readonly PromiseSettledResult<unknown>[]): string {
  const ways = ends.map((end) => ending(end.status === 'rejected' ? end.reason : undefined))
  return [...Map.groupBy(ways, (way) => way)].map(([way, { length }]) => `${length} ${way}`).join(', ')
}

/** Runs a case in virtual time, and insists that no timer is left when it is over. */
async function inVirtualTime<T>(work: () => Promise<T>): Promise<T> {
  useVirtualTime()
  try {
    const result = await work()
    await pass(100)
    must(vi.getTimerCount() === 0, 'no timer is left')
    return result
  } finally {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  }
}

/** What fields of an error say, as JSON. */
export const fields =
  (...names: string[]) =>
  ({ error }: End): string =>
    names.map((name) => `${name} ${JSON.stringify(Reflect.get(error as object, name))}`).join(', ')

/** Searches a service that answers with a text, and tells what is named, and whether the paid body can still be had. */
export const kept = (text: string): Promise<string> =>
  told([ok(text)], {
    tells: ({ error }) => {
      const { body, issues } = error as { body: unknown; issues: { path: string }[] }
      const same = body === text || JSON.stringify(body) === text
      const named = issues.map(({ path }) => path || 'the whole').join(' and ')
      return `${named === '' ? '' : `${named} named, `}body ${same ? 'kept' : 'lost'}`
    },
  })
