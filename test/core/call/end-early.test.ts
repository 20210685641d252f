import { afterEach, describe, expect, it, vi } from 'vitest'
import { clientTransport } from '../../../src/core/call/transport.ts'
import { microblogSearch } from '../../../src/api/endpoints/microblog.ts'
import { industriesList } from '../../../src/api/endpoints/professionalnet/industries.ts'
import { type ClientOptions, createTransport } from '../../../src/index.ts'
import { abortIn, pass, settle, virtualTime } from '../../support/clock.ts'
import { query } from '../../support/search.ts'
import { baseUrl, failure, hang, makeClient, notPaid, ok, slow } from '../../support/service.ts'

virtualTime()
afterEach(() => vi.restoreAllMocks())

const refused = () => failure(401, 'unauthorized')
const later = <T>(value: T) => new Promise<T>((resolve) => setTimeout(resolve, 300, value))

/** A transport as the proxy uses it. */
const transportOf = (options: object) =>
  clientTransport(createTransport({ baseUrl, auth: false, organization: crypto.randomUUID(), ...options }))

/** The ways in which a call of a proxy ends after 50 ms: by a rule of its own, or since its caller leaves. */
const ways = [
  ['maxQueueWait passes', { maxQueueWait: 50 }, () => ({}), { name: 'TimeoutError', phase: 'queue' }],
  ['its caller leaves', {}, () => ({ callerLeft: abortIn(50, new Error('left')) }), { message: 'left' }],
] as const

describe('ClientTransport.send()', () => {
  it.each(ways)('refreshes no refused token when %s', async (_, options, rules) => {
    const refresh = vi.fn(() => Promise.resolve())
    const fetch = vi.fn(slow(100, refused))
    const transport = transportOf({ auth: { token: () => 'token_0', refresh }, fetch })
    const call = transport.send(microblogSearch, transport.compose(microblogSearch, query), options, rules())
    expect(await settle(call)).toMatchObject({ error: { name: 'AuthenticationError' }, ms: 100 })
    expect([fetch.mock.calls.length, refresh.mock.calls.length]).toEqual([1, 0])
  })

  it.each(ways)(
    'sends nothing when %s while the function for headers runs',
    async (_, options, rules, error) => {
      const fetch = vi.fn(() => Promise.resolve(ok()))
      const transport = transportOf({ fetch, headers: () => later({}) })
      const call = transport.send(
        microblogSearch,
        transport.compose(microblogSearch, query),
        options,
        rules(),
      )
      expect(await settle(call)).toMatchObject({ error, ms: 50 })
      await pass(300)
      expect(fetch).not.toHaveBeenCalled()
      expect(transport.credits).toMatchObject(notPaid)
    },
  )

  it('ends at its deadline while a refused token is refreshed, between two attempts', async () => {
    const auth = { token: () => 'token_0', refresh: hang }
    const fetch = vi.fn(() => Promise.resolve(refused()))
    const client = makeClient({ apiKey: undefined, auth, fetch, deadline: 500 })
    const { error, ms } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({
      ...{ name: 'TimeoutError', phase: 'wait', charged: 'no', attempts: [{ status: 401 }] },
      message: expect.stringMatching(/between two attempts\. Retry later\.$/) as string,
    })
    expect([fetch.mock.calls.length, ms]).toEqual([1, 500])
  })

  const renewing = { reserve: () => ({ settle: () => {}, renew: hang }) }
  it.each<[string, string, Partial<ClientOptions>, string]>([
    ['auth.token()', 'no token', { apiKey: undefined, auth: { token: hang } }, 'queue'],
    ['an apiKey function', 'no token', { apiKey: hang }, 'queue'],
    [
      'auth.refresh()',
      'no fresh token',
      ...([{ apiKey: undefined, auth: { token: () => 'a', refresh: hang } }, 'wait'] as const),
    ],
    ['the function for headers', 'no headers', { headers: hang }, 'queue'],
    ['budget.reserve()', 'no answer of a budget', { budget: { reserve: hang } }, 'queue'],
    ['renew() of a reservation', 'no answer of a budget', { budget: renewing }, 'queue'],
  ])('ends after a minute when %s never does: %s', async (_, message, options, phase) => {
    const fetch = () => Promise.resolve(refused())
    const client = makeClient({ ...options, fetch, limits: { inFlight: 1 } })
    const end = await settle(client.microblog.search(query, { timeout: 1000 }))
    expect(end).toMatchObject({ error: { name: 'TimeoutError', phase, charged: 'no' }, ms: 60_000 })
    expect((end.error as Error).message).toContain(`${message} within 60000 ms`)
    expect(client.credits).toMatchObject(notPaid)
    expect(client.status().slots.taken).toBe(0)
  })

  it('ends with the body that was paid for when the schema never answers', async () => {
    const schema = { '~standard': { version: 1, vendor: 'mine', validate: hang } } as const
    const client = makeClient({ fetch: () => Promise.resolve(ok()) })
    const end = await settle(client.microblog.search(query, { schema, timeout: 1000 }))
    const expected = { name: 'InvalidResponseError', charged: 'yes', body: { requestId: expect.any(String) } }
    expect(end).toMatchObject({ error: expected, ms: 60_000 })
    expect(client.credits).toMatchObject({ spent: 2, reserved: 0 })
  })

  it('gives back a slot that it gets after maxQueueWait when the thread was blocked meanwhile', async () => {
    const block = () => {
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 100)
      return ok()
    }
    const fetch = vi.fn(slow(10)).mockImplementationOnce(slow(10, block))
    const { microblog } = makeClient({ fetch, limits: { inFlight: 1 } })
    microblog.search({ query: 'first' }).catch(() => {})
    const late = microblog.search({ query: 'late' }, { maxQueueWait: 50 })
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
    const transport = transportOf({ fetch, timeout: 50 })
    const callerLeft = abortIn(70, new Error('the client left'))
    const request = transport.compose(industriesList, {})
    const { error, ms } = await settle(transport.send(industriesList, request, {}, { callerLeft }))
    expect([error, ms]).toEqual([new Error('the client left'), 70])
    expect(cancel).toHaveBeenCalledOnce()
  })
})
