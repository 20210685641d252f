import { describe, expect, it, vi } from 'vitest'
import { settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, ok, rateLimited, scriptedService, unreachable } from '../../support/service.ts'
import { query } from '../../support/search.ts'

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
    const client = makeClient({ fetch: fetch as never })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name, charged: 'unknown' })
    expect((error as Error).message).toMatch(message)
  })
})

describe('limiter', () => {
  const lease = { queued: 0, paced: 0, sent: () => {}, answered: () => {}, release: () => {} }
  const bug = () => {
    throw new Error('bug')
  }

  it('of the caller decides when to send, and is told of each 429', async () => {
    service.script(rateLimited(3), ok())
    const held: unknown[] = []
    const limiter = {
      acquire: () => Promise.resolve({ ...lease, release: () => void held.push('release') }),
      hold: (...args: unknown[]) => void held.push(args),
    }
    const { value, ms } = await settle(makeClient({ limiter }).microblog.search(query))
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
    const limiter = {
      acquire: () =>
        Promise.resolve({
          ...lease,
          sent: () => told.push('sent'),
          answered: (date: Date | null) => told.push(date),
          release: () => told.push('release'),
        }),
      hold: () => {},
    }
    await settle(makeClient({ limiter, fetch }).microblog.search(query))
    expect(told).toEqual(['sent', 'fetch', new Date(date), 'release'])
  })

  it('of the caller refuses calls at once when a 429 closes the surface for long', async () => {
    service.script(rateLimited(600))
    const release = vi.fn()
    const limiter = { acquire: () => Promise.resolve({ ...lease, release }), hold: () => {} }
    const client = makeClient({ limiter })
    await settle(client.microblog.search(query))
    const { error, ms } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfter: 600, charged: 'no', attempts: [] })
    expect(ms).toBe(0)
    expect(release).toHaveBeenCalledTimes(2)
  })

  it('of the caller keeps a surface closed for a day at most, when a 429 announces a year', async () => {
    service.script(rateLimited(31_536_000), ok())
    const hold = vi.fn()
    const client = makeClient({ limiter: { acquire: () => Promise.resolve(lease), hold } })
    const first = await settle(client.microblog.search(query))
    expect(first.error).toMatchObject({ retryAfter: 31_536_000 })
    expect(hold).toHaveBeenCalledExactlyOnceWith('microblog', 86_400_000)
    const second = await settle(client.microblog.search(query))
    expect(second.error).toMatchObject({ name: 'RateLimitError', retryAfter: 86_400, attempts: [] })
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
  })

  it('of the caller does not lose a paid response when it fails', async () => {
    service.script(rateLimited(1), ok())
    const limiter = {
      acquire: () => Promise.resolve({ ...lease, sent: bug, answered: bug, release: bug }),
      hold: bug,
    }
    const client = makeClient({ limiter })
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it('of the caller tells its failures to the logger of withOptions()', async () => {
    service.script(ok())
    const error = vi.fn()
    const fail = (): never => {
      throw new Error('no shared memory')
    }
    const lease = { queued: 0, paced: 0, sent: fail, answered: () => {}, release: () => {} }
    const limiter = { acquire: () => Promise.resolve(lease), hold: () => {} }
    const client = makeClient({ limiter }).withOptions({ logger: { error } })
    await settle(client.microblog.search(query))
    const fields = { operation: 'microblog.search', attempt: 1, reason: 'Error: no shared memory' }
    expect(error).toHaveBeenCalledWith('the limiter failed', fields)
  })

  it('of the caller that never settles ends with the call, and a late slot is released', async () => {
    let grant: (late: typeof lease) => void = () => {}
    const limiter = {
      acquire: () => new Promise<typeof lease>((resolve) => (grant = resolve)),
      hold: () => {},
    }
    const { error, ms } = await settle(makeClient({ limiter, deadline: 400 }).microblog.search(query))
    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'queue', charged: 'no' })
    expect(ms).toBe(400)
    const release = vi.fn()
    grant({ ...lease, release })
    await settle(Promise.resolve())
    expect(release).toHaveBeenCalledOnce()
  })
})

describe('logger', () => {
  it('may be asynchronous, and fail', async () => {
    service.script(ok())
    const logger = { debug: (() => Promise.reject(new Error('disk full'))) as () => void }
    expect((await settle(makeClient({ logger }).microblog.search(query))).value?.posts).toHaveLength(1)
  })

  it('gets one line even if the service sends line breaks', async () => {
    service.script(failure(418, 'forged\n\u202eline', { error: { message: `x\r\n${'y'.repeat(9999)}` } }))
    const debug = vi.fn()
    const { error } = await settle(makeClient({ logger: { debug } }).microblog.search(query))
    expect(JSON.stringify(debug.mock.calls)).not.toMatch(/\\n|\\r|\u202e/)
    expect((error as Error).message).not.toMatch(/[\r\n\u202e]/)
    expect((error as Error).message.length).toBeLessThan(700)
  })

  it('does not affect the result when it throws', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const broken = () => {
      throw new Error('disk full')
    }
    const logger = { debug: broken, info: broken, warn: broken, error: broken }
    const { value } = await settle(makeClient({ logger }).microblog.search(query))
    expect(value?.posts).toHaveLength(1)
  })

  it('gets each attempt with its requestId', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const lines: [string, unknown][] = []
    const write = (message: string, fields: unknown) => void lines.push([message, fields])
    await settle(makeClient({ logger: { debug: write, info: write, warn: write } }).microblog.search(query))
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
    await settle(makeClient({ logger: { warn } }).microblog.search(query))
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
    const { error } = await settle(makeClient(options).microblog.search(query))
    expect(error).toBe(problem)
    expect(service.arrivals).toHaveLength(0)
  })
})
