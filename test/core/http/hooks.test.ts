import ky, { type BeforeRequestHook } from 'ky'
import { describe, expect, it, vi } from 'vitest'
import { type Hooks, ApiError, ConnectionError } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import {
  apiKey,
  failure,
  makeClient,
  ok,
  rateLimited,
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
    const client = makeClient({ hooks: { beforeRequest: undefined } })
    await settle(client.microblog.search(query, { hooks: { beforeRequest: [hook] } }))
    await settle(client.microblog.search(query))
    expect(hook).toHaveBeenCalledOnce()
  })

  it.each<[string, BeforeRequestHook]>([
    ['by its headers', ({ request }) => request.headers.set('traceparent', '00-1')],
    ['by another request', ({ request }) => new Request(request, { headers: { traceparent: '00-1' } })],
  ])('change the request %s', async (_, hook) => {
    service.script(ok())
    await settle(makeClient({ hooks: { beforeRequest: [hook] } }).microblog.search(query))
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
    expect((await settle(client.microblog.search(query))).error).toBe(bug)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2, reserved: 0 })
  })

  it('that answer like a proxy charge nothing, whatever the answer says', async () => {
    const said = { charged: 'unknown', by: 'proxy', phase: 'exchange', reason: 'ECONNRESET' }
    const client = makeClient({
      hooks: { beforeRequest: [() => failure(502, 'connection', { error: said })] },
    })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'ConnectionError', charged: 'no' })
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
    expect(service.arrivals).toEqual([])
  })

  it.each(['credit_budget', 'queue_full'])(
    'that answer %s like a proxy, without its numbers, fail with an ApiError',
    async (code) => {
      const answer = () => failure(402, code, { error: { charged: 'no', by: 'proxy' } })
      const { error } = await settle(
        makeClient({ hooks: { beforeRequest: [answer] } }).microblog.search(query),
      )
      expect(error).toBeInstanceOf(ApiError)
      expect(String(error)).not.toContain('NaN')
    },
  )

  it('that return another error charge nothing when no connection was made', async () => {
    const fetch = () => Promise.reject(Object.assign(new TypeError('no'), { code: 'ECONNREFUSED' }))
    const client = makeClient({ fetch, hooks: { beforeError: [() => bug] } })
    expect((await settle(client.microblog.search(query))).error).toBe(bug)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it.each<[string, Hooks, RegExp]>([
    ['by ky.retry()', { afterResponse: [() => ky.retry()] }, /Forced retry/],
    [
      'by ky.retry() with raised limits',
      { beforeRequest: [raiseLimits], afterResponse: [() => ky.retry({ delay: 1 })] },
      /a hook sent the request again/,
    ],
    [
      'by ky.retry() with another request',
      {
        beforeRequest: [raiseLimits],
        afterResponse: [({ request }) => ky.retry({ delay: 1, request: new Request(request.url) })],
      },
      /a hook sent the request again/,
    ],
  ])('cannot send twice %s, nor lose the response', async (_, hooks, message) => {
    service.script(() => ok())
    const client = makeClient({ hooks, retry: { ambiguous: true } })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'InvalidResponseError', charged: 'yes', body: page(['1']) })
    expect((error as Error).message).toMatch(message)
    expect(service.arrivals).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it('cannot send twice by raised limits when no response arrives', async () => {
    service.script(unreachable())
    const client = makeClient({ hooks: { beforeRequest: [raiseLimits] } })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'ConfigurationError', charged: 'unknown' })
    expect((error as Error).message).toContain('a hook sent the request again')
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2, reserved: 0 })
    expect(service.arrivals).toHaveLength(1)
  })

  it('that send the request with ky themselves have no credential', async () => {
    service.script(() => ok())
    const twice: BeforeRequestHook = async ({ request }) => {
      await ky(request.clone())
    }
    await settle(makeClient({ hooks: { beforeRequest: [twice] } }).microblog.search(query))
    const sent = service.arrivals.map(({ headers }) => headers.get('authorization'))
    expect(sent).toEqual([null, `Bearer ${apiKey}`])
  })

  it('cannot send when the attempt is over', async () => {
    const fetch = vi.fn(() => Promise.resolve(ok()))
    let goOn = (): void => {}
    const slow = () => new Promise<void>((resolve) => (goOn = resolve))
    const client = makeClient({ fetch, hooks: { beforeRequest: [slow] }, timeout: 1000 })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'no' })
    goOn()
    await settle(new Promise((resolve) => setTimeout(resolve, 100)))
    expect(fetch).not.toHaveBeenCalled()
  })

  it('cannot make a request that follows redirects or outlives the attempt', async () => {
    const fetch = vi.fn(() => new Promise<Response>(() => {}))
    const own: BeforeRequestHook = ({ request: { url, method, headers, body } }) =>
      new Request(url, { method, headers, body, redirect: 'follow', duplex: 'half' } as RequestInit)
    const client = makeClient({ fetch, hooks: { beforeRequest: [own] }, timeout: 1000 })
    const call = settle(client.microblog.search(query))
    expect((await call).error).toMatchObject({ name: 'TimeoutError' })
    expect(fetch).toHaveBeenCalledWith(expect.objectContaining({ redirect: 'manual' }))
    expect(fetch.mock.lastCall).toMatchObject([{ signal: { aborted: true } }])
  })

  it.each<[string, NonNullable<Hooks['afterResponse']>[number], RegExp]>([
    [
      'return a body that is read',
      async ({ response }) => (await response.text(), response),
      /a hook has read the body; it should read response.clone\(\)/,
    ],
    [
      'return no real response',
      () => ({ [Symbol.toStringTag]: 'Response' }) as never,
      /a hook returned no Response/,
    ],
    ['throw after sending', crash, /a hook failed after the response: bug/],
  ])('that %s end in an error with the paid response', async (_, hook, message) => {
    service.script(() => ok())
    const client = makeClient({ hooks: { afterResponse: [hook] }, retry: { ambiguous: true } })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'InvalidResponseError', charged: 'yes', body: page(['1']) })
    expect((error as Error).message).toMatch(message)
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
    expect(service.arrivals).toHaveLength(1)
  })

  it('that read the response and return nothing do not change it', async () => {
    service.script(() => ok())
    const read = async ({ response }: { response: Response }): Promise<void> => {
      expect(await response.json()).toEqual(page(['1']))
    }
    const client = makeClient({ hooks: { afterResponse: [read] } })
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it('that throw before sending cost nothing, and the error does not show the key', async () => {
    const hooks = { beforeRequest: [() => Promise.reject(new Error(`bug with ${apiKey}`))] }
    const client = makeClient({ hooks })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'ConfigurationError', charged: 'no' })
    expect((error as Error).message).toContain('a hook failed before sending: bug with [redacted]')
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
    expect(service.arrivals).toHaveLength(0)
  })

  it('that throw after an error of the service get that error without a retry, and a log line', async () => {
    service.script(failure(503, 'unavailable'))
    const error = vi.fn()
    const client = makeClient({ hooks: { afterResponse: [crash] }, logger: { error } })
    const outcome = await settle(client.microblog.search(query))
    expect(outcome.error).toMatchObject({ name: 'ServiceUnavailableError', charged: 'no' })
    expect(service.arrivals).toHaveLength(1)
    const fields = { operation: 'microblog.search', attempt: 1, reason: 'bug' }
    expect(error.mock.calls).toEqual([['a hook failed after the response', fields]])
  })

  it('that throw after a 429 keep the surface closed for other calls', async () => {
    service.script(rateLimited(5), () => ok())
    const client = makeClient()
    const failed = await settle(client.microblog.search(query, { hooks: { afterResponse: [crash] } }))
    expect(failed.error).toMatchObject({ name: 'RateLimitError', retryAfter: 5 })
    const { value, ms } = await settle(client.microblog.search(query))
    expect(value?.posts).toHaveLength(1)
    expect(ms).toBeGreaterThanOrEqual(5000)
  })

  it.each([
    ['an error', () => failure(503, 'unavailable'), { name: 'ServiceUnavailableError' }],
    ['a network error', () => Response.error(), { name: 'ConnectionError' }],
  ])('that replace a paid response by %s do not make the call pay again', async (_, replace, expected) => {
    service.script(() => ok())
    const client = makeClient({ hooks: { afterResponse: [replace] }, retry: { ambiguous: true } })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ ...expected, charged: 'yes', body: page(['1']) })
    expect(service.arrivals).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it('that return a response send nothing', async () => {
    const seen = vi.fn()
    const hooks: Hooks = {
      beforeRequest: [() => ok(), () => expect.unreachable()],
      afterResponse: [({ response }) => seen(response.status)],
    }
    const { value } = await settle(makeClient({ hooks }).microblog.search(query).withResponse())
    expect(value).toMatchObject({ data: page(['1']), attempts: [{ sent: null, status: 200, charged: 'no' }] })
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
