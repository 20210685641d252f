import { describe, expect, it, vi } from 'vitest'
import { type ClientOptions, CreditBudget } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import {
  apiKey,
  failure,
  makeClient,
  maybePaid,
  notPaid,
  ok,
  scriptedService,
  unreachable,
} from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

type Headers = NonNullable<ClientOptions['headers']>

describe('a function for headers', () => {
  it('is called once before each attempt, with its number', async () => {
    service.script(failure(503, 'unavailable'), ok())
    const headers = vi.fn(({ operation, attempt }: { operation: string; attempt: number }) => ({
      'x-attempt': `${operation} ${attempt}`,
    }))
    await service.search({ headers })
    expect(service.arrivals.map(({ headers }) => headers.get('x-attempt'))).toEqual([
      'microblog.search 1',
      'microblog.search 2',
    ])
    expect(headers).toHaveBeenCalledTimes(2)
    expect(service.arrivals[0]!.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
  })

  it('adds to the headers before it, and later headers replace its own', async () => {
    service.script(() => ok())
    const client = makeClient({ headers: { 'x-a': 'client', 'x-b': 'client', 'x-c': 'client' } }).withOptions(
      {
        headers: () => Promise.resolve([['x-b', 'function'] as const, ['x-c', 'function'] as const]),
      },
    )
    const call = client.microblog.search(query, { headers: { 'x-c': 'call' } })
    await settle(call)
    const sent = service.arrivals[0]!.headers
    expect(['x-a', 'x-b', 'x-c'].map((name) => sent.get(name))).toEqual(['client', 'function', 'call'])
    await service.search(client)
    expect(service.arrivals[1]!.headers.get('x-c')).toBe('function')
  })

  it.each<[string, Headers, string]>([
    ['throws', () => assertNever('a bug'), 'your headers function failed: a bug'],
    ['rejects with nothing', () => Promise.reject(undefined), 'your headers function failed'],
    [
      'throws an error with the key',
      () => assertNever(`bad ${apiKey}`),
      'your headers function failed: bad [redacted]',
    ],
    ['returns nothing', () => undefined as never, 'headers must be an object, got undefined'],
    ['returns a text', () => 'x-a: b' as never, 'headers must be an object'],
    ['returns a promise of a text', () => Promise.resolve('x-a: b' as never), 'headers must be an object'],
    [
      'returns a value that cannot be sent',
      () => ({ 'x-a': 'line\nbreak' }),
      'names and values that can be sent',
    ],
    ['returns a header of the connection', () => ({ Host: 'evil.example' }), 'must not set host'],
    [
      'returns another credential',
      () => ({ Authorization: 'Bearer other' }),
      'must not set Authorization; pass apiKey or auth',
    ],
    [
      'returns an object that throws',
      () => new Proxy({}, { ownKeys: () => assertNever('a trap') }),
      'names and values that can be sent',
    ],
  ])('that %s fails the call, which leaves nothing reserved', async (_, headers, message) => {
    const budget = new CreditBudget(2)
    const end = await service.search({ headers, budget })
    expect(end).toMatchObject({
      error: {
        ...{ name: 'ConfigurationError', operation: 'microblog.search', charged: 'no', attempts: [] },
        message: expect.stringContaining(message),
      },
      ...notPaid,
      sent: 0,
    })
    expect(JSON.stringify(end.error)).not.toContain(apiKey)
    expect(budget.summary()).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('that fails before a retry leaves the first attempt as it was', async () => {
    service.script(unreachable)
    const headers: Headers = ({ attempt }) => (attempt === 2 ? assertNever('a bug') : {})
    expect(await service.search({ headers, retry: { unknown: true } })).toMatchObject({
      error: { name: 'ConfigurationError', charged: 'unknown', attempts: [{ charged: 'unknown' }] },
      ...maybePaid,
      sent: 1,
    })
  })
})

describe('headers', () => {
  it.each<[string, Headers]>([
    ['an object', { 'x-a': 'a', 'x-b': undefined, 'x-c': null }],
    ['pairs', [['x-a', 'a'] as const, ['x-b', undefined] as const, ['x-c', null] as const]],
    ['a function', () => ({ 'x-a': 'a', 'x-b': undefined, 'x-c': null })],
    ['a Map', new Map(Object.entries({ 'x-a': 'a', 'x-b': undefined as never }))],
  ])('of %s that are undefined or null are left out', async (_, headers) => {
    service.script(() => ok())
    await service.search(makeClient({ headers: { 'x-b': 'client' } }), { headers })
    const sent = service.arrivals.at(-1)!.headers
    expect(['x-a', 'x-b', 'x-c'].map((name) => sent.get(name))).toEqual(['a', 'client', null])
  })
})

function assertNever(message: string): never {
  throw new Error(message)
}
