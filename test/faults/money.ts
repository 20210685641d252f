import { CreditBudget, type SocialSearch } from '../../src/index.ts'
import { type SandboxServer, serveSandbox } from '../support/sandbox.ts'
import type { Fault as SandboxFault } from '../../src/extensions/sandbox/index.ts'
import { pass, settle } from '../support/clock.ts'
import { failure, hang, makeClient, ok } from '../support/service.ts'
import { type Faults } from './case.ts'
import { costs, ending, inVirtualTime, outcomeOf, scripted, search, success } from './observe.ts'

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
    const says = (error as Error).message.includes('You may have been charged 2 credits')
    return `${ending(error)}; the message ${says ? 'says' : 'does not say'} that 2 credits may have been charged; ${costs(client, error)}`
  })
}

export const money: Faults = {
  'the response to a metered POST is lost: timeout': () => warned({ fetch: hang }),
  'the response to a metered POST is lost: deadline': () => warned({ fetch: hang, deadline: 1000 }),
  'the response to a metered POST is lost: connection': () => warned({ fetch: lost }),
  "a proxy's 504 to a metered POST": () =>
    warned({ fetch: () => Promise.resolve(new Response('<h1>Timeout</h1>', { status: 504 })) }),
  'a redirect of a metered POST': () =>
    warned({ fetch: () => Promise.resolve(new Response(null, { status: 307 })) }),
  'the connection resets after the service has processed the search': () => charged([{ reset: 'after' }]),
  'the connection resets before the service has processed the search': () => charged([{ reset: 'before' }]),
  'the page is cut in half on its way': () => charged([{ cut: 'truncate' }]),
  'a reset after processing, with retry: { unknown: true }': () =>
    charged([{ reset: 'after' }], undefined, { retry: { unknown: true } }),
  '502 twice, then the page': () => charged([{ status: 502, times: 2 }]),
  'a post is found, and its comments are charged for each one returned': async () => {
    const told = await charged([], async ({ professionalnet: { posts } }) => {
      const found = await posts.search(query)
      return posts.comments({ postUrl: found.posts[0]!.share_url, maxComments: 1000 })
    })
    const [, spent, ledger] = /spent (\d+), uncertain 0, ledger (\d+)/.exec(told) ?? []
    const less = Number(spent) < 1000 ? 'less than' : 'not less than'
    return `${told.split(';')[0]}; spent ${spent === ledger ? '=' : '≠'} ledger, ${less} what was set aside`
  },
  'comments with a lost response': async () => {
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
  '50 calls at once of two clients that share a budget of 9 credits': () =>
    inVirtualTime(async () => {
      const { fetch, at } = scripted(page)
      const budget = new CreditBudget(9)
      const clients = [makeClient({ fetch, budget }), makeClient({ fetch, budget })]
      const calls = Array.from({ length: 50 }, (_, index) => clients[index % 2]!.microblog.search(query))
      const { value = [] } = await settle(Promise.allSettled(calls))
      const refused = value.flatMap((end) => (end.status === 'rejected' ? [ending(end.reason)] : []))
      return `${50 - refused.length} answered, ${refused.length} ${[...new Set(refused)].join()}; ${at.length} sent; spent ${budget.summary().spent}`
    }),
  'a search with a lost response, and a budget for one': async () => {
    const client = makeClient({ fetch: lost, budget: new CreditBudget(3) })
    const ends = [
      await outcomeOf(client.microblog.search(query)),
      await outcomeOf(client.microblog.search(query)),
    ]
    return `${ends.map(({ error }) => ending(error)).join(', then ')}; ${costs(client, undefined)}`
  },
  'a retry after an unknown charge that the budget cannot cover': () =>
    search([lost, page], { retry: { unknown: true }, budget: new CreditBudget(3) }),
  'a call waits for its retry, and another needs its reserved credits': () =>
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
}
