import { type ClientOptions, type Hooks, SocialSearchError } from '../../src/index.ts'
import { awkwardValues } from '../support/awkward-values.ts'
import { settle } from '../support/clock.ts'
import { lenientLimiter } from '../support/limiter.ts'
import { hang, makeClient, ok } from '../support/service.ts'
import { type Fault, fault } from './case.ts'
import { costs, ending, endings, inVirtualTime, outcomeOf, queries, scripted, success } from './observe.ts'
import { query } from '../support/search.ts'

const page = ok(success)

/** Searches while something ends the call after its page has been read, and tells whether the error has the page. */
function afterPage(options: Partial<ClientOptions>, close = false): Promise<string> {
  return inVirtualTime(async () => {
    const { fetch, at } = scripted(page)
    const client = makeClient({ fetch, retry: { ambiguous: true }, ...options })
    const call = outcomeOf(client.microblog.search(query))
    if (close) setTimeout(() => void client.close(), 100)
    const { value } = await settle(call)
    const error = value?.error
    const isKept =
      error instanceof SocialSearchError && JSON.stringify(error.body) === JSON.stringify(success)
    return `sent ×${at.length}; ${ending(error)}; ${costs(client, error)}; body ${isKept ? 'kept' : 'lost'}`
  })
}

/** Eight searches at once with two slots, whose user code calls the client. */
function nested(options: (call: () => Promise<unknown>) => Partial<ClientOptions>): Promise<string> {
  return inVirtualTime(async () => {
    const { fetch } = scripted(page)
    const usage = (): Promise<unknown> => client.organization.usage().then()
    const client = makeClient({ fetch, ...options(usage) })
    const calls = queries(8).map((query) => client.microblog.search({ query }).then())
    const { value = [], ms } = await settle(Promise.allSettled(calls))
    return `${endings(value)} in ${ms} ms; ${costs(client, undefined)}`
  })
}

const hanging: Hooks = { afterResponse: [hang] }

export const userCode: readonly Fault[] = [
  fault(337, 'a hook hangs after a paid response, until the timeout', () =>
    afterPage({ hooks: hanging, timeout: 300 }),
  ),
  fault(338, 'a hook hangs after a paid response, until the deadline', () =>
    afterPage({ hooks: hanging, deadline: 300 }),
  ),
  fault(339, 'the client closes while a hook hangs after a paid response', () =>
    afterPage({ hooks: hanging }, true),
  ),
  fault(340, 'a hook replaces a paid page by text', () =>
    afterPage({ hooks: { afterResponse: [() => new Response('other')] } }),
  ),
  fault(341, 'an afterResponse hook calls its own client', () =>
    nested((usage) => {
      const afterResponse: Hooks['afterResponse'] = [
        async ({ options }) => {
          if (options.context['operation'] === 'organization.usage') return
          await usage()
        },
      ]
      return { hooks: { afterResponse } }
    }),
  ),
  fault(342, 'a beforeRequest hook calls its own client', () =>
    nested((usage) => ({ hooks: { beforeRequest: [() => usage().then(() => {})] } })),
  ),
  fault(343, 'a fetch calls its own client', () =>
    nested((usage) => ({ fetch: async () => (await usage().catch(() => {}), page.clone()) })),
  ),
  fault(344, 'observers, the logger, the budget and the limiter throw 30 values that cannot be printed', () =>
    inVirtualTime(async () => {
      const ends = awkwardValues.map(([, make]) => {
        const crash = (): never => {
          throw make()
        }
        const client = makeClient({
          fetch: scripted(page).fetch,
          logger: { debug: crash, info: crash, warn: crash, error: crash },
          observers: [{ onCall: crash, onAttempt: crash }],
          budget: { reserve: () => ({ settle: crash, release: crash, markUncertain: crash }) },
          limiter: lenientLimiter({ sent: crash, answered: crash, release: crash }, crash),
        })
        return { client, end: client.microblog.search(query).then() }
      })
      const { value = [] } = await settle(Promise.allSettled(ends.map(({ end }) => end)))
      const spent = ends.reduce((sum, { client }) => sum + client.credits.spent, 0)
      const uncertain = ends.reduce((sum, { client }) => sum + client.credits.uncertain, 0)
      return `${endings(value)}; spent ${spent}, uncertain ${uncertain}`
    }),
  ),
]
