import { describe, expect, it, vi } from 'vitest'
import type { SocialSearch } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { lenientLimiter } from '../../support/limiter.ts'
import { query } from '../../support/search.ts'
import { failure, makeClient, maybePaid, ok, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('search()', () => {
  it('counts nothing for a retry that a hook stops before it is sent', async () => {
    service.script(unreachable)
    let attempts = 0
    const beforeRequest = () => {
      if (++attempts === 2) throw new Error('a bug')
    }
    const options = { retry: { ambiguous: true }, hooks: { beforeRequest: [beforeRequest] } }
    expect(await service.search(options)).toMatchObject({
      error: { attempts: [{ charged: 'unknown' }, { charged: 'no', sent: null }] },
      ...maybePaid,
    })
  })

  it('reports an answer as uncertain when a proxy does', async () => {
    const headers = { 'social-search-credits': 'spent=0, uncertain=2, charged=unknown' }
    service.script(ok(undefined, { headers }))
    const client = makeClient()
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(value).toMatchObject({ attempts: [{ charged: 'unknown' }], credits: { spent: 0, uncertain: 2 } })
  })

  it.each([
    [2, 'no'],
    [1, 'unknown'],
  ])('sends %d requests when the first gets the 429 of a proxy that charged: %s', async (sent, charged) => {
    service.script(failure(429, 'rate_limited', { error: { charged, retryAfter: 3 } }), ok())
    await settle(makeClient().microblog.search(query))
    expect(service.arrivals).toHaveLength(sent)
  })

  it('counts the credits of a page before the limiter gets its slot back', async () => {
    service.script(ok())
    const seen: number[] = []
    const release = () => void seen.push(client.credits.spent)
    const client: SocialSearch = makeClient({ limiter: lenientLimiter({ release }) })
    await service.search(client)
    expect(seen).toEqual([2])
  })

  it('reports the credits of each attempt once', async () => {
    service.script(unreachable, ok())
    const onAttempt = vi.fn()
    await service.search({ retry: { ambiguous: true }, observers: [{ onAttempt }] })
    const credits = onAttempt.mock.calls.map(([event]) => (event as { credits: object }).credits)
    expect(credits).toEqual([
      { spent: 0, uncertain: 2 },
      { spent: 2, uncertain: 0 },
    ])
  })

  it('fails at once when the announced wait ends at its deadline', async () => {
    service.script(failure(503, 'unavailable', { error: { retryAfter: 2 } }), ok())
    expect(await service.search({ deadline: 2000 })).toMatchObject({ error: { status: 503 }, ms: 0 })
  })
})
