import { describe, expect, it } from 'vitest'
import { CreditBudget } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const published = (rates: Record<string, number>) => {
  const properties = Object.fromEntries(
    Object.entries(rates).map(([name, value]) => [name, { const: value }]),
  )
  return ok({
    openapi: '3.1.0',
    components: { schemas: { Other: { properties: { x: {} } }, Rates: { properties } } },
  })
}

const documented = {
  apiTwitterSearchPerRequest: 2,
  apiLinkedInSearchPerRequest: 4,
  apiLinkedInPostCommentsPerComment: 1,
  apiLinkedInPostReactionsPerReaction: 1,
}

describe('creditRates()', () => {
  it('reads the rates, and the prices of operations that have one', async () => {
    service.script(published({ ...documented, aiRelevanceScoring: 0.5 }))
    const { value } = await settle(makeClient().creditRates())
    expect(value?.rates).toEqual({ ...documented, aiRelevanceScoring: 0.5 })
    expect(value?.prices).toMatchObject({ 'microblog.search': 2, 'professionalnet.company.get': 4 })
  })

  it('leaves out the price of an operation whose rate is not published', async () => {
    service.script(published({ apiTwitterSearchPerRequest: 3 }))
    const { value } = await settle(makeClient().creditRates())
    expect(value?.prices).toEqual({ 'microblog.search': 3 })
  })
})

describe('prices', () => {
  it('replace the reserved and settled credits', async () => {
    service.script(() => ok())
    const client = makeClient({ prices: { 'microblog.search': 3 }, budget: new CreditBudget(5) })
    expect((await settle(client.microblog.search({ query: 'q' }))).error).toBeUndefined()
    expect(client.credits.spent).toBe(3)
    expect((await settle(client.microblog.search({ query: 'q' }))).error).toMatchObject({
      budget: { needed: 3, remaining: 2 },
    })
  })

  it.each([-1, Number.NaN, '2'])('are refused when one is %s', (price) => {
    expect(() => makeClient({ prices: { 'microblog.search': price as number } })).toThrow(
      /prices.microblog.search must be a number/,
    )
  })
})
