import { describe, expect, it, vi } from 'vitest'
import type { Hooks } from '../../../src/index.ts'
import { abortIn, settle, virtualTime } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import {
  failure,
  hang,
  makeClient,
  maybePaid,
  notPaid,
  ok,
  paid,
  rateLimited,
  scriptedService,
} from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

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
    const { error, ms } = await service.search({ hooks: hanging, ...limit })
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'yes', body: page(['1']) })
    expect((error as Error).message).toMatch(message)
    expect((error as Error).message).not.toContain('may have been charged')
    expect(ms).toBe(300)
  })

  it('keeps the text on the error when the response is not JSON', async () => {
    service.script(() => ok('<html>'))
    const { error } = await service.search({ hooks: hanging, timeout: 300 })
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'yes', body: '<html>' })
  })

  it('is accounted for when the caller aborts', async () => {
    service.script(() => ok())
    const onCall = vi.fn()
    const signal = abortIn(100, 'enough')
    const options = { hooks: hanging, observers: [{ onCall }] }
    expect(await service.search(options, { signal })).toMatchObject({
      error: 'enough',
      ...paid,
    })
    expect(onCall).toHaveBeenCalledWith(expect.objectContaining({ outcome: 'aborted', charged: 'yes' }))
  })

  it('holds no slot', async () => {
    service.script(() => ok())
    const client = makeClient({ limits: { inFlight: 1 }, timeout: 5000 })
    const hung = client.microblog.search(query, { hooks: hanging }).catch(() => {})
    const { value, ms } = await service.search(client)
    expect(value?.posts).toHaveLength(1)
    expect(ms).toBeLessThan(5000)
    await settle(hung)
  })
})

describe('a hook that hangs after a failure', () => {
  it('says that nothing was charged', async () => {
    service.script(() => failure(503, 'unavailable'))
    const { error, ...counted } = await service.search({ hooks: hanging, timeout: 300 })
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'no' })
    expect(error).not.toHaveProperty('body')
    expect(counted).toMatchObject({ ...notPaid, sent: 1 })
  })

  it('closes the surface at once when it was a 429', async () => {
    service.script(rateLimited(5), () => ok())
    const client = makeClient({ timeout: 60_000, limits: { inFlight: 1 } })
    const hung = client.microblog.search(query, { hooks: hanging }).catch(() => {})
    const { value } = await service.search(client)
    expect(value?.posts).toHaveLength(1)
    const [first, second] = service.arrivals
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(5000)
    await client.close()
    await hung
  })

  it('says that nothing was charged when no connection was made', async () => {
    const fetch = () => Promise.reject(Object.assign(new TypeError('no'), { code: 'ECONNREFUSED' }))
    expect(await service.search({ fetch, hooks: { beforeError: [hang] }, timeout: 300 })).toMatchObject({
      error: { name: 'TimeoutError', charged: 'no' },
      ...notPaid,
    })
  })
})

describe('a hook that replaces a response', () => {
  it.each<[string, () => Response, object]>([
    ['by text that is not JSON', () => new Response('<html>'), { name: 'InvalidResponseError' }],
    ['by another shape', () => ok({ requestId: 'r' }), { name: 'InvalidResponseError' }],
    ['by a redirect', () => Response.redirect('https://other.example'), { name: 'RedirectError' }],
    ['by a 429', () => rateLimited(1), { name: 'RateLimitError' }],
    ['by a 503', () => failure(503, 'unavailable'), { name: 'ServiceUnavailableError' }],
    ['by a network error', () => Response.error(), { name: 'ConnectionError' }],
  ])('keeps the paid body on the error, and buys nothing again, %s', async (_, replace, expected) => {
    service.script(() => ok())
    const options = { hooks: { afterResponse: [replace] }, retry: { ambiguous: true } }
    expect(await service.search(options)).toMatchObject({
      error: { ...expected, charged: 'yes', body: page(['1']) },
      ...paid,
      sent: 1,
    })
  })

  it('pays what the service sent when it returns another page', async () => {
    service.script(() => ok())
    const { value, ...counted } = await service.search({ hooks: { afterResponse: [() => ok(page(['2']))] } })
    expect(value?.posts.map(({ id }) => id)).toEqual(['2'])
    expect(counted).toMatchObject(paid)
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
    expect(await service.search({ hooks: { afterResponse: [() => rateLimited(1)] } })).toMatchObject({
      error: { name: 'RateLimitError', charged: 'unknown' },
      ...maybePaid,
      sent: 1,
    })
  })

  it('does not undo a write', async () => {
    service.script(() => ok({ requestId: 'req_1' }))
    const client = makeClient({ hooks: { afterResponse: [() => failure(503, 'unavailable')] } })
    const { error } = await settle(client.mentions.setState('men_1', { state: 'seen' }))
    expect(error).toMatchObject({ name: 'ServiceUnavailableError', applied: 'unknown' })
    expect(service.arrivals).toHaveLength(1)
  })
})
