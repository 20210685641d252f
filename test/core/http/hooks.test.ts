import ky, { type BeforeRequestHook } from 'ky'
import { describe, expect, it, vi } from 'vitest'
import { type Hooks, ApiError, ConnectionError } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import {
  apiKey,
  failure,
  hang,
  makeClient,
  maybePaid,
  notPaid,
  ok,
  paid,
  scriptedService,
  unreachable,
} from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

const bug = new TypeError('bug')
const crash = (): never => {
  throw bug
}
/** Raises the limits of ky as far as a hook can. */
const raiseLimits: BeforeRequestHook = ({ options }) =>
  void Object.assign(options.retry, {
    limit: 5,
    methods: ['get', 'post'],
    delay: () => 1,
    shouldRetry: () => true,
  })

describe('hooks', () => {
  it('run for each attempt, those of the client before those of the call', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const trace: string[] = []
    const named = (name: string): Hooks => ({
      beforeRequest: [
        ({ options }) => {
          const { operation, attempt } = options.context
          trace.push(`${name} ${String(operation)} ${String(attempt)}`)
        },
      ],
      afterResponse: [({ response }) => void trace.push(`${name} ${response.status}`)],
    })
    const client = makeClient({ hooks: named('client') }).withOptions({ hooks: named('shared') })
    await settle(client.microblog.search(query, { hooks: named('call') }))
    const names = ['client', 'shared', 'call']
    expect(trace).toEqual([
      ...names.map((name) => `${name} microblog.search 1`),
      ...names.map((name) => `${name} 502`),
      ...names.map((name) => `${name} microblog.search 2`),
      ...names.map((name) => `${name} 200`),
    ])
  })

  it('of a call do not run for other calls', async () => {
    service.script(() => ok())
    const hook = vi.fn()
    const { client } = await service.search(
      { hooks: { beforeRequest: undefined } },
      { hooks: { beforeRequest: [hook] } },
    )
    await service.search(client)
    expect(hook).toHaveBeenCalledOnce()
  })

  it.each<[string, BeforeRequestHook]>([
    ['by its headers', ({ request }) => request.headers.set('traceparent', '00-1')],
    ['by another request', ({ request }) => new Request(request, { headers: { traceparent: '00-1' } })],
  ])('change the request %s', async (_, hook) => {
    service.script(ok())
    await service.search({ hooks: { beforeRequest: [hook] } })
    const [arrival] = service.arrivals
    expect(arrival?.headers.get('traceparent')).toBe('00-1')
    expect(arrival?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
    expect(JSON.parse(arrival!.body)).toEqual(query)
  })

  it('see typed errors, never the error of fetch, and leave the retries alone', async () => {
    service.script(unreachable())
    const caught: unknown[] = []
    const beforeError: Hooks['beforeError'] = [({ error }) => (caught.push(error), error)]
    const { error } = await settle(makeClient({ hooks: { beforeError } }).professionalnet.industries.list())
    expect(caught).toHaveLength(3)
    for (const each of caught) expect(each).toBeInstanceOf(ConnectionError)
    expect(error).toBe(caught.at(-1))
  })

  it('that return another error end the retries, and the call rejects with that error', async () => {
    service.script(unreachable())
    const client = makeClient({ hooks: { beforeError: [() => bug] } })
    expect((await settle(client.professionalnet.industries.list())).error).toBe(bug)
    expect(service.arrivals).toHaveLength(1)
    expect(await service.search(client)).toMatchObject({ error: bug, ...maybePaid })
  })

  it('that answer like a proxy charge nothing, whatever the answer says', async () => {
    const said = { charged: 'unknown', by: 'proxy', phase: 'exchange', reason: 'ECONNRESET' }
    const answer = () => failure(502, 'connection', { error: said })
    expect(await service.search({ hooks: { beforeRequest: [answer] } })).toMatchObject({
      error: { name: 'ConnectionError', charged: 'no' },
      ...notPaid,
      sent: 0,
    })
  })

  it.each(['credit_budget', 'queue_full'])(
    'that answer %s like a proxy, without its numbers, fail with an ApiError',
    async (code) => {
      const answer = () => failure(402, code, { error: { charged: 'no', by: 'proxy' } })
      const { error } = await service.search({ hooks: { beforeRequest: [answer] } })
      expect(error).toBeInstanceOf(ApiError)
      expect(String(error)).not.toContain('NaN')
    },
  )

  it.each<[string, Hooks, RegExp]>([
    ['return ky.retry()', { afterResponse: [() => ky.retry()] }, /Forced retry/],
    [
      'return ky.retry() with raised limits',
      { beforeRequest: [raiseLimits], afterResponse: [() => ky.retry({ delay: 1 })] },
      /a hook sent the request again/,
    ],
    [
      'return ky.retry() with another request',
      {
        beforeRequest: [raiseLimits],
        afterResponse: [({ request }) => ky.retry({ delay: 1, request: new Request(request.url) })],
      },
      /a hook sent the request again/,
    ],
    [
      'return a body that is read',
      { afterResponse: [async ({ response }) => (await response.text(), response)] },
      /a hook has read the body; it should read response.clone\(\)/,
    ],
    [
      'return no real response',
      { afterResponse: [() => ({ [Symbol.toStringTag]: 'Response' }) as never] },
      /a hook returned no Response/,
    ],
    ['throw after sending', { afterResponse: [crash] }, /a hook failed after the response: bug/],
  ])('that %s end in an error with the paid response, which is bought once', async (_, hooks, message) => {
    service.script(() => ok())
    expect(await service.search({ hooks, retry: { ambiguous: true } })).toMatchObject({
      error: {
        name: 'InvalidResponseError',
        charged: 'yes',
        body: page(['1']),
        message: expect.stringMatching(message),
      },
      ...paid,
      sent: 1,
    })
  })

  it('cannot send twice by raised limits when no response arrives', async () => {
    service.script(unreachable())
    const message = expect.stringContaining('a hook sent the request again')
    expect(await service.search({ hooks: { beforeRequest: [raiseLimits] } })).toMatchObject({
      error: { name: 'ConfigurationError', charged: 'unknown', message },
      ...maybePaid,
      sent: 1,
    })
  })

  it('cannot send when the attempt is over', async () => {
    const fetch = vi.fn(() => Promise.resolve(ok()))
    let goOn = (): void => {}
    const slow = () => new Promise<void>((resolve) => (goOn = resolve))
    const { error } = await service.search({ fetch, hooks: { beforeRequest: [slow] }, timeout: 1000 })
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'no' })
    goOn()
    await settle(new Promise((resolve) => setTimeout(resolve, 100)))
    expect(fetch).not.toHaveBeenCalled()
  })

  it('cannot make a request that follows redirects or outlives the attempt', async () => {
    const fetch = vi.fn(hang)
    const own: BeforeRequestHook = ({ request: { url, method, headers, body } }) =>
      new Request(url, { method, headers, body, redirect: 'follow', duplex: 'half' } as RequestInit)
    const { error } = await service.search({ fetch, hooks: { beforeRequest: [own] }, timeout: 1000 })
    expect(error).toMatchObject({ name: 'TimeoutError' })
    expect(fetch).toHaveBeenCalledWith(expect.objectContaining({ redirect: 'manual' }))
    expect(fetch.mock.lastCall).toMatchObject([{ signal: { aborted: true } }])
  })

  it('that read the response and return nothing do not change it', async () => {
    service.script(() => ok())
    const read = async ({ response }: { response: Response }): Promise<void> => {
      expect(await response.json()).toEqual(page(['1']))
    }
    expect(await service.search({ hooks: { afterResponse: [read] } })).toMatchObject({
      value: page(['1']),
      ...paid,
    })
  })

  it('that throw before sending cost nothing, and the error does not show the key', async () => {
    const hooks = { beforeRequest: [() => Promise.reject(new Error(`bug with ${apiKey}`))] }
    const message = expect.stringContaining('a hook failed before sending: bug with [redacted]')
    expect(await service.search({ hooks })).toMatchObject({
      error: { name: 'ConfigurationError', charged: 'no', message },
      ...notPaid,
      sent: 0,
    })
  })

  it('that throw after an error of the service get that error without a retry, and a log line', async () => {
    service.script(failure(503, 'unavailable'))
    const error = vi.fn()
    expect(await service.search({ hooks: { afterResponse: [crash] }, logger: { error } })).toMatchObject({
      error: { name: 'ServiceUnavailableError', charged: 'no' },
      sent: 1,
    })
    const fields = { operation: 'microblog.search', attempt: 1, reason: 'bug' }
    expect(error.mock.calls).toEqual([['a hook failed after the response', fields]])
  })

  it('that return a response send nothing', async () => {
    const seen = vi.fn()
    const hooks: Hooks = {
      beforeRequest: [() => ok(), () => expect.unreachable()],
      afterResponse: [({ response }) => seen(response.status)],
    }
    const { value } = await settle(makeClient({ hooks }).microblog.search(query).withResponse())
    expect(value).toMatchObject({
      data: page(['1']),
      attempts: [{ sent: null, status: 200, charged: 'no' }],
      credits: { spent: 0, uncertain: 0 },
    })
    expect(seen.mock.calls).toEqual([[200]])
    expect(service.arrivals).toHaveLength(0)
  })

  it('leave an empty body to the client', async () => {
    service.script(new Response('', { status: 502 }), () => ok(''))
    const error = vi.fn()
    const hooks = { afterResponse: [() => {}] }
    const client = makeClient({ hooks, logger: { error } })
    const free = await settle(client.professionalnet.industries.list())
    expect((free.error as Error).message).toContain('the response is empty (200)')
    expect(service.arrivals.length).toBeGreaterThan(1)
    expect(error).not.toHaveBeenCalled()
  })
})
