import { describe, expect, it, vi } from 'vitest'
import { pass, settle } from '../support/clock.ts'
import { lenientLimiter } from '../support/limiter.ts'
import { failure, makeClient, ok, rateLimited, virtualService } from '../support/service.ts'

const service = virtualService()

describe('limits', () => {
  it('search() closes its surface for the backoff when a 429 has no Retry-After', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    service.script(failure(429, 'rate_limited'), () => ok())
    const client = makeClient()
    const first = client.microblog.search({ query: 'a' }).then()
    await pass(100)
    const { ms } = await settle(client.microblog.search({ query: 'b' }))
    await settle(first)
    vi.restoreAllMocks()
    expect(ms).toBeGreaterThanOrEqual(900)
  })

  it('search() fails without sending when its surface is closed for long', async () => {
    service.script(rateLimited(600))
    const { client } = await service.search()
    const error = { name: 'RateLimitError', status: 429, retryAfter: 600, charged: 'no', attempts: [] }
    expect(await service.search(client)).toMatchObject({ error, ms: 0, sent: 1 })
  })

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
