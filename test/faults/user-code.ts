import { thrownValues } from '../support/thrown-values.ts'
import { settle } from '../support/clock.ts'
import { makeClient, ok } from '../support/service.ts'
import { type Fault, fault } from './case.ts'
import { endings, inVirtualTime, scripted, success } from './observe.ts'
import { query } from '../support/search.ts'

const page = ok(success)

export const userCode: readonly Fault[] = [
  fault(344, 'observers, the logger and the budget throw what is no error', () =>
    inVirtualTime(async () => {
      const ends = thrownValues.map(([, make]) => {
        const crash = (): never => {
          throw make()
        }
        const client = makeClient({
          fetch: scripted(page).fetch,
          logger: { debug: crash, info: crash, warn: crash, error: crash },
          observers: [{ onCall: crash, onAttempt: crash }],
          budget: { reserve: () => ({ settle: crash }) },
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
