import { vi } from 'vitest'
import { pass, settle } from '../support/clock.ts'
import { failure, hang, makeClient, ok, rateLimited } from '../support/service.ts'
import { type Faults } from './case.ts'
import { costs, ending, inVirtualTime, outcomeOf, scripted, search, success } from './observe.ts'

const page = ok(success)
const unavailable = failure(503, 'professionalnet_unavailable', { error: { retryAfter: 20 } })

/** Waits 20 s while the wall clock is set. */
function jump(answer: Response, milliseconds: number): Promise<string> {
  return search([
    () => {
      setTimeout(() => vi.setSystemTime(Date.now() + milliseconds), 5000)
      return answer.clone()
    },
    page,
  ])
}

/** Waits with timers that fire after nine tenths of their time. */
async function early(answer: Response): Promise<string> {
  return inVirtualTime(async () => {
    const honest = globalThis.setTimeout
    vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => honest(run, Math.max(1, ms * 0.9)))
    const { fetch, at } = scripted(answer, page)
    const { error } = await settle(makeClient({ fetch }).microblog.search({ query: 'rust' }))
    vi.unstubAllGlobals()
    return `${ending(error)}, second request ${at[1]! - at[0]! >= 20_000 ? 'not' : 'sent'} before the announced time`
  })
}

export const time: Faults = {
  'the wall clock jumps an hour ahead in the wait after a 429': () => jump(rateLimited(20), 3_600_000),
  'the wall clock jumps an hour ahead in the wait after a 503': () => jump(unavailable, 3_600_000),
  'the wall clock jumps an hour back in the wait after a 429': () => jump(rateLimited(20), -3_600_000),
  'the wall clock jumps an hour back in the wait after a 503': () => jump(unavailable, -3_600_000),
  'timers fire early in the wait after a 429': () => early(rateLimited(20)),
  'timers fire early in the wait after a 503': () => early(unavailable),
  'the machine sleeps for an hour while 45 calls are queued': () =>
    inVirtualTime(async () => {
      const awake = performance.now.bind(performance)
      let asleep = 0
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => awake() + asleep)
      const { fetch, at } = scripted(page)
      const client = makeClient({ fetch })
      const calls = Array.from({ length: 45 }, () => client.microblog.search({ query: 'rust' }))
      const all = Promise.all(calls)
      await pass(30_000)
      asleep = 3_600_000
      const { value } = await settle(all)
      clock.mockRestore()
      return `${value?.length} answered, at most ${mostInAMinute(at)} in any minute`
    }),
  'headers after 4 s, a body that stalls, and a timeout of 5 s': () => {
    const stalled = () => new Response(new ReadableStream())
    const late = () => new Promise<Response>((done) => setTimeout(() => done(stalled()), 4000))
    return search([late], { timeout: 5000 })
  },
  'no response to an operation with a recommended timeout of 90 s': () =>
    inVirtualTime(async () => {
      const client = makeClient({ fetch: hang })
      const { error, ms } = await settle(client.professionalnet.company.get({ url: 'https://x.example' }))
      return `${ending(error)} at ${ms} ms; ${costs(client, error)}`
    }),
  'the deadline passes in the queue': () =>
    inVirtualTime(async () => {
      const { fetch, at } = scripted(hang)
      const client = makeClient({ fetch, limits: { inFlight: 1 } })
      const blocking = outcomeOf(client.microblog.search({ query: 'blocking' }))
      const { error, ms } = await settle(client.microblog.search({ query: 'rust' }, { deadline: 2000 }))
      await settle(blocking)
      return `${ending(error)} at ${ms} ms, charged ${(error as { charged: string }).charged}; ${at.length} request, the blocking one`
    }),
  'a 502, then no response, with a deadline of 8 s': () =>
    search([failure(502, 'upstream_error'), hang], { deadline: 8000 }),
  'a 502, with a deadline shorter than the backoff': () =>
    search([failure(502, 'upstream_error')], { deadline: 100 }),
  'the function that should return the key hangs, with a deadline': () =>
    search([page], { apiKey: () => new Promise<string>(() => {}), deadline: 300 }),
}

/** Most sends in any 60 s. */
function mostInAMinute(at: readonly number[]): number {
  return Math.max(...at.map((start) => at.filter((time) => time >= start && time < start + 60_000).length))
}
