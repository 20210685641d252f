import { vi } from 'vitest'
import { type CallOptions, SocialSearch } from '../../src/index.ts'
import { pass, settle } from '../support/clock.ts'
import { apiKey, failure, makeClient, ok, rateLimited } from '../support/service.ts'
import { group } from './case.ts'
import { costs, ending, hang, inVirtualTime, outcomeOf, scripted, search, success } from './observe.ts'

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
    vi.stubGlobal('setTimeout', honest)
    return `${ending(error)}, second request ${at[1]! - at[0]! >= 20_000 ? 'not' : 'sent'} before the announced time`
  })
}

/** Tries what cannot be a duration in every option that is one, of a client and of a call. */
async function refused(value: unknown): Promise<string> {
  const { fetch, at } = scripted(page)
  const options = ['timeout', 'deadline'].map((name) => ({ [name]: value }))
  const all = [...options, { retry: { maxWait: value } }] as Omit<CallOptions, 'cache'>[]
  const client = makeClient({ fetch })
  const ends: string[] = []
  for (const each of all) {
    const construct = Promise.resolve().then(
      () => new SocialSearch({ baseUrl: 'https://api.example/v1', apiKey, ...each }),
    )
    ends.push(ending((await outcomeOf(construct)).error))
    ends.push(ending((await outcomeOf(client.microblog.search({ query: 'rust' }, each))).error))
  }
  return `${ends.length} × ${[...new Set(ends)].join(', ')}; ${at.length} sent`
}

const values: [value: unknown, expected: string][] = [
  [0, 'a timeout of 0 would end every call'],
  [Number.NaN, 'a timer treats it as 1 ms'],
  [2 ** 31, 'a timer treats it as 1 ms'],
  [-1, 'not a duration'],
  [Infinity, 'omit the option for no limit'],
  ['5000', 'text, which breaks arithmetic'],
]

export const time = group('time', [
  ...([1, -1] as const).flatMap((sign, index) =>
    (
      [
        ['429', rateLimited(20)],
        ['503', unavailable],
      ] as const
    ).map(([status, answer], second) => ({
      id: 180 + 2 * index + second,
      name: `the wall clock jumps an hour ${sign > 0 ? 'ahead' : 'back'} in the wait after a ${status}`,
      expected: 'the wait is the same: it uses a monotonic clock',
      observed: 'sent at 0, 20000 ms; answered at 20000 ms; spent 2, uncertain 0',
      run: () => jump(answer, sign * 3_600_000),
    })),
  ),
  ...(
    [
      ['429', rateLimited(20)],
      ['503', unavailable],
    ] as const
  ).map(([status, answer], index) => ({
    id: 184 + index,
    name: `timers fire early in the wait after a ${status}`,
    expected: 'the clock decides, not the timer: nothing is sent before the announced time',
    observed: 'answered, second request not before the announced time',
    run: () => early(answer),
  })),
  {
    id: 186,
    name: 'the machine sleeps for an hour while 45 calls are queued',
    expected: 'timers are an hour late, but without a burst: at most 20 in any minute',
    observed: '45 answered, at most 20 in any minute',
    run: () =>
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
  },
  {
    id: 187,
    name: '21 calls at once',
    expected: 'the 21st is sent a minute after the first: the service would refuse it',
    observed: '20 within a second, the 21st at least a minute after the first',
    run: () =>
      inVirtualTime(async () => {
        const { fetch, at } = scripted(page)
        const client = makeClient({ fetch })
        await settle(
          Promise.all(Array.from({ length: 21 }, () => client.microblog.search({ query: 'rust' }))),
        )
        const soon = at.filter((time) => time - at[0]! < 1000).length
        const last = at[20]! - at[0]!
        return `${soon} within a second, the 21st ${last >= 60_000 ? 'at least' : 'less than'} a minute after the first`
      }),
  },
  ...values.map(([value, expected], index) => ({
    id: 188 + index,
    name: `a timeout, a deadline and a maxWait of ${typeof value === 'string' ? `'${value}'` : String(value)}`,
    expected: `refused when the client is made, and before a call is sent: ${expected}`,
    observed: '6 × ConfigurationError; 0 sent',
    run: () => refused(value),
  })),
  {
    id: 194,
    name: 'headers after 4 s, a body that stalls, and a timeout of 5 s',
    expected: 'one timer for both',
    observed: 'sent at 0 ms; TimeoutError (body) at 5000 ms; charged unknown, spent 0, uncertain 2',
    run: () => {
      const stalled = () => new Response(new ReadableStream())
      const late = () => new Promise<Response>((done) => setTimeout(() => done(stalled()), 4000))
      return search([late], { timeout: 5000 })
    },
  },
  {
    id: 195,
    name: 'no response to an operation with a recommended timeout of 90 s',
    expected: 'the longer timeout applies by default',
    observed: 'TimeoutError (headers) at 90000 ms; charged unknown, spent 0, uncertain 4',
    run: () =>
      inVirtualTime(async () => {
        const client = makeClient({ fetch: hang })
        const { error, ms } = await settle(client.professionalnet.company.get({ url: 'https://x.example' }))
        return `${ending(error)} at ${ms} ms; ${costs(client, error)}`
      }),
  },
  {
    id: 196,
    name: 'the deadline passes in the queue',
    expected: 'not sent, so nothing is charged',
    observed: 'TimeoutError (queue) at 2000 ms, charged no; 1 request, the blocking one',
    run: () =>
      inVirtualTime(async () => {
        const { fetch, at } = scripted(hang)
        const client = makeClient({ fetch, limits: { inFlight: 1 } })
        const blocking = outcomeOf(client.microblog.search({ query: 'blocking' }))
        const { error, ms } = await settle(client.microblog.search({ query: 'rust' }, { deadline: 2000 }))
        await settle(blocking)
        return `${ending(error)} at ${ms} ms, charged ${(error as { charged: string }).charged}; ${at.length} request, the blocking one`
      }),
  },
  {
    id: 197,
    name: 'a 502, then no response, with a deadline of 8 s',
    expected: 'the deadline includes attempts and waits',
    observed: 'sent at 0, 250 ms; TimeoutError (headers) at 8000 ms; charged unknown, spent 0, uncertain 2',
    run: () => search([failure(502, 'upstream_error'), hang], { deadline: 8000 }),
  },
  {
    id: 198,
    name: 'a 502, with a deadline shorter than the backoff',
    expected: "fails at once with the service's error",
    observed: 'sent at 0 ms; UpstreamError 502 at 0 ms; charged no, spent 0, uncertain 0',
    run: () => search([failure(502, 'upstream_error')], { deadline: 100 }),
  },
  {
    id: 199,
    name: 'the function that should return the key hangs, with a deadline',
    expected: 'the deadline covers it, too; nothing was sent',
    observed: 'not sent; TimeoutError (queue) at 300 ms; charged no, spent 0, uncertain 0',
    run: () => search([page], { apiKey: () => new Promise<string>(() => {}), deadline: 300 }),
  },
])

/** Most sends in any 60 s. */
function mostInAMinute(at: readonly number[]): number {
  return Math.max(...at.map((start) => at.filter((time) => time >= start && time < start + 60_000).length))
}
