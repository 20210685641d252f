import ky, { type BeforeRequestHook } from 'ky'
import type { Hooks, Logger } from '../../src/index.ts'
import { settle } from '../support/clock.ts'
import { lenientLimiter } from '../support/limiter.ts'
import { http, rawServer } from '../support/raw-server.ts'
import { apiKey, failure, makeClient, ok, rateLimited } from '../support/service.ts'
import { type Fault, fault } from './case.ts'
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

/** Searches with hooks that fail, and tells whether the error has the paid response. */
function paid(hooks: Hooks): Promise<string> {
  return inVirtualTime(async () => {
    const { fetch, at } = scripted(page)
    const client = makeClient({ fetch, hooks, retry: { ambiguous: true } })
    const { error } = await settle(client.microblog.search({ query: 'rust' }))
    const isKept = JSON.stringify((error as { body?: unknown }).body) === JSON.stringify(success)
    return `${ending(error)}, body ${isKept ? 'kept' : 'lost'}; sent ×${at.length}; ${costs(client, error)}`
  })
}

/** Searches with a hook that replaces the paid response. */
const replaced = (replace: () => Response): Promise<string> =>
  search([page], { hooks: { afterResponse: [replace] }, retry: { ambiguous: true } })

/** Raises the limits of ky as far as a hook can. */
const raiseLimits: BeforeRequestHook = ({ options }) =>
  void Object.assign(options.retry, { limit: 5, methods: ['post'], shouldRetry: () => true })

const crash = (): never => {
  throw new Error('a bug of the caller')
}

export const caller: readonly Fault[] = [
  ...(
    [
      ['throws', crash],
      ['rejects', () => Promise.reject(new Error('a bug of the caller'))],
    ] as const
  ).map(([how, log], index) =>
    fault(223 + index, `the logger ${how} at every line`, () => {
      const logger = { debug: log, info: log, warn: log, error: log } as unknown as Logger
      return search([rateLimited(1), page], { logger })
    }),
  ),
  fault(225, "the caller's limiter throws in its methods for a send, a response, a 429 and the end", () =>
    search([rateLimited(1), page], {
      limiter: lenientLimiter({ sent: crash, answered: crash, release: crash }, crash),
    }),
  ),
  fault(226, "the caller's limiter has no method for 429s", () =>
    search([rateLimited(1), page], { limiter: lenientLimiter({}) }),
  ),
  fault(227, "the caller's hook throws before the request is sent", () =>
    search([page], { hooks: { beforeRequest: [crash] } }),
  ),
  fault(228, "the caller's hook throws after a paid response", () => paid({ afterResponse: [crash] })),
  fault(229, "the caller's hook raises the retry limits of ky, and then returns ky.retry()", () =>
    paid({ beforeRequest: [raiseLimits], afterResponse: [() => ky.retry({ delay: 1 })] }),
  ),
  fault(230, "the caller's fetch returns no Response, or one with a used body", async () => {
    const used = page.clone()
    await used.text()
    const answers = [undefined as never, used]
    const client = makeClient({ fetch: () => Promise.resolve(answers.pop()!) })
    const ends = await Promise.allSettled(queries(2).map((query) => client.microblog.search({ query })))
    return `${endings(ends)}; ${costs(client, undefined)}`
  }),
  fault(231, "the caller's hook returns ky.retry() after a paid response", () =>
    paid({ afterResponse: [() => ky.retry()] }),
  ),
  fault(232, "the caller's hook sends the request with ky, besides the client", async () => {
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
  }),
  fault(233, "the caller's hook reads a paid response, and returns it", () =>
    paid({ afterResponse: [async ({ response }) => (await response.text(), response)] }),
  ),
  fault(234, "the caller's hook replaces a paid response by a 503", () =>
    replaced(() => failure(503, 'unavailable')),
  ),
  fault(235, "the caller's hook replaces a paid response by a network error", () =>
    replaced(() => Response.error()),
  ),
  fault(236, "the caller's hook throws after a 429", () =>
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
  ),
  fault(237, "the caller's hook returns another error when a connection is refused", () => {
    const refuse = () => Promise.reject(Object.assign(new TypeError(), { code: 'ECONNREFUSED' }))
    return search([refuse], { hooks: { beforeError: [() => new RangeError('mine')] } })
  }),
]
