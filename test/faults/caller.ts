import type { Lease, Limiter, Logger, Middleware } from '../../src/index.ts'
import { makeClient, ok, rateLimited } from '../support/service.ts'
import { group } from './case.ts'
import { costs, endings, queries, search, success } from './observe.ts'

const page = ok(success)
const answered = 'sent at 0, 1000 ms; answered at 1000 ms; spent 2, uncertain 0'

/** Searches through a middleware that fails, before or after the request has gone. */
function failing(middleware: Middleware): Promise<string> {
  return search([page], { middleware: [middleware] })
}

/** A limiter of the caller's that lets everybody pass, apart from what is to go wrong with it. */
const lenient = (lease: Partial<Lease>, hold: Limiter['hold'] = () => {}): Limiter => ({
  acquire: () =>
    Promise.resolve({ queued: 0, paced: 0, sent: () => {}, answered: () => {}, release: () => {}, ...lease }),
  hold,
})

const crash = (): never => {
  throw new Error('a bug of the caller')
}

export const caller = group('the caller', [
  ...(
    [
      ['throws', crash],
      ['rejects', () => Promise.reject(new Error('a bug of the caller'))],
    ] as const
  ).map(([how, log], index) => ({
    id: 223 + index,
    name: `the logger ${how} at every line`,
    expected: 'the result is unaffected: a logger must not make a call fail',
    observed: answered,
    run: () => {
      const logger = { debug: log, info: log, warn: log, error: log } as unknown as Logger
      return search([rateLimited(1), page], { logger })
    },
  })),
  {
    id: 225,
    name: "the caller's limiter throws in its methods for a send, a response, a 429 and the end",
    expected: 'the result is unaffected: the response is paid for; the call itself waits as announced',
    observed: answered,
    run: () =>
      search([rateLimited(1), page], {
        limiter: lenient({ sent: crash, answered: crash, release: crash }, crash),
      }),
  },
  {
    id: 226,
    name: "the caller's limiter has no method for 429s",
    expected: 'the call itself waits as announced',
    observed: answered,
    run: () => search([rateLimited(1), page], { limiter: lenient({}) }),
  },
  {
    id: 227,
    name: "the caller's middleware throws before it has sent",
    expected: 'its own error, and nothing charged',
    observed: 'not sent; Error at 0 ms; spent 0, uncertain 0',
    run: () => failing(crash),
  },
  {
    id: 228,
    name: "the caller's middleware throws after it has sent",
    expected: 'its own error; the page may have been charged, and is not retried',
    observed: 'sent at 0 ms; Error at 0 ms; spent 0, uncertain 2',
    run: () => failing(async (request, next) => (await next(request), crash())),
  },
  {
    id: 229,
    name: "the caller's middleware sends twice in one attempt",
    expected: 'the second send is refused: it could be charged again',
    observed: 'sent at 0 ms; Error at 0 ms; spent 0, uncertain 2',
    run: () => failing(async (request, next) => (await next(request.clone()), next(request))),
  },
  {
    id: 230,
    name: "the caller's fetch returns no Response, or one with a used body",
    expected: 'the error says so; the request may have been charged',
    observed: '2 ConfigurationError; spent 0, uncertain 4',
    run: async () => {
      const used = page.clone()
      await used.text()
      const answers = [undefined as never, used]
      const client = makeClient({ fetch: () => Promise.resolve(answers.pop()!) })
      const ends = await Promise.allSettled(queries(2).map((query) => client.microblog.search({ query })))
      return `${endings(ends)}; ${costs(client, undefined)}`
    },
  },
])
