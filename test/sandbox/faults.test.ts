import { describe, expect, it, vi } from 'vitest'
import { type Endpoint, SocialSearch } from '../../src/index.ts'
import { type Fault, createSandbox } from '../support/sandbox.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { now, search, searchRequest } from './helpers.ts'

const query = { query: 'coffee', count: 2 }

const connectionReset = {
  name: 'TypeError',
  cause: expect.objectContaining({ code: 'ECONNRESET' }) as unknown,
}

/** A sandbox with these faults. */
function withFaults(...faults: Fault[]) {
  const sandbox = createSandbox({ now })
  for (const fault of faults) sandbox.inject(fault)
  return sandbox
}

virtualTime()

describe('inject() status', () => {
  it.each([
    [400, 'validation_error'],
    [401, 'unauthorized'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
    [502, 'upstream_error'],
    // The service documents the code for calls of the professional network alone.
    [503, 'service_unavailable'],
    [418, 'http_418'],
  ])('responds once with %i and the code %s, uncharged, and then as usual', async (status, code) => {
    const sandbox = withFaults({ status })
    const answer = await search(sandbox, query)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ requestId: sandbox.requests[0]?.requestId, error: { code } })
    // A 429 of the service always announces a wait.
    const seconds = status === 429 ? 1 : undefined
    expect(answer.headers.get('retry-after')).toBe(seconds ? String(seconds) : null)
    expect(answer.body['error'].retryAfter).toBe(seconds)
    expect(sandbox.ledger.spent).toBe(0)
    expect((await search(sandbox, query)).status).toBe(200)
    expect(sandbox.requests.map((request) => request.status)).toEqual([status, 200])
  })

  const ownWait = { status: 503, retryAfter: 7, headers: { 'retry-after': 'soon' } }
  const withHeader = { status: 503, retryAfter: 7, headers: { 'X-Region': 'north' } }
  const unavailable = { error: { code: 'service_unavailable', retryAfter: 7 } }

  it.each<[Fault, number, object, Record<string, string | null>]>([
    [withHeader, 503, unavailable, { 'retry-after': '7', 'x-region': 'north' }],
    [ownWait, 503, unavailable, { 'retry-after': 'soon' }],
    [{ status: 429, retryAfter: 1.5 }, 429, { error: { retryAfter: 1.5 } }, { 'retry-after': '1.5' }],
    [{ status: 429, body: { retryAfter: 3 } }, 429, { retryAfter: 3 }, { 'retry-after': null }],
    [{ body: { posts: 'gone' } }, 200, { posts: 'gone' }, {}],
  ])('takes from the fault %j what it says', async (fault, status, body, headers) => {
    const sandbox = withFaults(fault)
    const answer = await search(sandbox, query)
    expect(answer).toMatchObject({ status, body })
    for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(value)
    expect(sandbox.ledger.spent).toBe(status === 200 ? 2 : 0)
  })

  it.each<[Fault, number]>([
    [{ status: 204 }, 2],
    [{ status: 200, body: 'not json' }, 2],
    [{ status: 301, headers: { location: 'https://elsewhere.example/' } }, 0],
    [{ status: 502, body: '<h1>Bad gateway</h1>', headers: { 'content-type': 'text/html' } }, 0],
  ])('sends %j, and charges a success without a usable body', async (fault, charged) => {
    const sandbox = withFaults(fault)
    const response = await sandbox.fetch(searchRequest(sandbox, query))
    expect([response.status, await response.text()]).toEqual([fault.status, fault.body ?? ''])
    expect(Object.fromEntries(response.headers)).toMatchObject(fault.headers ?? {})
    expect(sandbox.requests).toMatchObject([{ status: fault.status, charged }])
  })
})

describe('inject() order', () => {
  it.each<[string, Fault[], number[]]>([
    ['in order, `times` times', [{ status: 502, times: 2 }, { status: 503 }], [502, 502, 503, 200]],
    ['after skipped requests', [{ status: 502, skip: 2, times: 2 }], [200, 200, 502, 502, 200]],
    ['before a fault that skips requests', [{ status: 502, skip: 1 }, { status: 503 }], [503, 502, 200]],
    ['not at all when times is 0', [{ status: 502, times: 0 }, { status: 503 }], [503, 200]],
    ['for ever when times is Infinity', [{ status: 502, times: Infinity }], Array<number>(15).fill(502)],
    ['on the named operation', [{ status: 502, operation: 'microblog.search' }], [502, 200]],
    ['on no other operation', [{ status: 502, operation: 'technews.search' }], [200]],
  ])('strikes %s', async (_, faults, statuses) => {
    const sandbox = withFaults(...faults)
    for (const status of statuses) expect((await search(sandbox, query)).status).toBe(status)
  })

  it('strikes after authentication and limits, and before the request is validated', async () => {
    const sandbox = createSandbox({ limits: { perMinute: 1, windowMs: 1000 } })
    await search(sandbox, query)
    sandbox.inject({ status: 502 })
    expect((await search(sandbox, query, { key: 'wrong' })).status).toBe(401)
    expect((await search(sandbox, query)).status).toBe(429)
    await vi.advanceTimersByTimeAsync(1000)
    expect((await search(sandbox, {})).status).toBe(502)
  })
})

it('inject() has a delay that adds to the latency', async () => {
  const sandbox = createSandbox({ latency: 50 })
  sandbox.inject({ delay: 1000 })
  const answer = search(sandbox, query)
  await vi.advanceTimersByTimeAsync(1049)
  expect(sandbox.requests[0]?.status).toBe(null)
  await vi.advanceTimersByTimeAsync(1)
  expect((await answer).status).toBe(200)
})

it.each([
  ['before', 0],
  ['after', 2],
] as const)('inject() reset rejects like fetch %s the charge, and frees the slot', async (reset, charged) => {
  const sandbox = withFaults({ reset, times: 3 })
  const error = { ...connectionReset, message: 'fetch failed' }
  for (let i = 0; i < 3; i++) await expect(search(sandbox, query)).rejects.toMatchObject(error)
  expect(sandbox.requests[0]).toMatchObject({ status: null, charged })
  expect(sandbox.ledger.spent).toBe(3 * charged)
  await search(sandbox, query)
  expect(sandbox.requests.at(-1)?.inFlight).toBe(1)
})

describe('inject() cut', () => {
  /** Reads the first half of a body, before it breaks off. */
  async function readHalf(cut: Fault['cut']) {
    const sandbox = withFaults({ cut })
    const response = await sandbox.fetch(searchRequest(sandbox, query))
    const reader = response.body!.getReader()
    expect((await reader.read()).value?.length).toBeGreaterThan(100)
    return { sandbox, reader }
  }

  it('sends half of a charged body and ends when cut is truncate', async () => {
    const [whole, cut] = [withFaults(), withFaults({ cut: 'truncate' })]
    const bytesOf = async (sandbox: typeof whole) => {
      const response = await sandbox.fetch(searchRequest(sandbox, query))
      expect(response.status).toBe(200)
      return new Uint8Array(await response.arrayBuffer())
    }
    const [full, half] = [await bytesOf(whole), await bytesOf(cut)]
    expect(half).toEqual(full.subarray(0, Math.floor(full.length / 2)))
    expect(cut.ledger.spent).toBe(2)
  })

  it('sends half of the body and then an error when cut is reset', async () => {
    const { sandbox, reader } = await readHalf('reset')
    await expect(reader.read()).rejects.toMatchObject(connectionReset)
    expect(sandbox.requests[0]).toMatchObject({ status: 200, charged: 2 })
    await search(sandbox, query)
    expect(sandbox.requests.at(-1)?.inFlight).toBe(1)
  })

  it('holds its slot until the caller cancels when cut is stall', async () => {
    const { sandbox, reader } = await readHalf('stall')
    const more = vi.fn()
    void reader.read().then(more)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(more).not.toHaveBeenCalled()
    await search(sandbox, query)
    expect(sandbox.requests.at(-1)?.inFlight).toBe(2)
    await reader.cancel()
    await search(sandbox, query)
    expect(sandbox.requests.at(-1)?.inFlight).toBe(1)
  })

  it('errors the body with the reason and frees the slot when a stalled request is aborted', async () => {
    const sandbox = withFaults({ cut: 'stall', times: 2 })
    const controller = new AbortController()
    const reason = new Error('waited long enough')
    const read = await sandbox.fetch(searchRequest(sandbox, query, { signal: controller.signal }))
    const unread = await sandbox.fetch(searchRequest(sandbox, query, { signal: controller.signal }))
    const text = read.text()
    expect((await search(sandbox, query)).status).toBe(429)
    controller.abort(reason)
    await expect(text).rejects.toBe(reason)
    await expect(unread.text()).rejects.toBe(reason)
    await search(sandbox, query)
    expect(sandbox.requests.at(-1)?.inFlight).toBe(1)
  })
})

describe('inject() before client.request() and extraParams', () => {
  const trends = { requestId: 'req_1', trends: ['tea'] }
  const set = () => {
    const sandbox = createSandbox({ now })
    return { sandbox, client: new SocialSearch({ ...sandbox.clientOptions(), retry: false }) }
  }

  it.each<[Endpoint['method'], string, Fault]>([
    ['GET', '/data/microblog/trends', { body: trends }],
    ['PUT', '/mentions/men_1/state', { status: 200, body: trends }],
  ])('answers a %s to %s, and the next search as usual', async (method, path, fault) => {
    const { sandbox, client } = set()
    sandbox.inject(fault)
    const answer = await settle(client.request({ method, path, credits: 2 }))
    expect(answer.value).toEqual(trends)
    const next = await settle(client.microblog.search(query))
    expect(next.value?.posts).toHaveLength(2)
    expect(sandbox.requests).toMatchObject([{ operation: null }, { operation: 'microblog.search' }])
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('fails it, counts it among those that succeed first, and answers 404 without a fault', async () => {
    const { sandbox, client } = set()
    const call = () => settle(client.request({ method: 'POST', path: '/data/microblog/trends', credits: 2 }))
    sandbox.inject({ status: 503, skip: 1 })
    const errors = [(await call()).error, (await call()).error, (await call()).error]
    expect(errors).toMatchObject([{ status: 404 }, { status: 503 }, { status: 404 }])
  })
})
