import { afterEach, describe, expect, it, vi } from 'vitest'
import { clientTransport } from '../../../src/core/call/transport.ts'
import { microblogSearch } from '../../../src/api/endpoints/microblog.ts'
import { industriesList } from '../../../src/api/endpoints/professionalnet/industries.ts'
import { createTransport } from '../../../src/index.ts'
import { abortIn, pass, settle, virtualTime } from '../../support/clock.ts'
import { baseUrl, failure, makeClient, ok, slow } from '../../support/service.ts'

virtualTime()

const hang = () => new Promise<never>(() => {})

afterEach(() => vi.restoreAllMocks())

describe('ClientTransport.send()', () => {
  it.each(['maxQueueWait', 'callerLeft'] as const)('refreshes no refused token after %s', async (rule) => {
    const rules = { callerLeft: rule === 'callerLeft' ? abortIn(50) : undefined }
    const options = rule === 'callerLeft' ? {} : { maxQueueWait: 50 }
    const refresh = vi.fn(() => Promise.resolve())
    const fetch = vi.fn(slow(100, () => failure(401, 'unauthorized')))
    const transport = clientTransport(
      createTransport({ baseUrl, auth: { token: () => 'token_0', refresh }, fetch }),
    )
    const request = transport.compose(microblogSearch, { query: 'rust' })
    const call = transport.send(microblogSearch, request, options, rules)
    const { error, ms } = await settle(call)
    expect(error).toMatchObject({ name: 'AuthenticationError' })
    expect([fetch.mock.calls.length, refresh.mock.calls.length, ms]).toEqual([1, 0, 100])
  })

  it('ends at its deadline while a refused token is refreshed, between two attempts', async () => {
    const auth = { token: () => 'token_0', refresh: hang }
    const fetch = vi.fn(() => Promise.resolve(failure(401, 'unauthorized')))
    const client = makeClient({ apiKey: undefined, auth, fetch, deadline: 500 })
    const { error, ms } = await settle(client.microblog.search({ query: 'rust' }))
    expect(error).toMatchObject({
      name: 'TimeoutError',
      phase: 'wait',
      charged: 'no',
      attempts: [{ status: 401 }],
    })
    expect((error as Error).message).toMatch(/between two attempts\. Retry later\.$/)
    expect([fetch.mock.calls.length, ms]).toEqual([1, 500])
  })

  it.each<[string, string, object, string]>([
    ['auth.token()', 'no token', { auth: { token: hang } }, 'queue'],
    ['an apiKey function', 'no token', { apiKey: hang }, 'queue'],
    ['auth.refresh()', 'no fresh token', { auth: { token: () => 'a', refresh: hang } }, 'wait'],
    ['the function for headers', 'no headers', { apiKey: 'a', headers: hang }, 'queue'],
    ['budget.reserve()', 'no answer of a budget', { apiKey: 'a', budget: { reserve: hang } }, 'queue'],
    [
      'renew() of a reservation',
      'no answer of a budget',
      { apiKey: 'a', budget: { reserve: () => ({ settle: () => {}, renew: hang }) } },
      'queue',
    ],
  ])('ends after a minute when %s never does: %s', async (_, message, options, phase) => {
    const fetch = vi.fn(() => Promise.resolve(failure(401, 'unauthorized')))
    const client = makeClient({ apiKey: undefined, ...options, fetch, limits: { inFlight: 1 } })
    const end = await settle(client.microblog.search({ query: 'rust' }, { timeout: 1000 }))
    const expected = { name: 'TimeoutError', phase, charged: 'no' }
    expect(end).toMatchObject({ error: expected, ms: 60_000 })
    expect((end.error as Error).message).toContain(`${message} within 60000 ms`)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
    expect(client.status().slots.taken).toBe(0)
  })

  it('ends with the body that was paid for when the schema never answers', async () => {
    const schema = { '~standard': { version: 1, vendor: 'mine', validate: hang } } as const
    const client = makeClient({ fetch: () => Promise.resolve(ok()) })
    const end = await settle(client.microblog.search({ query: 'rust' }, { schema, timeout: 1000 }))
    const expected = { name: 'InvalidResponseError', charged: 'yes', body: { requestId: expect.any(String) } }
    expect(end).toMatchObject({ error: expected, ms: 60_000 })
    expect(client.credits).toMatchObject({ spent: 2, reserved: 0 })
  })

  it.each([
    ['maxQueueWait passes', { maxQueueWait: 50 }, { name: 'TimeoutError', phase: 'queue', charged: 'no' }],
    ['its caller leaves', {}, { message: 'left' }],
  ])('sends nothing when %s while the function for headers runs', async (_, options, expected) => {
    const fetch = vi.fn(() => Promise.resolve(ok()))
    const slowly = () => new Promise<object>((resolve) => setTimeout(() => resolve({}), 300))
    const transport = clientTransport(
      createTransport({
        ...{ baseUrl, auth: false, organization: `slow headers ${JSON.stringify(options)}`, fetch },
        headers: slowly as () => Promise<Record<string, string>>,
      }),
    )
    const extras = 'maxQueueWait' in options ? {} : { callerLeft: abortIn(50, new Error('left')) }
    const request = transport.compose(microblogSearch, { query: 'rust' })
    const call = transport.send(microblogSearch, request, options, extras)
    expect(await settle(call)).toMatchObject({ error: expected, ms: 50 })
    await pass(300)
    expect(fetch).not.toHaveBeenCalled()
    expect(transport.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('gives back a slot that it gets after maxQueueWait when the thread was blocked meanwhile', async () => {
    const answers = [
      () => {
        vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 100)
        return ok()
      },
    ]
    const fetch = vi.fn(slow(10, () => (answers.pop() ?? ok)()))
    const { microblog } = makeClient({ fetch, limits: { inFlight: 1 } })
    const first = microblog.search({ query: 'first' })
    const late = microblog.search({ query: 'late' }, { maxQueueWait: 50 })
    first.catch(() => {})
    expect((await settle(late)).error).toMatchObject({ name: 'TimeoutError', phase: 'queue', charged: 'no' })
    vi.restoreAllMocks()
    expect((await settle(microblog.search({ query: 'next' }))).error).toBeUndefined()
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('ends between two attempts when abandoned, although the timed-out attempt was answered late', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9)
    const cancel = vi.fn()
    // It ignores its signal.
    const fetch = slow(60, () => new Response(new ReadableStream({ cancel })))
    const transport = clientTransport(
      createTransport({ baseUrl, auth: false, organization: 'late', fetch, timeout: 50 }),
    )
    const rules = { callerLeft: abortIn(70, new Error('the client left')) }
    const { error, ms } = await settle(
      transport.send(industriesList, transport.compose(industriesList, {}), {}, rules),
    )
    expect([error, ms]).toEqual([new Error('the client left'), 70])
    expect(cancel).toHaveBeenCalledOnce()
  })
})
