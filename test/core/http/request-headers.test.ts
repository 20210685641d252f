import { describe, expect, it, vi } from 'vitest'
import { type ClientOptions, CreditBudget } from '../../../src/index.ts'
import {
  apiKey,
  failure,
  makeClient,
  maybePaid,
  notPaid,
  ok,
  unreachable,
  virtualService,
} from '../../support/service.ts'

const service = virtualService()

type Headers = NonNullable<ClientOptions['headers']>
const fail = (message: string) => (): never => {
  throw new Error(message)
}
/** Some headers of each request. */
const sent = (...names: string[]) =>
  service.arrivals.map(({ headers }) => names.map((name) => headers.get(name)).join())

describe('a function for headers', () => {
  it('is called once before each attempt, with its number', async () => {
    service.script(failure(503, 'unavailable'), ok())
    const headers = vi.fn((facts: { operation: string; attempt: number }) => ({
      'x-attempt': `${facts.operation} ${facts.attempt}`,
    }))
    await service.search({ headers })
    expect(sent('x-attempt')).toEqual(['microblog.search 1', 'microblog.search 2'])
    expect(headers).toHaveBeenCalledTimes(2)
    expect(sent('authorization')[0]).toBe(`Bearer ${apiKey}`)
  })

  it('adds to the headers before it, and later headers replace its own', async () => {
    service.script(() => ok())
    const own = { 'x-a': 'client', 'x-b': 'client', 'x-c': 'client' }
    const headers = () => Promise.resolve(['x-b', 'x-c'].map((name) => [name, 'function'] as const))
    const client = makeClient({ headers: own }).withOptions({ headers })
    await service.search(client, { headers: { 'x-c': 'call' } })
    await service.search(client)
    expect(sent('x-a', 'x-b', 'x-c')).toEqual(['client,function,call', 'client,function,function'])
  })

  it.each<[string, Headers, string]>([
    ['throws', fail('a bug'), 'your headers function failed: a bug'],
    ['rejects with nothing', () => Promise.reject(undefined), 'your headers function failed'],
    ['throws the key', fail(`bad ${apiKey}`), 'your headers function failed: bad [redacted]'],
    ['returns nothing', () => undefined as never, 'headers must be an object, got undefined'],
    ['returns a text', () => 'x-a: b' as never, 'headers must be an object'],
    ['returns a promise of a text', () => Promise.resolve('x-a: b' as never), 'headers must be an object'],
    [
      'returns a value that cannot be sent',
      () => ({ 'x-a': 'line\nbreak' }),
      'names and values that can be sent',
    ],
    ['returns a header of the connection', () => ({ Host: 'evil.example' }), 'must not set host'],
    ['returns another credential', () => ({ Authorization: 'Bearer other' }), 'pass apiKey or auth'],
    ['returns an object that throws', () => new Proxy({}, { ownKeys: fail('a trap') }), 'that can be sent'],
  ])('that %s fails the call, which leaves nothing reserved', async (_, headers, message) => {
    const budget = new CreditBudget(2)
    const end = await service.search({ headers, budget })
    const error = {
      ...{ name: 'ConfigurationError', operation: 'microblog.search', charged: 'no', attempts: [] },
      message: expect.stringContaining(message) as string,
    }
    expect(end).toMatchObject({ error, ...notPaid, sent: 0 })
    expect(JSON.stringify(end.error)).not.toContain(apiKey)
    expect(budget.summary()).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('that fails before a retry leaves the first attempt as it was', async () => {
    service.script(unreachable)
    const headers: Headers = ({ attempt }) => (attempt === 2 ? fail('a bug')() : {})
    const error = { name: 'ConfigurationError', charged: 'unknown', attempts: [{ charged: 'unknown' }] }
    const end = await service.search({ headers, retry: { unknown: true } })
    expect(end).toMatchObject({ error, ...maybePaid, sent: 1 })
  })
})

const partial = { 'x-a': 'a', 'x-b': undefined as never, 'x-c': null as never }
it.each<[string, Headers]>([
  ['an object', partial],
  ['pairs', Object.entries(partial)],
  ['a function', () => partial],
  ['a Map', new Map(Object.entries(partial))],
])('headers of %s that are undefined or null are left out', async (_, headers) => {
  await service.script(ok()).search({ headers: { 'x-b': 'client' } }, { headers })
  expect(sent('x-a', 'x-b', 'x-c')).toEqual(['a,client,'])
})
