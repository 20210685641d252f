import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RateLimitError, type SocialSearchError } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import {
  type Step,
  failure,
  makeClient,
  ok,
  rateLimited,
  scriptedService,
  unreachable,
} from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const search = (options = {}) => settle(makeClient(options).microblog.search({ query: 'rust' }))

describe('retry of a metered call', () => {
  const cases: [name: string, step: Step, attempts: number, charged: string][] = [
    ['429 with error body', failure(429, 'rate_limited'), 5, 'no'],
    ['429 that announces 20 s', rateLimited(20), 5, 'no'],
    ['429 without error body', new Response('slow down', { status: 429 }), 1, 'unknown'],
    ['503 with error body', failure(503, 'professionalnet_unavailable'), 3, 'no'],
    ['502 with error body', failure(502, 'upstream_error'), 3, 'no'],
    ['500 with error body', failure(500, 'internal'), 1, 'no'],
    ['504 with error body', failure(504, 'timeout'), 1, 'no'],
    ['502 as HTML', new Response('<h1>Bad gateway</h1>', { status: 502 }), 1, 'unknown'],
    ['503 with JSON of a gateway', new Response('{"message":"busy"}', { status: 503 }), 1, 'unknown'],
    ['network failure after sending', unreachable(), 1, 'unknown'],
    ['200 with HTML', ok('<h1>Welcome</h1>'), 1, 'yes'],
    ['200 without a body', ok(''), 1, 'yes'],
    ['206', ok(undefined, { status: 206 }), 1, 'yes'],
    ['200 of another shape', ok({ requestId: 'r', results: [] }), 1, 'yes'],
    ['400', failure(400, 'validation_error'), 1, 'no'],
    ['401', failure(401, 'unauthorized'), 1, 'no'],
    ['403', failure(403, 'forbidden'), 1, 'no'],
    ['403 without error body', new Response('', { status: 403 }), 1, 'unknown'],
    ['401 without error body', new Response('', { status: 401 }), 1, 'unknown'],
    ['502 with an empty requestId', failure(502, 'upstream_error', { top: { requestId: '' } }), 1, 'unknown'],
    ['503 with an empty code', failure(503, ''), 1, 'unknown'],
    ['404', failure(404, 'not_found'), 1, 'no'],
    ['418', failure(418, 'teapot'), 1, 'no'],
    ['304', new Response(null, { status: 304 }), 1, 'unknown'],
    [
      '307',
      new Response(null, { status: 307, headers: { location: 'https://evil.example/' } }),
      1,
      'unknown',
    ],
  ]
  it.each(cases)(
    'search() makes the attempts of the policy when the response is %s',
    async (_, step, attempts, charged) => {
      service.script(step)
      const { error } = await search()
      expect(service.arrivals).toHaveLength(attempts)
      expect(error).toMatchObject({ charged, operation: 'microblog.search' })
      expect((error as SocialSearchError).attempts).toHaveLength(attempts)
    },
  )

  it('search() closes its surface when a 429 comes without error body', async () => {
    service.script(new Response('slow down', { status: 429, headers: { 'retry-after': '7' } }), ok())
    const client = makeClient()
    await settle(client.microblog.search({ query: 'rust' }))
    await settle(client.microblog.search({ query: 'rust' }))
    expect(service.arrivals.map(({ at }) => at)).toEqual([0, 7000])
  })

  it('search() succeeds when the second attempt does', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const { value } = await search()
    expect(value?.posts).toHaveLength(1)
  })

  it('search() uses up no attempts on 429s until their announced waits come to maxWait', async () => {
    service.script(rateLimited(1))
    await search({ retry: { maxWait: 10_000 } })
    expect(service.arrivals).toHaveLength(11)
  })

  it('search() does not count an announced 429 against other failures', async () => {
    const bad = failure(502, 'upstream_error')
    service.script(rateLimited(1), bad, rateLimited(1), bad, rateLimited(1), ok())
    const { value } = await search()
    expect(value?.posts).toHaveLength(1)
    expect(service.arrivals).toHaveLength(6)
  })

  it('search() sends once when retry is false', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    const { error } = await search({ retry: false })
    expect(error).toMatchObject({ status: 502 })
    expect(service.arrivals).toHaveLength(1)
  })

  it('search() stops at maxAttempts when the policy would go on', async () => {
    service.script(rateLimited(1))
    await search({ retry: { maxAttempts: 2 } })
    expect(service.arrivals).toHaveLength(2)
  })

  it('search() retries a possibly charged request when retry.ambiguous is set, and counts both attempts', async () => {
    service.script(unreachable(), ok())
    const client = makeClient({ retry: { ambiguous: true } })
    const { value } = await settle(client.microblog.search({ query: 'rust' }).withResponse())
    expect(value?.credits).toEqual({ spent: 2, uncertain: 2 })
    expect(value?.attempts.map(({ outcome, charged }) => [outcome, charged])).toEqual([
      ['connection', 'unknown'],
      ['ok', 'yes'],
    ])
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 2, reserved: 0 })
  })
})

describe('waiting', () => {
  it('search() waits out Retry-After in full when a 429 announces 2 s', async () => {
    service.script(rateLimited(2), ok())
    const { value, ms } = await search()
    expect(value?.posts).toHaveLength(1)
    expect(ms).toBeGreaterThanOrEqual(2000)
    expect(ms).toBeLessThan(2100)
    expect(service.arrivals[1]!.at - service.arrivals[0]!.at).toBeGreaterThanOrEqual(2000)
  })

  const waits: [
    name: string,
    header: string | undefined,
    body: number | undefined,
    atLeast: number,
    below: number,
  ][] = [
    ['the body alone', undefined, 3, 3000, 3100],
    ['a larger body', '2', 5, 5000, 5100],
    ['a larger header', '5', 2, 5000, 5100],
    ['a fraction, rounded up', '1.5', undefined, 2000, 2100],
    ['zero, with jitter', '0', undefined, 0, 251],
    ['a past date, with jitter', 'Thu, 19 Nov 2026 00:00:00 GMT', undefined, 0, 251],
    ['a date, by the clock of the server', 'Wed, 01 Jan 2020 00:00:04 GMT', undefined, 4000, 4100],
    ['nothing', undefined, undefined, 0, 1000],
    ['a negative number', '-5', undefined, 0, 1000],
    ['a word', 'soon', undefined, 0, 1000],
    ['an empty header', '', undefined, 0, 1000],
    ['an exponent', '1e9', undefined, 0, 1000],
  ]
  it.each(waits)(
    'search() waits as %s says when a 429 announces it',
    async (_, header, retryAfter, atLeast, below) => {
      // Close to the longest backoff, which a timer rounds up to a whole millisecond.
      const random = vi.spyOn(Math, 'random').mockReturnValue(0.99)
      onTestFinished(() => random.mockRestore())
      const skewed = { date: 'Wed, 01 Jan 2020 00:00:00 GMT' }
      const headers =
        header === undefined ? undefined : { 'retry-after': header, ...(header.includes('2020') && skewed) }
      service.script(
        failure(429, 'rate_limited', {
          ...(headers && { headers }),
          ...(retryAfter && { error: { retryAfter } }),
        }),
        ok(),
      )
      const { value, ms } = await search()
      expect(value?.posts).toHaveLength(1)
      expect(ms).toBeGreaterThanOrEqual(atLeast)
      expect(ms).toBeLessThan(below)
    },
  )

  it.each([
    ['under error', { error: { retryAfter: 7 } }],
    ['at the top level', { top: { retryAfter: 7 } }],
  ])('search() reads retryAfter %s when the status is 503', async (_, details) => {
    service.script(failure(503, 'professionalnet_unavailable', details), ok())
    const { ms } = await search()
    expect(ms).toBeGreaterThanOrEqual(7000)
    expect(ms).toBeLessThan(7100)
  })

  it('search() fails now when the announced wait is longer than maxWait', async () => {
    service.script(rateLimited(61))
    const { error, ms } = await search()
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ retryAfter: 61, code: 'rate_limited', requestId: 'req_rate_limited' })
    expect(ms).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('search() sets no timer when the announced wait is beyond what a timer can hold', async () => {
    service.script(rateLimited(1_000_000_000))
    const { error, ms } = await search()
    expect(error).toMatchObject({ retryAfter: 1_000_000_000 })
    expect(ms).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('search() fails now when the wait does not fit into the deadline', async () => {
    service.script(rateLimited(10))
    const { error, ms } = await search({ deadline: 5000 })
    expect(error).toBeInstanceOf(RateLimitError)
    expect(ms).toBe(0)
  })

  it('search() backs off between attempts when nothing is announced', async () => {
    service.script(failure(502, 'upstream_error'))
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { ms } = await search()
    expect(ms).toBe(500 + 1000)
    vi.restoreAllMocks()
  })

  it('search() waits the full time when the wall clock jumps', async () => {
    service.script(rateLimited(20), ok())
    const call = makeClient().microblog.search({ query: 'rust' }).then()
    const jumping = setTimeout(() => vi.setSystemTime(Date.now() + 3_600_000), 5000)
    const { ms } = await settle(call)
    clearTimeout(jumping)
    expect(ms).toBeGreaterThanOrEqual(20_000)
    expect(ms).toBeLessThan(20_100)
  })
})
