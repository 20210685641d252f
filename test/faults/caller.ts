import ky, { type BeforeRequestHook } from 'ky'
import type { Hooks, Lease, Limiter, Logger } from '../../src/index.ts'
import { settle } from '../support/clock.ts'
import { http, rawServer } from '../support/raw-server.ts'
import { apiKey, failure, makeClient, ok, rateLimited } from '../support/service.ts'
import { group } from './case.ts'
import {
  costs,
  ending,
  endings,
  inVirtualTime,
  outcomeOf,
  queries,
  scripted,
  search,
  success,
} from './observe.ts'

const page = ok(success)
const answered = 'sent at 0, 1000 ms; answered at 1000 ms; spent 2, uncertain 0'

/** Searches with hooks that fail, and tells whether the error has the paid response. */
async function paid(hooks: Hooks): Promise<string> {
  const { fetch, at } = scripted(page)
  const client = makeClient({ fetch, hooks, retry: { ambiguous: true } })
  const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
  const isKept = JSON.stringify((error as { body?: unknown }).body) === JSON.stringify(success)
  return `${ending(error)}, body ${isKept ? 'kept' : 'lost'}; sent ×${at.length}; ${costs(client, error)}`
}

/** Raises the limits of ky as far as a hook can. */
const raiseLimits: BeforeRequestHook = ({ options }) =>
  void Object.assign(options.retry, { limit: 5, methods: ['post'], shouldRetry: () => true })

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
    name: "the caller's hook throws before the request is sent",
    expected: 'nothing is sent, and nothing charged',
    observed: 'not sent; ConfigurationError at 0 ms; charged no, spent 0, uncertain 0',
    run: () => search([page], { hooks: { beforeRequest: [crash] } }),
  },
  {
    id: 228,
    name: "the caller's hook throws after a paid response",
    expected: 'the error has the response, which is not bought again',
    observed: 'InvalidResponseError, body kept; sent ×1; charged yes, spent 2, uncertain 0',
    run: () => paid({ afterResponse: [crash] }),
  },
  {
    id: 229,
    name: "the caller's hook raises the retry limits of ky, and then returns ky.retry()",
    expected: 'the second send is refused: it could be charged again',
    observed: 'InvalidResponseError, body kept; sent ×1; charged yes, spent 2, uncertain 0',
    run: () => paid({ beforeRequest: [raiseLimits], afterResponse: [() => ky.retry({ delay: 1 })] }),
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
  {
    id: 231,
    name: "the caller's hook returns ky.retry() after a paid response",
    expected: 'the error has the response, which is not bought again',
    observed: 'InvalidResponseError, body kept; sent ×1; charged yes, spent 2, uncertain 0',
    run: () => paid({ afterResponse: [() => ky.retry()] }),
  },
  {
    id: 232,
    name: "the caller's hook sends the request with ky, besides the client",
    expected: 'that request has no key; the client sends once',
    observed: '2 requests, 1 with the key; answered; spent 2, uncertain 0',
    run: async () => {
      const { baseUrl, requests, close } = await rawServer((socket) => {
        socket.end(http('200 OK', JSON.stringify(success)))
      })
      const twice: BeforeRequestHook = async ({ request }) => {
        await ky(request.clone())
      }
      const client = makeClient({ baseUrl, hooks: { beforeRequest: [twice] } })
      const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
      await close()
      const authorized = requests.filter((request) => request.includes(apiKey))
      return `${requests.length} requests, ${authorized.length} with the key; ${ending(error)}; ${costs(client, error)}`
    },
  },
  {
    id: 233,
    name: "the caller's hook reads a paid response, and returns it",
    expected: 'the error has the response, which is not bought again',
    observed: 'InvalidResponseError, body kept; sent ×1; charged yes, spent 2, uncertain 0',
    run: () => paid({ afterResponse: [async ({ response }) => (await response.text(), response)] }),
  },
  ...(
    [
      ['a 503', () => failure(503, 'unavailable'), 'ServiceUnavailableError 503'],
      ['a network error', () => Response.error(), 'ConnectionError (exchange)'],
    ] as const
  ).map(([what, replace, error], index) => ({
    id: 234 + index,
    name: `the caller's hook replaces a paid response by ${what}`,
    expected: 'not retried, even with `ambiguous`: the service would charge again',
    observed: `sent at 0 ms; ${error} at 0 ms; charged yes, spent 2, uncertain 0`,
    run: () => search([page], { hooks: { afterResponse: [replace] }, retry: { ambiguous: true } }),
  })),
  {
    id: 236,
    name: "the caller's hook throws after a 429",
    expected: 'the error of the 429, without a retry; other calls wait as announced',
    observed: 'RateLimitError 429; sent at 0, 5000 ms; answered; spent 2, uncertain 0',
    run: () =>
      inVirtualTime(async () => {
        const { fetch, at } = scripted(rateLimited(5), page)
        const client = makeClient({ fetch, limits: { inFlight: 1 } })
        const start = performance.now()
        const [first, second] = [{ afterResponse: [crash] }, {}].map((hooks) =>
          outcomeOf(client.microblog.search({ query: 'rust' }, { hooks })),
        )
        const { value: [failed, answered] = [] } = await settle(Promise.all([first, second]))
        const times = at.map((time) => Math.floor(time - start)).join(', ')
        return `${ending(failed?.error)}; sent at ${times} ms; ${ending(answered?.error)}; ${costs(client, undefined)}`
      }),
  },
  {
    id: 237,
    name: "the caller's hook returns another error when a connection is refused",
    expected: 'the call rejects with that error, without a retry, and nothing is charged',
    observed: 'sent at 0 ms; RangeError at 0 ms; spent 0, uncertain 0',
    run: () => {
      const refuse = () => Promise.reject(Object.assign(new TypeError(), { code: 'ECONNREFUSED' }))
      return search([refuse], { hooks: { beforeError: [() => new RangeError('mine')] } })
    },
  },
])
