import { vi } from 'vitest'
import { createSandbox } from '../support/sandbox.ts'
import { abortIn, pass, settle } from '../support/clock.ts'
import { failure, makeClient, ok, rateLimited } from '../support/service.ts'
import { type Faults } from './case.ts'
import { costs, ending, inVirtualTime, scripted, search, success } from './observe.ts'

/** A 429 with a header, a body, or both. */
function limited(header?: string, retryAfter?: unknown, headers: Record<string, string> = {}): Response {
  return failure(429, 'rate_limited', {
    headers: { ...headers, ...(header !== undefined && { 'retry-after': header }) },
    ...(retryAfter !== undefined && { error: { retryAfter } }),
  })
}

const page = ok(success)
const unavailable = (details: Parameters<typeof failure>[2]) =>
  failure(503, 'professionalnet_unavailable', details)

/** What a 429 announces before a page follows; the numbers begin at 100. */
const announced: [name: string, answer: Response][] = [
  ['2 in header and body', limited('2', 2)],
  ['3 in the body alone', limited(undefined, 3)],
  ['2 in the header, 5 in the body', limited('2', 5)],
  ['5 in the header, 2 in the body', limited('5', 2)],
  ['7 at the top level of the body', failure(429, 'rate_limited', { top: { retryAfter: 7 } })],
  ['3 in the header only', limited('3')],
  ['nothing', limited()],
  ['0', limited('0')],
  ['-5', limited('-5')],
  ['1.5', limited('1.5')],
  ['"soon"', limited('soon')],
  ['an empty header', limited('')],
  ['1e9', limited('1e9')],
  ['two headers, 2 and 5', limited('2, 5')],
  ['a date in the past', limited('Thu, 19 Nov 2026 00:00:00 GMT')],
  ['a date 4 s ahead', limited('Fri, 20 Nov 2026 00:00:04 GMT')],
  [
    "a date 4 s ahead, when the client's clock is years off",
    limited('Wed, 01 Jan 2020 00:00:04 GMT', undefined, { date: 'Wed, 01 Jan 2020 00:00:00 GMT' }),
  ],
  ['a date in an old form without a zone', limited('Fri Nov 20 00:00:04 2026')],
  ['an invalid date', limited('Fri, 99 Nov 2026 00:00:04 GMT')],
  [
    'text, a negative number and an object in the body',
    failure(429, 'rate_limited', { error: { retryAfter: { seconds: '5' } }, top: { retryAfter: -5 } }),
  ],
]

export const retryAfter: Faults = {
  ...Object.fromEntries(
    announced.map(([name, answer]) => [`429 that announces ${name}`, () => search([answer, page])]),
  ),
  '503 with retryAfter under error': () => search([unavailable({ error: { retryAfter: 7 } }), page]),
  '503 with retryAfter at the top level': () => search([unavailable({ top: { retryAfter: 7 } }), page]),
  '503 with a Retry-After header': () => search([unavailable({ headers: { 'retry-after': '2' } }), page]),
  '429 that announces 61 s': () => search([rateLimited(61), page]),
  '429 that announces 1000000000': () => search([rateLimited(1_000_000_000), page]),
  '429 that announces 40 days, with the longest possible maxWait': () =>
    search([rateLimited(40 * 86_400), page], { retry: { maxWait: 2 ** 31 - 1 } }),
  '429 that announces 10 s, with a deadline of 5 s': () =>
    search([rateLimited(10), page], { deadline: 5000 }),
  '429 that announces 20 s, without end': () => search([rateLimited(20)]),
  '429 that announces 3 s, with ten calls queued': () =>
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
  '429 on one surface, with a call on another': () =>
    inVirtualTime(async () => {
      const { fetch } = scripted(rateLimited(5), page)
      const client = makeClient({ fetch, limits: { inFlight: 1 } })
      const limitedCall = settle(client.microblog.search({ query: 'rust' }))
      const other = await settle(client.professionalnet.industries.list())
      const { error, ms } = await limitedCall
      return `industries ${ending(other.error)} at ${other.ms} ms, search ${ending(error)} at ${Math.floor(ms)} ms`
    }),
  '429 because another process has used the limit of a minute': () =>
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
  '429 after which a call is aborted while the surface is closed': () =>
    inVirtualTime(async () => {
      const { fetch } = scripted(rateLimited(20))
      const client = makeClient({ fetch })
      const signal = abortIn(1000, 'left')
      const { error, ms } = await settle(client.microblog.search({ query: 'rust' }, { signal }))
      await pass(0)
      return `${ending(error)} at ${ms} ms; ${costs(client, error)}${vi.getTimerCount() > 0 ? '; timers left' : ''}`
    }),
}
