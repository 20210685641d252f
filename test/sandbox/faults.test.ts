import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Fault, createSandbox } from '../../src/sandbox/index.ts'
import { now, refused, search, searchRequest } from './helpers.ts'

const query = { query: 'coffee', count: 2 }

const connectionReset = {
  name: 'TypeError',
  cause: expect.objectContaining({ code: 'ECONNRESET' }) as unknown,
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('inject() status', () => {
  it.each([
    [400, 'validation_error'],
    [401, 'unauthorized'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
    [502, 'upstream_error'],
    [503, 'professionalnet_unavailable'],
    [418, 'status_418'],
  ])('responds once with %i and the code %s, uncharged, and then as usual', async (status, code) => {
    const sandbox = createSandbox()
    sandbox.inject({ status })
    const answer = await refused(sandbox, query)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ requestId: sandbox.requests[0]?.requestId, error: { code } })
    // A 429 of the service always announces a wait.
    const seconds = status === 429 ? 1 : undefined
    expect(answer.headers.get('retry-after')).toBe(seconds ? String(seconds) : null)
    expect(answer.body.error.retryAfter).toBe(seconds)
    expect(sandbox.ledger.spent).toBe(0)
    expect((await search(sandbox, query)).status).toBe(200)
    expect(sandbox.requests.map((request) => request.status)).toEqual([status, 200])
  })

  it('takes code, retryAfter, headers and body from the fault', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 503, code: 'somewhere_else', retryAfter: 7, headers: { 'X-Region': 'north' } })
    sandbox.inject({ status: 503, retryAfter: 7, headers: { 'retry-after': 'soon' } })
    sandbox.inject({ code: 'rate_limited', retryAfter: 1.5 })
    sandbox.inject({ status: 502, body: '<h1>Bad gateway</h1>', headers: { 'content-type': 'text/html' } })
    sandbox.inject({ status: 429, body: { retryAfter: 3 } })

    const own = await refused(sandbox, query)
    expect(own.body.error).toMatchObject({ code: 'somewhere_else', retryAfter: 7 })
    expect([own.headers.get('retry-after'), own.headers.get('x-region')]).toEqual(['7', 'north'])

    const torn = await refused(sandbox, query)
    expect([torn.headers.get('retry-after'), torn.body.error.retryAfter]).toEqual(['soon', 7])

    const limited = await refused(sandbox, query)
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1.5'])

    const page = await sandbox.fetch(searchRequest(sandbox, query))
    expect(page.headers.get('content-type')).toBe('text/html')
    expect(await page.text()).toBe('<h1>Bad gateway</h1>')

    const bare = await refused(sandbox, query)
    expect([bare.body, bare.headers.get('retry-after')]).toEqual([{ retryAfter: 3 }, null])
  })

  it('charges a success without a usable body', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 204 })
    sandbox.inject({ status: 200, body: 'not json' })
    sandbox.inject({ status: 301, headers: { location: 'https://elsewhere.example/' } })
    for (const text of ['', 'not json', '']) {
      expect(await (await sandbox.fetch(searchRequest(sandbox, query))).text()).toBe(text)
    }
    expect(sandbox.requests.map(({ status, charged }) => [status, charged])).toEqual([
      [204, 2],
      [200, 2],
      [301, 0],
    ])
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('replaces the body of a processed request when no status is given', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ body: { posts: 'gone' }, times: 2 })
    expect(await search(sandbox, query)).toMatchObject({ status: 200, body: { posts: 'gone' } })
    expect(await search(sandbox, {})).toMatchObject({ status: 400, body: { posts: 'gone' } })
    expect(sandbox.ledger.spent).toBe(2)
  })
})

describe('inject() order', () => {
  const statuses = async (faults: Fault[], requests: number): Promise<number[]> => {
    const sandbox = createSandbox()
    for (const fault of faults) sandbox.inject(fault)
    const seen: number[] = []
    for (let i = 0; i < requests; i++) seen.push((await search(sandbox, query)).status)
    return seen
  }

  it('applies faults in the order of injection, `times` times', async () => {
    expect(await statuses([{ status: 502, times: 2 }, { status: 503 }], 4)).toEqual([502, 502, 503, 200])
  })

  it('skips requests first when skip is set', async () => {
    expect(await statuses([{ status: 502, skip: 2, times: 2 }], 5)).toEqual([200, 200, 502, 502, 200])
    expect(await statuses([{ status: 502, skip: 1 }, { status: 503 }], 3)).toEqual([503, 502, 200])
  })

  it('never ends when times is Infinity', async () => {
    expect(await statuses([{ status: 502, times: Infinity }], 15)).toEqual(Array(15).fill(502))
  })

  it('affects only the named operation', async () => {
    expect(await statuses([{ status: 502, operation: 'microblog.search' }], 2)).toEqual([502, 200])
  })

  it('does not affect requests that authentication or a limit refuses', async () => {
    const sandbox = createSandbox({ limits: { perMinute: 1, windowMs: 1000 } })
    await search(sandbox, query)
    sandbox.inject({ status: 502 })
    expect((await refused(sandbox, query, { authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await refused(sandbox, query)).status).toBe(429)
    await vi.advanceTimersByTimeAsync(1000)
    expect((await refused(sandbox, query)).status).toBe(502)
  })

  it('applies before the request is validated', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 502 })
    expect((await refused(sandbox, {})).status).toBe(502)
  })
})

describe('inject() delay', () => {
  it('responds after the delay and the latency together, and not before', async () => {
    const sandbox = createSandbox({ latency: 50 })
    sandbox.inject({ delay: 1000 })
    const done = vi.fn()
    const answer = search(sandbox, query).then(done)
    await vi.advanceTimersByTimeAsync(1049)
    expect(done).not.toHaveBeenCalled()
    expect(sandbox.requests[0]?.status).toBe(null)
    await vi.advanceTimersByTimeAsync(1)
    await answer
    expect(sandbox.requests[0]?.status).toBe(200)
  })
})

describe('inject() reset', () => {
  it('rejects like fetch and charges nothing when the reset comes before', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ reset: 'before' })
    await expect(search(sandbox, query)).rejects.toMatchObject({
      ...connectionReset,
      message: 'fetch failed',
    })
    expect(sandbox.requests[0]).toMatchObject({ status: null, charged: 0 })
    expect(sandbox.ledger.spent).toBe(0)
  })

  it('rejects like fetch but charges when the reset comes after', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ reset: 'after' })
    await expect(search(sandbox, query)).rejects.toMatchObject(connectionReset)
    expect(sandbox.requests[0]).toMatchObject({ status: null, charged: 2 })
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('frees the slot of the request', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ reset: 'before', times: 3 })
    for (let i = 0; i < 3; i++) await expect(search(sandbox, query)).rejects.toThrow()
    await search(sandbox, query)
    expect(sandbox.requests.at(-1)?.inFlight).toBe(1)
  })
})

describe('inject() cut', () => {
  it('sends half of a charged body and ends when cut is truncate', async () => {
    const [whole, cut] = [createSandbox({ now }), createSandbox({ now })]
    const full = await (await whole.fetch(searchRequest(whole, query))).text()
    cut.inject({ cut: 'truncate' })
    const response = await cut.fetch(searchRequest(cut, query))
    expect(response.status).toBe(200)
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(bytes).toEqual(new TextEncoder().encode(full).subarray(0, bytes.length))
    expect(bytes.length).toBe(Math.floor(new TextEncoder().encode(full).length / 2))
    expect(cut.ledger.spent).toBe(2)
  })

  it('sends half of the body and then an error when cut is reset', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ cut: 'reset' })
    const response = await sandbox.fetch(searchRequest(sandbox, query))
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(100)
    await expect(reader?.read()).rejects.toMatchObject(connectionReset)
    expect(sandbox.requests[0]).toMatchObject({ status: 200, charged: 2 })
  })

  it('holds its slot until the caller cancels when cut is stall', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ cut: 'stall' })
    const response = await sandbox.fetch(searchRequest(sandbox, query))
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(100)
    const more = vi.fn()
    void reader?.read().then(more)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(more).not.toHaveBeenCalled()
    await search(sandbox, query)
    expect(sandbox.requests.at(-1)?.inFlight).toBe(2)
    await reader?.cancel()
    await search(sandbox, query)
    expect(sandbox.requests.at(-1)?.inFlight).toBe(1)
  })

  it('errors the body with the reason and frees the slot when a stalled request is aborted', async () => {
    const sandbox = createSandbox()
    const controller = new AbortController()
    const reason = new Error('waited long enough')
    sandbox.inject({ cut: 'stall', times: 2 })
    const read = await sandbox.fetch(searchRequest(sandbox, query, { signal: controller.signal }))
    const unread = await sandbox.fetch(searchRequest(sandbox, query, { signal: controller.signal }))
    const text = read.text()
    expect((await refused(sandbox, query)).status).toBe(429)
    controller.abort(reason)
    await expect(text).rejects.toBe(reason)
    await expect(unread.text()).rejects.toBe(reason)
    await search(sandbox, query)
    expect(sandbox.requests.at(-1)?.inFlight).toBe(1)
  })

  it('frees the slot of a truncated or reset body once it was read', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ cut: 'truncate' })
    sandbox.inject({ cut: 'reset' })
    for (let i = 0; i < 2; i++) {
      const response = await sandbox.fetch(searchRequest(sandbox, query))
      await response.text().catch(() => {})
    }
    await search(sandbox, query)
    expect(sandbox.requests.map(({ inFlight }) => inFlight)).toEqual([1, 1, 1])
  })

  it('cuts an error without a charge', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 502, cut: 'truncate' })
    const response = await sandbox.fetch(searchRequest(sandbox, query))
    const text = await response.text()
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
    expect(sandbox.ledger.spent).toBe(0)
  })
})
