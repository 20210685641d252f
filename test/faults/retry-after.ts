import { vi } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { pass, settle } from '../support/clock.ts'
import { failure, makeClient, ok, rateLimited } from '../support/service.ts'
import { group } from './case.ts'
import { costs, ending, inVirtualTime, scripted, search, success } from './observe.ts'

/** A 429 with a header, a body, or both. */
function limited(header?: string, retryAfter?: unknown, headers: Record<string, string> = {}): Response {
  return failure(429, 'rate_limited', {
    headers: { ...headers, ...(header !== undefined && { 'retry-after': header }) },
    ...(retryAfter !== undefined && { error: { retryAfter } }),
  })
}

const page = ok(success)
const after = (ms: number): string => `sent at 0, ${ms} ms; answered at ${ms} ms; spent 2, uncertain 0`
const refused = 'sent at 0 ms; RateLimitError 429 at 0 ms; charged no, spent 0, uncertain 0'

/** A 429 that is followed by a page: by what it announces, and milliseconds until the next attempt. */
const waits: [id: number, name: string, expected: string, ms: number, answer: Response][] = [
  [100, '2 in header and body', 'never sent before the announced time', 2000, limited('2', 2)],
  [
    101,
    '3 in the body alone',
    'CORS hides the header from browsers, so the body counts',
    3000,
    limited(undefined, 3),
  ],
  [
    102,
    '2 in the header, 5 in the body',
    'the larger counts: too early would cause another 429',
    5000,
    limited('2', 5),
  ],
  [103, '5 in the header, 2 in the body', 'the larger counts', 5000, limited('5', 2)],
  [
    104,
    '7 at the top level of the body',
    'read there, too',
    7000,
    failure(429, 'rate_limited', { top: { retryAfter: 7 } }),
  ],
  [
    105,
    '3 in the header only',
    'the header alone is enough',
    3000,
    failure(429, 'rate_limited', { headers: { 'retry-after': '3' } }),
  ],
  [106, 'nothing', 'backoff from a base of 1 s, with full jitter', 500, limited()],
  [107, '0', 'jitter of up to 250 ms, to avoid a tight loop', 125, limited('0')],
  [108, '-5', 'not a valid wait: backoff', 500, limited('-5')],
  [109, '1.5', 'rounded up', 2000, limited('1.5')],
  [110, '"soon"', 'not a valid wait: backoff', 500, limited('soon')],
  [111, 'an empty header', 'not a valid wait: backoff', 500, limited('')],
  [112, '1e9', 'not an integer, so not a wait: backoff', 500, limited('1e9')],
  [113, 'two headers, 2 and 5', "the larger: one of them may be a proxy's", 5000, limited('2, 5')],
  [
    114,
    'a date in the past',
    'retried at once, with up to 250 ms of jitter',
    125,
    limited('Thu, 19 Nov 2026 00:00:00 GMT'),
  ],
  [115, 'a date 4 s ahead', 'until then', 4000, limited('Fri, 20 Nov 2026 00:00:04 GMT')],
  [
    116,
    "a date 4 s ahead, when the client's clock is years off",
    "measured against the response's Date",
    4000,
    limited('Wed, 01 Jan 2020 00:00:04 GMT', undefined, { date: 'Wed, 01 Jan 2020 00:00:00 GMT' }),
  ],
  [
    117,
    'a date in an old form without a zone',
    'read as GMT in every time zone, as HTTP says',
    4000,
    limited('Fri Nov 20 00:00:04 2026'),
  ],
  [118, 'an invalid date', 'not a valid wait: backoff', 500, limited('Fri, 99 Nov 2026 00:00:04 GMT')],
  [
    119,
    'text, a negative number and an object in the body',
    'only a valid number is a wait; others are ignored',
    500,
    failure(429, 'rate_limited', { error: { retryAfter: { seconds: '5' } }, top: { retryAfter: -5 } }),
  ],
]

export const retryAfter = group('Retry-After', [
  ...waits.map(([id, name, expected, ms, answer]) => ({
    id,
    name: `429 that announces ${name}`,
    expected,
    observed: after(ms),
    run: () => search([answer, page]),
  })),
  ...(
    [
      [120, 'error'],
      [121, 'top'],
    ] as const
  ).map(([id, place]) => ({
    id,
    name: `503 with retryAfter ${place === 'error' ? 'under error' : 'at the top level'}`,
    expected: 'the service says only that it may be present, so both places are read',
    observed: after(7000),
    run: () => search([failure(503, 'professionalnet_unavailable', { [place]: { retryAfter: 7 } }), page]),
  })),
  {
    id: 122,
    name: '503 with a Retry-After header',
    expected: 'waits as after a 429',
    observed: after(2000),
    run: () =>
      search([failure(503, 'professionalnet_unavailable', { headers: { 'retry-after': '2' } }), page]),
  },
  {
    id: 123,
    name: '429 that announces 61 s',
    expected: 'longer than maxWait: fails at once, with the wait on the error',
    observed: refused,
    run: () => search([rateLimited(61), page]),
  },
  {
    id: 124,
    name: '429 that announces 1000000000',
    expected: 'fails at once: a timer would overflow and fire at once',
    observed: refused,
    run: () => search([rateLimited(1_000_000_000), page]),
  },
  {
    id: 125,
    name: '429 that announces 40 days, with the longest possible maxWait',
    expected: 'fails at once: longer than a timer can hold',
    observed: refused,
    run: () => search([rateLimited(40 * 86_400), page], { retry: { maxWait: 2 ** 31 - 1 } }),
  },
  {
    id: 126,
    name: '429 that announces 10 s, with a deadline of 5 s',
    expected: 'the wait cannot end in time, so the call fails at once, not after 5 s',
    observed: refused,
    run: () => search([rateLimited(10), page], { deadline: 5000 }),
  },
  {
    id: 127,
    name: '429 that announces 20 s, without end',
    expected:
      'no early retry; announced waits use no attempts up to 60 s in total, then five attempts, then the error',
    observed:
      'sent at 0, 20000, 40000, 60000, 80000 ms; RateLimitError 429 at 80000 ms; charged no, spent 0, uncertain 0',
    run: () => search([rateLimited(20)]),
  },
  {
    id: 128,
    name: '429 that announces 3 s, with ten calls queued',
    expected: 'the surface is closed for all calls; when it opens, the queued calls go, two at a time',
    observed: 'sent at 0, then 2 at 3000 ms and the others from 3050 ms; 11 answered; spent 22, uncertain 0',
    run: () =>
      inVirtualTime(async () => {
        const start = performance.now()
        const slow = () => new Promise<Response>((done) => setTimeout(() => done(page.clone()), 50))
        const { fetch, at } = scripted(rateLimited(3), slow)
        const client = makeClient({ fetch, limits: { inFlight: 2 } })
        const first = client.microblog.search({ query: 'first' }).then()
        await pass(0)
        const others = Array.from({ length: 10 }, () => client.microblog.search({ query: 'rust' }))
        const { value = [] } = await settle(Promise.all([first, ...others]))
        const [zero, open, ...rest] = at.map((time) => Math.floor(time - start))
        const later = rest.filter((time) => time !== open)
        return `sent at ${zero}, then ${at.length - 1 - later.length} at ${open} ms and the others from ${Math.min(...later)} ms; ${value.length} answered; ${costs(client, undefined)}`
      }),
  },
  {
    id: 129,
    name: '429 on one surface, with a call on another',
    expected: 'the other proceeds: limits are per surface',
    observed: 'industries answered at 0 ms, search answered at 5000 ms',
    run: () =>
      inVirtualTime(async () => {
        const { fetch } = scripted(rateLimited(5), page)
        const client = makeClient({ fetch, limits: { inFlight: 1 } })
        const limitedCall = settle(client.microblog.search({ query: 'rust' }))
        const other = await settle(client.professionalnet.industries.list())
        const { error, ms } = await limitedCall
        return `industries ${ending(other.error)} at ${other.ms} ms, search ${ending(error)} at ${Math.floor(ms)} ms`
      }),
  },
  {
    id: 130,
    name: '429 because another process has used the limit of a minute',
    expected: 'waits, and all calls succeed after the minute: no livelock',
    observed: '30 answered, 1 turned away at 20000 ms, next sent at 60000 ms; spent 60, ledger 60',
    run: () =>
      inVirtualTime(async () => {
        const { fetch, baseUrl, apiKey, requests, ledger } = createSandbox({ posts: 50 })
        const foreign = makeClient({ fetch, baseUrl, apiKey, organization: 'another process' })
        const own = makeClient({ fetch, baseUrl, apiKey })
        await settle(Promise.all(Array.from({ length: 15 }, () => foreign.microblog.search({ query: 'a' }))))
        await pass(20_000)
        const work = Array.from({ length: 15 }, () => own.microblog.search({ query: 'b' }))
        await settle(Promise.all(work))
        const refused = requests.findIndex(({ status }) => status === 429)
        const refusals = requests.filter(({ status }) => status === 429).length
        const time = (index: number): number => Math.floor(requests[index]!.at - requests[0]!.at)
        const answered = requests.filter(({ status }) => status === 200).length
        const spent = own.credits.spent + foreign.credits.spent
        return `${answered} answered, ${refusals} turned away at ${time(refused)} ms, next sent at ${time(refused + 1)} ms; spent ${spent}, ledger ${ledger.spent}`
      }),
  },
  {
    id: 131,
    name: '429 after which a call is aborted while the surface is closed',
    expected: 'rejects at once, and leaves no timer',
    observed: 'rejected with "left" at 1000 ms; spent 0, uncertain 0',
    run: () =>
      inVirtualTime(async () => {
        const { fetch } = scripted(rateLimited(20))
        const client = makeClient({ fetch })
        const abort = new AbortController()
        setTimeout(() => abort.abort('left'), 1000)
        const { error, ms } = await settle(
          client.microblog.search({ query: 'rust' }, { signal: abort.signal }),
        )
        await pass(0)
        return `${ending(error)} at ${ms} ms; ${costs(client, error)}${vi.getTimerCount() > 0 ? '; timers left' : ''}`
      }),
  },
])
