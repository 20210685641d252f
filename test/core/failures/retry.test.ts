import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { settle, virtualTime } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import { makeClient, ok, rateLimited, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('search()', () => {
  it('sends a refused call ahead of those that came later when its surface opens', async () => {
    service.script(rateLimited(5), ok())
    const client = makeClient({ limits: { inFlight: 1 } })
    const calls = ['first', 'second'].map((query) => client.microblog.search({ query }))
    await settle(Promise.all(calls))
    const sent = service.arrivals.map(({ body }) => JSON.parse(body).query)
    expect(sent).toEqual(['first', 'first', 'second'])
  })

  it('uses up no attempts on 429s until their announced waits come to maxWait', async () => {
    service.script(rateLimited(1))
    expect(await service.search({ retry: { maxWait: 10_000 } })).toMatchObject({ sent: 11 })
  })

  it('waits out an announced time of just maxWait', async () => {
    service.script(rateLimited(60), ok())
    expect(await service.search()).toMatchObject({ error: undefined, sent: 2, ms: 60_000 })
  })

  it('does not retry before an announced wait of more digits than a number holds', async () => {
    const body = '{"requestId":"r","error":{"code":"rate_limited","retryAfter":99999999999999999999}}'
    service.script(() => ok(body, { status: 429 }))
    const { error, sent } = await service.search()
    expect([sent, error]).toMatchObject([1, { code: 'rate_limited', retryAfter: 9007199254740.991 }])
  })

  it('stops at maxAttempts when the policy would go on', async () => {
    service.script(rateLimited(1))
    expect(await service.search({ retry: { maxAttempts: 2 } })).toMatchObject({ sent: 2 })
  })

  it.each<[string, object, object]>([
    ['its documented shape', { requestId: 'req_1', posts: 'none' }, {}],
    ["the caller's schema", page(['1']), { schema: z.object({ likes: z.number() }) }],
  ])('pays for no answer again that does not fit %s, also with retry.unknown', async (_, body, options) => {
    service.script(() => ok(body))
    const { error, sent } = await service.search({ retry: { unknown: true } }, options)
    expect(error).toMatchObject({ name: 'InvalidResponseError', charged: 'yes', body })
    expect(sent).toBe(1)
  })
})
