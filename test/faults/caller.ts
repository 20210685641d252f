import type { Logger } from '../../src/index.ts'
import { makeClient, ok, rateLimited } from '../support/service.ts'
import { type Fault, fault } from './case.ts'
import { costs, endings, queries, search, success } from './observe.ts'

const page = ok(success)

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
  fault(227, "the caller's function for headers throws before the request is sent", () =>
    search([page], { headers: crash }),
  ),
  fault(230, "the caller's fetch returns no Response, or one with a used body", async () => {
    const used = page.clone()
    await used.text()
    const answers = [undefined as never, used]
    const client = makeClient({ fetch: () => Promise.resolve(answers.pop()!) })
    const ends = await Promise.allSettled(queries(2).map((query) => client.microblog.search({ query })))
    return `${endings(ends)}; ${costs(client, undefined)}`
  }),
]
