import { describe, expect, it, vi } from 'vitest'
import type { Hooks } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import { failure, makeClient, ok, rateLimited, scriptedService } from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

const paid = { spent: 2, uncertain: 0, reserved: 0 }
const hang = () => new Promise<never>(() => {})
const hanging: Hooks = { afterResponse: [hang] }
const company = {
  requestId: 'req_1',
  industries: [],
  meta: { total: 0, page: 1, pageCount: 0, pageSize: 25 },
}

describe('a hook that hangs after a paid response', () => {
  it.each([
    ['timeout', { timeout: 300 }, /a hook did not finish within 300 ms/],
    ['deadline', { deadline: 300 }, /the deadline of 300 ms passed/],
  ])('ends at the %s with an error that has the body', async (_, limit, message) => {
    service.script(() => ok())
    const client = makeClient({ hooks: hanging, ...limit, retry: { ambiguous: true } })
    const { error, ms } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'yes', body: page(['1']) })
    expect((error as Error).message).toMatch(message)
    expect((error as Error).message).not.toContain('may have been charged')
    expect(ms).toBe(300)
    expect(client.credits).toMatchObject(paid)
    expect(service.arrivals).toHaveLength(1)
  })

  it('keeps the text on the error when the response is not JSON', async () => {
    service.script(() => ok('<html>'))
    const { error } = await settle(makeClient({ hooks: hanging, timeout: 300 }).microblog.search(query))
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'yes', body: '<html>' })
  })

  it('keeps the body on the error of close()', async () => {
    service.script(() => ok())
    const client = makeClient({ hooks: hanging })
    const call = client.microblog.search(query).then()
    setTimeout(() => void client.close(), 100)
    const { error } = await settle(call)
    expect(error).toMatchObject({ name: 'ClosedError', charged: 'yes', body: page(['1']) })
    expect(client.credits).toMatchObject(paid)
  })

  it('is accounted for when the caller aborts', async () => {
    service.script(() => ok())
    const onCall = vi.fn()
    const client = makeClient({ hooks: hanging, observers: [{ onCall }] })
    const abort = new AbortController()
    setTimeout(() => abort.abort('enough'), 100)
    const { error } = await settle(client.microblog.search(query, { signal: abort.signal }))
    expect(error).toBe('enough')
    expect(client.credits).toMatchObject(paid)
    expect(onCall).toHaveBeenCalledWith(expect.objectContaining({ outcome: 'aborted', charged: 'yes' }))
  })

  it('holds no slot', async () => {
    service.script(() => ok())
    const client = makeClient({ limits: { inFlight: 1 }, timeout: 5000 })
    const hung = client.microblog.search(query, { hooks: hanging }).catch(() => {})
    const { value, ms } = await settle(client.microblog.search(query))
    expect(value?.posts).toHaveLength(1)
    expect(ms).toBeLessThan(5000)
    await settle(hung)
  })
})

describe('a hook that hangs after a failure', () => {
  it('says that nothing was charged', async () => {
    service.script(() => failure(503, 'unavailable'))
    const client = makeClient({ hooks: hanging, timeout: 300 })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'no' })
    expect(error).not.toHaveProperty('body')
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
    expect(service.arrivals).toHaveLength(1)
  })

  it('closes the surface at once when it was a 429', async () => {
    service.script(rateLimited(5), () => ok())
    const client = makeClient({ timeout: 60_000, limits: { inFlight: 1 } })
    const hung = client.microblog.search(query, { hooks: hanging }).catch(() => {})
    const { value, ms } = await settle(client.microblog.search(query))
    expect(value?.posts).toHaveLength(1)
    expect(ms).toBeGreaterThanOrEqual(5000)
    expect(service.arrivals.map(({ at }) => at - (service.arrivals[0]?.at ?? 0))[1]).toBeGreaterThanOrEqual(
      5000,
    )
    await client.close()
    await hung
  })

  it('says that nothing was charged when no connection was made', async () => {
    const fetch = () => Promise.reject(Object.assign(new TypeError('no'), { code: 'ECONNREFUSED' }))
    const client = makeClient({ fetch, hooks: { beforeError: [hang] }, timeout: 300 })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'no' })
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })
})

describe('a hook that replaces a response', () => {
  it.each<[string, () => Response, object]>([
    ['by text that is not JSON', () => new Response('<html>'), { name: 'InvalidResponseError' }],
    ['by another shape', () => ok({ requestId: 'r' }), { name: 'InvalidResponseError' }],
    ['by a redirect', () => Response.redirect('https://other.example'), { name: 'RedirectError' }],
    ['by a 429', () => rateLimited(1), { name: 'RateLimitError' }],
  ])('keeps the paid body on the error, and buys nothing again, %s', async (_, replace, expected) => {
    service.script(() => ok())
    const client = makeClient({ hooks: { afterResponse: [replace] }, retry: { ambiguous: true } })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ ...expected, charged: 'yes', body: page(['1']) })
    expect(client.credits).toMatchObject(paid)
    expect(service.arrivals).toHaveLength(1)
  })

  it('pays what the service sent when it returns another page', async () => {
    service.script(() => ok())
    const client = makeClient({ hooks: { afterResponse: [() => ok(page(['2']))] } })
    const { value } = await settle(client.microblog.search(query))
    expect(value?.posts.map(({ id }) => id)).toEqual(['2'])
    expect(client.credits).toMatchObject(paid)
  })

  it('costs nothing when it answers in place of an error of the service', async () => {
    service.script(() => failure(503, 'unavailable'))
    const client = makeClient({ hooks: { afterResponse: [() => ok()] } })
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(value).toMatchObject({ data: page(['1']), attempts: [{ charged: 'no' }], credits: { spent: 0 } })
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('may turn the error of a free call into one that is retried', async () => {
    service.script(new Response('<html>', { status: 418 }), () => ok(company))
    const unavailable = ({ response }: { response: Response }) =>
      response.status === 418 ? failure(503, 'unavailable') : undefined
    const client = makeClient({ hooks: { afterResponse: [unavailable] } })
    const { value } = await settle(client.professionalnet.industries.list())
    expect(value?.industries).toEqual([])
    expect(service.arrivals).toHaveLength(2)
  })

  it('does not turn a response that may have been charged into one that is retried', async () => {
    service.script(() => new Response('<html>', { status: 429 }))
    const client = makeClient({ hooks: { afterResponse: [() => rateLimited(1)] } })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'RateLimitError', charged: 'unknown' })
    expect(service.arrivals).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2 })
  })

  it('does not undo a write', async () => {
    service.script(() => ok({ requestId: 'req_1' }))
    const client = makeClient({ hooks: { afterResponse: [() => failure(503, 'unavailable')] } })
    const { error } = await settle(client.mentions.setState('men_1', { state: 'seen' }))
    expect(error).toMatchObject({ name: 'ServiceUnavailableError', applied: 'unknown' })
    expect(service.arrivals).toHaveLength(1)
  })
})
