import { describe, expect, it, vi } from 'vitest'
import type { Lease } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { leaseOf, lenientLimiter } from '../../support/limiter.ts'
import { failure, makeClient, ok, rateLimited, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('fetch', () => {
  it.each([
    [
      'throws',
      () => {
        throw new ReferenceError('db is not defined')
      },
      'ConnectionError',
      /db is not defined/,
    ],
    ['returns nothing', () => undefined, 'ConfigurationError', /fetch returned no Response/],
    ['returns text', () => 'x', 'ConfigurationError', /fetch returned no Response/],
  ])('that %s gets an error that says so', async (_, fetch, name, message) => {
    expect(await service.search({ fetch: fetch as never })).toMatchObject({
      error: { name, charged: 'unknown', message: expect.stringMatching(message) },
    })
  })
})

describe('limiter', () => {
  it('of the caller decides when to send, and is told of each 429', async () => {
    service.script(rateLimited(3), ok())
    const held: unknown[] = []
    const release = () => void held.push('release')
    const limiter = lenientLimiter({ release }, (...args) => void held.push(args))
    const { value, ms } = await service.search({ limiter })
    expect(value?.posts).toHaveLength(1)
    // In this order, since the next request would go into the refusal otherwise.
    expect(held.slice(0, 2)).toEqual([['microblog', 3000], 'release'])
    expect(held.filter((what) => what !== 'release')).toHaveLength(1)
    // Although this limiter itself would have let it go at once.
    expect(ms).toBeGreaterThanOrEqual(3000)
  })

  it('of the caller is told when a request is sent, when its response begins, and when it ends', async () => {
    const date = 'Fri, 20 Nov 2026 10:00:00 GMT'
    const told: unknown[] = []
    const fetch = () => {
      told.push('fetch')
      return Promise.resolve(ok(undefined, { headers: { date } }))
    }
    const limiter = lenientLimiter({
      sent: () => told.push('sent'),
      answered: (date: Date | null) => told.push(date),
      release: () => told.push('release'),
    })
    await service.search({ limiter, fetch })
    expect(told).toEqual(['sent', 'fetch', new Date(date), 'release'])
  })

  it('of the caller refuses calls at once when a 429 closes the surface for long', async () => {
    service.script(rateLimited(600))
    const release = vi.fn()
    const { client } = await service.search({ limiter: lenientLimiter({ release }) })
    expect(await service.search(client)).toMatchObject({
      error: { name: 'RateLimitError', retryAfter: 600, charged: 'no', attempts: [] },
      ms: 0,
    })
    expect(release).toHaveBeenCalledTimes(2)
  })

  it('of the caller keeps a surface closed for a day at most, when a 429 announces a year', async () => {
    service.script(rateLimited(31_536_000), ok())
    const hold = vi.fn()
    const { client, error } = await service.search({ limiter: lenientLimiter({}, hold) })
    expect(error).toMatchObject({ retryAfter: 31_536_000 })
    expect(hold).toHaveBeenCalledExactlyOnceWith('microblog', 86_400_000)
    const second = await service.search(client)
    expect(second.error).toMatchObject({ name: 'RateLimitError', retryAfter: 86_400, attempts: [] })
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect((await service.search(client)).value?.posts).toHaveLength(1)
  })

  it('of the caller tells its failures to the logger of withOptions()', async () => {
    service.script(ok())
    const error = vi.fn()
    const fail = (): never => {
      throw new Error('no shared memory')
    }
    const limiter = lenientLimiter({ sent: fail })
    await service.search(makeClient({ limiter }).withOptions({ logger: { error } }))
    const fields = { operation: 'microblog.search', attempt: 1, reason: 'Error: no shared memory' }
    expect(error).toHaveBeenCalledWith('the limiter failed', fields)
  })

  it('of the caller that never settles ends with the call, and a late slot is released', async () => {
    let grant: (late: Lease) => void = () => {}
    const limiter = { acquire: () => new Promise<Lease>((resolve) => (grant = resolve)), hold: () => {} }
    expect(await service.search({ limiter, deadline: 400 })).toMatchObject({
      error: { name: 'TimeoutError', phase: 'queue', charged: 'no' },
      ms: 400,
    })
    const release = vi.fn()
    grant(leaseOf({ release }))
    await settle(Promise.resolve())
    expect(release).toHaveBeenCalledOnce()
  })
})

describe('logger', () => {
  it('gets one line even if the service sends line breaks', async () => {
    service.script(failure(418, 'forged\n\u202eline', { error: { message: `x\r\n${'y'.repeat(9999)}` } }))
    const debug = vi.fn()
    const { error } = await service.search({ logger: { debug } })
    expect(JSON.stringify(debug.mock.calls)).not.toMatch(/\\n|\\r|\u202e/)
    expect((error as Error).message).not.toMatch(/[\r\n\u202e]/)
    expect((error as Error).message.length).toBeLessThan(700)
  })

  it('gets each attempt with its requestId', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const lines: [string, unknown][] = []
    const write = (message: string, fields: unknown) => void lines.push([message, fields])
    await service.search({ logger: { debug: write, info: write, warn: write } })
    expect(lines.map(([message]) => message)).toEqual([
      'sending',
      'attempt failed',
      'retrying',
      'sending',
      'answered',
    ])
    expect(lines[1]?.[1]).toMatchObject({
      requestId: 'req_upstream_error',
      outcome: 'upstream_error',
      charged: 'no',
    })
    expect(lines[4]?.[1]).toMatchObject({ requestId: 'req_1', status: 200 })
  })

  it('warns when an attempt may have been charged', async () => {
    service.script(unreachable())
    const warn = vi.fn()
    await service.search({ logger: { warn } })
    expect(warn).toHaveBeenCalledWith('attempt failed', expect.objectContaining({ charged: 'unknown' }))
  })
})

describe('search()', () => {
  const problem = new RangeError('the store is down')
  const bug = () => {
    throw problem
  }
  const limiter = { acquire: bug, hold: () => {} }

  it.each<[string, Parameters<typeof makeClient>[0]]>([
    ['key function', { apiKey: bug }],
    ['token provider', { apiKey: undefined, auth: { token: bug } }],
    ['budget', { budget: { reserve: bug } }],
    ['limiter', { limiter }],
  ])('rejects with the unchanged error of a %s, and sends nothing', async (_, options) => {
    const { error, sent } = await service.search(options)
    expect(error).toBe(problem)
    expect(sent).toBe(0)
  })
})
