import { describe, expect, it } from 'vitest'
import { settle } from '../support/clock.ts'
import { lenientLimiter } from '../support/limiter.ts'
import { makeClient, ok, rateLimited, virtualService } from '../support/service.ts'

const service = virtualService()

describe('limits', () => {
  it('search() says when it sends, after its headers are made, and when the answer begins', async () => {
    const steps: string[] = []
    const step = (name: string) => () => void steps.push(name)
    const limiter = lenientLimiter({ sent: step('sent'), answered: step('answered'), end: step('end') })
    const fetch = () => (steps.push('fetch'), Promise.resolve(ok()))
    const headers = () => (steps.push('headers'), {})
    await service.search({ limiter, limits: undefined, fetch, headers })
    expect(steps).toEqual(['headers', 'sent', 'fetch', 'answered', 'end'])
  })

  it.each([
    ['does not count a request towards its own part when a 429 announces a moment', 5, [], 6],
    ['counts a refused request when a 429 announced a full window before', 5, [30], 5],
    ["counts a refused request towards the organization's whole limit", 20, [], 20],
  ])('search() %s', async (_, perMinute, before, sent) => {
    const refusals = [...before, 1].map((seconds) => rateLimited(seconds))
    service.script(...refusals, () => ok())
    const client = makeClient({ limits: { inFlight: 1, perMinute } })
    const calls = Array.from({ length: perMinute + 1 }, () => client.microblog.search({ query: 'a' }))
    await settle(Promise.all(calls))
    const start = service.arrivals[0]!.at
    expect(service.arrivals.filter(({ at }) => at - start < 60_000)).toHaveLength(sent)
  })
})
