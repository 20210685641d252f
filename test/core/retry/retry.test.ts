import { describe, expect, it } from 'vitest'
import { settle, virtualTime } from '../../support/clock.ts'
import { query } from '../../support/search.ts'
import { failure, makeClient, ok, rateLimited, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('search()', () => {
  it.each([
    ['200 of another shape', ok({ requestId: 'r', results: [] }), 'yes'],
    ['503 with an empty code', failure(503, ''), 'unknown'],
  ])('is sent once when the response is %s', async (_, step, charged) => {
    service.script(step)
    expect(await service.search()).toMatchObject({ error: { charged }, sent: 1 })
  })

  it('closes its surface when a 429 comes without error body', async () => {
    service.script(new Response('slow down', { status: 429, headers: { 'retry-after': '7' } }), ok())
    const { client } = await service.search()
    await service.search(client)
    expect(service.arrivals.map(({ at }) => at)).toEqual([0, 7000])
  })

  it('uses up no attempts on 429s until their announced waits come to maxWait', async () => {
    service.script(rateLimited(1))
    expect(await service.search({ retry: { maxWait: 10_000 } })).toMatchObject({ sent: 11 })
  })

  it('stops at maxAttempts when the policy would go on', async () => {
    service.script(rateLimited(1))
    expect(await service.search({ retry: { maxAttempts: 2 } })).toMatchObject({ sent: 2 })
  })

  it('retries a possibly charged request when retry.ambiguous is set, and counts both attempts', async () => {
    service.script(unreachable(), ok())
    const client = makeClient({ retry: { ambiguous: true } })
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(value).toMatchObject({
      credits: { spent: 2, uncertain: 2 },
      attempts: [
        { outcome: 'connection', charged: 'unknown' },
        { outcome: 'ok', charged: 'yes' },
      ],
    })
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 2, reserved: 0 })
  })

  it('keeps the body of a paid success that was not usable when a later attempt fails', async () => {
    service.script(
      ok({ requestId: 'req_1', posts: 'none' }),
      failure(502, 'upstream_error'),
      failure(400, 'x'),
    )
    const { error } = await service.search({ retry: { ambiguous: true } })
    expect(error).toMatchObject({ status: 400, charged: 'yes', body: { requestId: 'req_1', posts: 'none' } })
  })

  it('fails now when the announced wait is longer than maxWait, with the wait on the error', async () => {
    service.script(rateLimited(61))
    expect(await service.search()).toMatchObject({
      error: { name: 'RateLimitError', retryAfter: 61, code: 'rate_limited', requestId: 'req_rate_limited' },
      ms: 0,
    })
  })
})
