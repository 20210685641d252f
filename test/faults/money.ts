import { CreditBudget, type SocialSearch } from '../../src/index.ts'
import { type SandboxServer, serveSandbox } from '../../src/sandbox/node.ts'
import type { Fault as SandboxFault } from '../../src/sandbox/index.ts'
import { pass, settle } from '../support/clock.ts'
import { failure, makeClient, ok } from '../support/service.ts'
import { group } from './case.ts'
import { costs, ending, hang, inVirtualTime, outcomeOf, scripted, search, success } from './observe.ts'

const page = ok(success)
const lost = () => Promise.reject(new TypeError('Failed to fetch'))
const query = { query: 'coffee' }

/** Calls a sandbox over HTTP in which something goes wrong, and compares the books. */
async function charged(
  faults: readonly SandboxFault[],
  call: (client: SocialSearch) => PromiseLike<unknown> = (client) => client.microblog.search(query),
  options: Parameters<typeof makeClient>[0] = {},
): Promise<string> {
  const server: SandboxServer = await serveSandbox({ posts: 50 })
  for (const fault of faults) server.inject(fault)
  const client = makeClient({ baseUrl: server.baseUrl, apiKey: server.apiKey, ...options })
  const { error } = await outcomeOf(call(client))
  await server.close()
  return `${ending(error)}, sent ×${server.requests.length}; ${costs(client, error)}, ledger ${server.ledger.spent}`
}

/** Whether the message of a failed search warns of a charge. */
async function warned(options: Parameters<typeof makeClient>[0]): Promise<string> {
  return inVirtualTime(async () => {
    const client = makeClient(options)
    const { error } = await settle(client.microblog.search(query))
    const says = (error as Error).message.includes('it may have been charged')
    return `${ending(error)}; the message ${says ? 'says' : 'does not say'} that it may have been charged; ${costs(client, error)}`
  })
}

const warns = 'the message says that it may have been charged; charged unknown, spent 0, uncertain 2'
const once = 'the service may have charged for it, so it is not retried, and the message says so'

export const money = group('billing', [
  {
    id: 270,
    name: 'the response to a metered POST is lost: timeout',
    expected: once,
    observed: `TimeoutError (headers); ${warns}`,
    run: () => warned({ fetch: hang }),
  },
  {
    id: 271,
    name: 'the response to a metered POST is lost: deadline',
    expected: once,
    observed: `TimeoutError (headers); ${warns}`,
    run: () => warned({ fetch: hang, deadline: 1000 }),
  },
  {
    id: 272,
    name: 'the response to a metered POST is lost: connection',
    expected: once,
    observed: `ConnectionError (exchange); ${warns}`,
    run: () => warned({ fetch: lost }),
  },
  {
    id: 273,
    name: "a proxy's 504 to a metered POST",
    expected: once,
    observed: `ApiError 504; ${warns}`,
    run: () => warned({ fetch: () => Promise.resolve(new Response('<h1>Timeout</h1>', { status: 504 })) }),
  },
  {
    id: 274,
    name: 'a redirect of a metered POST',
    expected: once,
    observed: `RedirectError; ${warns}`,
    run: () => warned({ fetch: () => Promise.resolve(new Response(null, { status: 307 })) }),
  },
  {
    id: 275,
    name: 'the connection resets after the service has processed the search',
    expected: 'the charged credits are between spent, and the sum of spent and uncertain',
    observed: 'ConnectionError (exchange), sent ×1; charged unknown, spent 0, uncertain 2, ledger 2',
    run: () => charged([{ reset: 'after' }]),
  },
  {
    id: 276,
    name: 'the connection resets before the service has processed the search',
    expected: 'looks the same to the client, and costs nothing',
    observed: 'ConnectionError (exchange), sent ×1; charged unknown, spent 0, uncertain 2, ledger 0',
    run: () => charged([{ reset: 'before' }]),
  },
  {
    id: 277,
    name: 'the page is cut in half on its way',
    expected: 'charged by the service, uncertain for the client',
    observed: 'InvalidResponseError, sent ×1; charged yes, spent 0, uncertain 2, ledger 2',
    run: () => charged([{ cut: 'truncate' }]),
  },
  {
    id: 278,
    name: 'a reset after processing, with retry: { ambiguous: true }',
    expected: 'with this option a call may be charged twice, and the ledger has both attempts',
    observed: 'answered, sent ×2; spent 2, uncertain 2, ledger 4',
    run: () => charged([{ reset: 'after' }], undefined, { retry: { ambiguous: true } }),
  },
  {
    id: 279,
    name: '502 twice, then the page',
    expected: 'paid once: the service does not charge for a 502',
    observed: 'answered, sent ×3; spent 2, uncertain 0, ledger 2',
    run: () => charged([{ status: 502, times: 2 }]),
  },
  {
    id: 280,
    name: 'a post is found, and its comments are charged for each one returned',
    expected: 'at most 100 reserved, and settled to the charged credits',
    observed: 'answered, sent ×2; spent = ledger, less than what was set aside',
    run: async () => {
      const told = await charged([], async ({ professionalnet: { posts } }) => {
        const found = await posts.search(query)
        return posts.comments({ postUrl: found.posts[0]!.share_url })
      })
      const [, spent, ledger] = /spent (\d+), uncertain 0, ledger (\d+)/.exec(told) ?? []
      const less = Number(spent) < 100 ? 'less than' : 'not less than'
      return `${told.split(';')[0]}; spent ${spent === ledger ? '=' : '≠'} ledger, ${less} what was set aside`
    },
  },
  {
    id: 281,
    name: 'comments with a lost response',
    expected: 'their maximum cost is uncertain',
    observed: 'ConnectionError (exchange), sent ×1; charged unknown, spent 0, uncertain 300, ledger is less',
    run: async () => {
      const told = await charged([{ reset: 'after' }], (client) =>
        client.professionalnet.posts.comments({
          postUrl: 'https://network.example/posts/1',
          maxComments: 300,
        }),
      )
      return told.replace(/ledger (\d+)$/, (_, ledger) =>
        Number(ledger) <= 300 ? 'ledger is less' : 'ledger is more',
      )
    },
  },
  {
    id: 282,
    name: 'a call is aborted after it was sent',
    expected: 'rejects with the reason itself; the credits are uncertain',
    observed: 'rejected with "left"; spent 0, uncertain 2',
    run: () =>
      inVirtualTime(async () => {
        const client = makeClient({ fetch: hang })
        const abort = new AbortController()
        setTimeout(() => abort.abort('left'), 100)
        const { error } = await settle(client.microblog.search(query, { signal: abort.signal }))
        return `${ending(error)}; ${costs(client, error)}`
      }),
  },
  {
    id: 283,
    name: '50 calls at once of two clients that share a budget of 9 credits',
    expected: 'never exceeded: 4 are sent, the others are refused unsent',
    observed: '4 answered, 46 CreditBudgetError; 4 sent; spent 8',
    run: () =>
      inVirtualTime(async () => {
        const { fetch, at } = scripted(page)
        const budget = new CreditBudget(9)
        const clients = [makeClient({ fetch, budget }), makeClient({ fetch, budget })]
        const calls = Array.from({ length: 50 }, (_, index) => clients[index % 2]!.microblog.search(query))
        const { value = [] } = await settle(Promise.allSettled(calls))
        const refused = value.flatMap((end) => (end.status === 'rejected' ? [ending(end.reason)] : []))
        return `${50 - refused.length} answered, ${refused.length} ${[...new Set(refused)].join()}; ${at.length} sent; spent ${budget.spent}`
      }),
  },
  {
    id: 284,
    name: 'a search with a lost response, and a budget for one',
    expected: 'uncertain credits count as spent: the next search is refused',
    observed: 'ConnectionError (exchange), then CreditBudgetError; spent 0, uncertain 2',
    run: async () => {
      const client = makeClient({ fetch: lost, budget: new CreditBudget(3) })
      const ends = [
        await outcomeOf(client.microblog.search(query)),
        await outcomeOf(client.microblog.search(query)),
      ]
      return `${ends.map(({ error }) => ending(error)).join(', then ')}; ${costs(client, undefined)}`
    },
  },
  {
    id: 285,
    name: 'an ambiguous retry that the budget cannot cover',
    expected: 'refused before it is sent, and the first attempt stays in the ledger',
    observed: 'sent at 0 ms; CreditBudgetError at 250 ms; charged unknown, spent 0, uncertain 2',
    run: () => search([lost, page], { retry: { ambiguous: true }, budget: new CreditBudget(3) }),
  },
  {
    id: 286,
    name: 'a call waits for its retry, and another needs its reserved credits',
    expected: 'they stay reserved: the budget is not exceeded',
    observed: 'CreditBudgetError, then answered; spent 2, uncertain 0',
    run: () =>
      inVirtualTime(async () => {
        const { fetch } = scripted(
          failure(503, 'professionalnet_unavailable', { error: { retryAfter: 5 } }),
          page,
        )
        const client = makeClient({ fetch, budget: new CreditBudget(2) })
        const waiting = outcomeOf(client.microblog.search(query))
        await pass(1000)
        const other = await outcomeOf(client.microblog.search(query))
        const { value } = await settle(waiting)
        return `${ending(other.error)}, then ${ending(value?.error)}; ${costs(client, undefined)}`
      }),
  },
  {
    id: 287,
    name: 'reactions, whose number has no documented bound, with a budget of 999 credits',
    expected: 'refused unsent: credits for a thousand are reserved unless `ceiling` is set',
    observed: 'CreditBudgetError, sent ×0; charged no, spent 0, uncertain 0, ledger 0',
    run: () =>
      charged([], (client) => client.professionalnet.posts.reactions({ postUrl: 'x' }), {
        budget: new CreditBudget(999),
      }),
  },
])
