import { describe, expect, it, vi } from 'vitest'
import type { SocialSearch } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import {
  failure,
  makeClient,
  ok,
  maybePaid,
  notPaid,
  paid,
  scriptedService,
  unreachable,
} from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const bug = (): never => {
  throw new ReferenceError('db is not defined')
}

describe('reserve() of a budget', () => {
  it.each([
    ['nothing', undefined],
    ['a promise of nothing', Promise.resolve(null)],
    ['a number', 2],
  ])('that returns %s has the call refused before it is sent', async (_, returned) => {
    const other = { settle: vi.fn() }
    const client = makeClient({ budget: { reserve: () => other } })
    const budget = { reserve: () => returned } as never
    const { error } = await settle(client.microblog.search({ query: 'rust' }, { budget }))
    const message = expect.stringMatching(/not sent: reserve\(\) of the budget must return settle\(\), got/)
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      operation: 'microblog.search',
      charged: 'no',
      message,
    })
    expect([service.arrivals.length, other.settle.mock.calls]).toEqual([0, [[0, 0]]])
    expect(client.credits).toMatchObject(notPaid)
  })
})

describe('fetch', () => {
  it.each([
    [
      'throws after it has sent the request',
      (request: Request) => (void fetch(request).catch(() => {}), bug()),
    ],
    [
      'throws after it has sent a copy',
      (request: Request) => (void fetch(request.clone()).catch(() => {}), bug()),
    ],
    ['rejects', () => Promise.resolve().then(bug)],
  ])('that %s may have sent it', async (_, fetch) => {
    service.script(ok())
    const message = expect.stringMatching(/\(db is not defined\)/)
    const error = { name: 'ConnectionError', charged: 'unknown', message }
    expect(await service.search({ fetch })).toMatchObject({ error, ...maybePaid })
  })

  it('that throws at once has sent nothing', async () => {
    const message = expect.stringMatching(/fetch failed before it sent the request: db is not defined/)
    const attempts = [{ sent: null, charged: 'no' }]
    expect(await service.search({ fetch: bug })).toMatchObject({
      error: { name: 'ConfigurationError', charged: 'no', message, attempts },
      ...notPaid,
    })
  })

  it('that does not exist has sent nothing', async () => {
    const client = makeClient()
    vi.stubGlobal('fetch', undefined)
    const { error } = await settle(client.microblog.search({ query: 'rust' }))
    vi.unstubAllGlobals()
    const message = expect.stringMatching(/not sent: this runtime has no fetch; pass the option fetch/)
    expect(error).toMatchObject({ name: 'ConfigurationError', charged: 'no', message })
    expect(client.credits).toMatchObject(notPaid)
  })

  it('has sent nothing when the runtime has no Request', async () => {
    const client = makeClient()
    vi.stubGlobal('Request', undefined)
    const { error } = await settle(client.microblog.search({ query: 'rust' }))
    vi.unstubAllGlobals()
    const message = expect.stringMatching(/not sent: this runtime has no Request/)
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      charged: 'no',
      message,
      attempts: [{ sent: null }],
    })
    expect(client.credits).toMatchObject(notPaid)
  })

  it.each([
    ['a page', ok(), { value: { requestId: 'req_1' }, ...paid }],
    [
      'a refusal',
      failure(402, 'insufficient_credits'),
      { error: { status: 402, charged: 'no' }, ...notPaid },
    ],
  ])('may return a response without a stream: %s', async (_, response, expected) => {
    const { status, headers } = response
    const text = () => response.text()
    expect(
      await service.search({ fetch: () => Promise.resolve({ status, headers, text } as never) }),
    ).toMatchObject(expected)
  })

  it.each(['nothing', 'a response whose body was used'])('may not return %s', async (what) => {
    const used = ok()
    await used.text()
    const fetch = () => Promise.resolve(what === 'nothing' ? (undefined as never) : used)
    expect(await service.search({ fetch })).toMatchObject({
      error: { name: 'ConfigurationError', charged: 'unknown' },
      ...maybePaid,
    })
  })

  it.each([
    [
      'expects a URL',
      async (url: string) => fetch(url.replace('a', 'b')),
      /\(url\.replace is not a function\)/,
    ],
  ])('that %s gets an error that says so', async (_, fetch, message) => {
    expect(await service.search({ fetch: fetch as never })).toMatchObject({
      error: { name: 'ConnectionError', charged: 'unknown', message: expect.stringMatching(message) },
    })
  })
})

describe('logger', () => {
  it('gets one line even if the service sends line breaks', async () => {
    service.script(failure(418, 'forged\n\u202eline', { error: { message: `x\r\n${'y'.repeat(9999)}` } }))
    const info = vi.fn()
    const { error } = await service.search({ logger: { info } })
    expect(info).toHaveBeenCalled()
    expect(JSON.stringify(info.mock.calls)).not.toMatch(/\\n|\\r|\u202e/)
    expect((error as Error).message).not.toMatch(/[\r\n\u202e]/)
    expect((error as Error).message.length).toBeLessThan(700)
  })

  it('gets each attempt with its requestId', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const lines: [string, unknown][] = []
    const write = (message: string, fields: unknown) => void lines.push([message, fields])
    await service.search({ logger: { debug: write, info: write, warn: write } })
    expect(lines.map(([message]) => message)).toEqual(['sending', 'failed, retrying', 'sending', 'answered'])
    expect(lines[1]?.[1]).toMatchObject({
      ...{ operation: 'microblog.search', attempt: 1, status: 502, code: 'upstream_error' },
      ...{ requestId: 'req_upstream_error', charged: 'no', spent: 0, uncertain: 0 },
      waitMs: expect.any(Number) as number,
    })
    expect(lines[3]?.[1]).toMatchObject({ requestId: 'req_1', status: 200, charged: 'yes', spent: 2 })
  })

  it('gets the fields first if it is like pino, and the message first if it is like winston', async () => {
    service.script(ok(), ok())
    const info = vi.fn()
    const like = { info, level: 'info', child: vi.fn() }
    await service.search({ logger: like })
    expect(info).toHaveBeenLastCalledWith(expect.objectContaining({ status: 200 }), 'answered')
    await service.search({ logger: { ...like, ...{ log: vi.fn() } } })
    expect(info).toHaveBeenLastCalledWith('answered', expect.objectContaining({ status: 200 }))
  })

  it('warns of an attempt that may have been charged, and of a retry of it', async () => {
    service.script(unreachable())
    const warn = vi.fn()
    await service.search({ logger: { warn } })
    expect(warn).toHaveBeenCalledExactlyOnceWith('failed', expect.objectContaining({ charged: 'unknown' }))
    // By default, the error alone tells of it.
    const stderr = vi.spyOn(console, 'warn').mockReturnValue()
    await service.search({ logger: undefined })
    expect(stderr).not.toHaveBeenCalled()
    await service.search({ logger: undefined, retry: { unknown: true } })
    expect(stderr).toHaveBeenCalledWith(expect.stringContaining('failed, retrying'))
    stderr.mockRestore()
    await service.search({ logger: { warn }, retry: { unknown: true } })
    expect(warn).toHaveBeenCalledWith('failed, retrying', expect.objectContaining({ charged: 'unknown' }))
  })
})

describe('params', () => {
  it.each<[string, (client: SocialSearch, params: never) => PromiseLike<unknown>]>([
    ['a search', ({ microblog }, params) => microblog.search(params)],
    ['a lookup', ({ professionalnet }, params) => professionalnet.company.get(params)],
    ['an undocumented list', ({ mentions }, params) => mentions.list(params)],
    ['an undocumented read', ({ mentions }, params) => mentions.count(params)],
  ])('of %s that throw when they are read reject its promise, and send nothing', async (_, callOf) => {
    const read = () => {
      throw new TypeError('no query yet')
    }
    const params = Object.defineProperties(
      {},
      {
        query: { get: read, enumerable: true },
        url: { get: read, enumerable: true },
      },
    )
    const { error } = await settle(Promise.resolve(callOf(makeClient(), params as never)))
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ path: '', message: 'cannot be read: no query yet' }],
    })
    expect(service.arrivals).toEqual([])
  })
})

describe('search()', () => {
  const problem = new RangeError('the store is down')
  const bug = () => {
    throw problem
  }

  it.each<[string, Parameters<typeof makeClient>[0]]>([
    ['key function', { apiKey: bug }],
    ['token provider', { apiKey: undefined, auth: { token: bug } }],
    ['budget', { budget: { reserve: bug } }],
  ])('rejects with the unchanged error of a %s, and sends nothing', async (_, options) => {
    const { error, sent } = await service.search(options)
    expect(error).toBe(problem)
    expect(sent).toBe(0)
  })
})
