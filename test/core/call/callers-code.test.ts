import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SocialSearch } from '../../../src/index.ts'
import { failure, maybePaid, notPaid, ok, paid, virtualService } from '../../support/service.ts'

const service = virtualService()
afterEach(() => vi.unstubAllGlobals())

const bug = (): never => {
  throw new ReferenceError('db is not defined')
}
const text = (pattern: RegExp): unknown => expect.stringMatching(pattern)

it.each([
  ['nothing', undefined],
  ['a promise of nothing', Promise.resolve(null)],
  ['a number', 2],
])('reserve() of a budget that returns %s has the call refused before it is sent', async (_, returned) => {
  const other = { settle: vi.fn() }
  const budget = { reserve: () => returned } as never
  const message = text(/not sent: reserve\(\) of the budget must return settle\(\), got/)
  expect(await service.search({ budget: { reserve: () => other } }, { budget })).toMatchObject({
    error: { name: 'ConfigurationError', operation: 'microblog.search', charged: 'no', message },
    ...{ ...notPaid, sent: 0 },
  })
  expect(other.settle.mock.calls).toEqual([[0, 0]])
})

it('search() has its page when a limiter throws as a permit ends', async () => {
  service.script(ok())
  const permit = { queued: 0, paced: 0, sent: () => {}, answered: () => {}, end: bug }
  const limits = { inFlight: 2, perMinute: 20, windowMs: 60_000 }
  const limiter = { limits, acquire: () => Promise.resolve(permit), waitOf: () => null }
  expect(await service.search({ limiter })).toMatchObject({ error: undefined, ...paid })
})

describe('fetch', () => {
  const used = ok()
  void used.text()
  const misused = { name: 'ConfigurationError', charged: 'unknown' }
  const failed = { name: 'ConnectionError', charged: 'unknown', message: text(/\(db is not defined\)/) }
  const notAText = { ...failed, message: text(/\(url\.replace is not a function\)/) }
  const unsent = {
    ...{ name: 'ConfigurationError', charged: 'no', attempts: [{ sent: null, charged: 'no' }] },
    message: text(/before it sent the request: db is not defined/),
  }
  const send = (request: Request) => void fetch(request).catch(() => {})
  const replaced = (url: unknown) => fetch((url as string).replace('a', 'b'))

  it.each<[string, (request: Request) => unknown, error: object, counted?: object]>([
    ['throws after it has sent the request', (request) => (send(request), bug()), failed],
    ['throws after it has sent a copy', (request) => (send(request.clone()), bug()), failed],
    ['rejects', () => Promise.resolve().then(bug), failed],
    ['throws at once', bug, unsent, notPaid],
    ['returns nothing', () => Promise.resolve(undefined), misused],
    ['returns a used body', () => Promise.resolve(used), misused],
    ['expects a URL', (url) => Promise.resolve(url).then(replaced), notAText],
  ])('that %s fails the call with an error that says so', async (_, fetch, error, counted = maybePaid) => {
    expect(await service.script(ok()).search({ fetch: fetch as never })).toMatchObject({ error, ...counted })
  })

  it.each([
    ['fetch', /not sent: this runtime has no fetch; pass the option fetch/],
    ['Request', /not sent: this runtime has no Request/],
  ])('has sent nothing when the runtime has no %s', async (name, message) => {
    const { client } = await service.see(() => Promise.resolve())
    vi.stubGlobal(name, undefined)
    const error = { name: 'ConfigurationError', charged: 'no', message: text(message) }
    expect(await service.search(client)).toMatchObject({ error, ...notPaid })
  })

  it.each([
    ['a page', ok(), { value: { requestId: 'req_1' }, ...paid }],
    ['a refusal', failure(402, 'no_credits'), { error: { status: 402, charged: 'no' }, ...notPaid }],
  ])('may return a response without a stream: %s', async (_, response, expected) => {
    const { status, headers } = response
    const fetch = () => Promise.resolve({ status, headers, text: () => response.text() } as never)
    expect(await service.search({ fetch })).toMatchObject(expected)
  })
})

it.each<[string, (client: SocialSearch, params: never) => PromiseLike<unknown>]>([
  ['a search', ({ microblog }, params) => microblog.search(params)],
  ['a lookup', ({ professionalnet }, params) => professionalnet.company.get(params)],
  ['an undocumented list', ({ mentions }, params) => mentions.list(params)],
  ['an undocumented read', ({ mentions }, params) => mentions.count(params)],
])('params of %s that throw when they are read reject its promise, and send nothing', async (_, callOf) => {
  const unreadable = { get: bug, enumerable: true }
  const params = Object.defineProperties({}, { query: unreadable, url: unreadable })
  const issues = [{ path: '', message: 'cannot be read: db is not defined' }]
  const error = { name: 'InvalidRequestError', issues }
  expect(await service.see((client) => callOf(client, params as never))).toMatchObject({ error, sent: 0 })
})
