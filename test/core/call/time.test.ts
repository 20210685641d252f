import { describe, expect, it, vi } from 'vitest'
import type { ClientOptions, Fetch } from '../../../src/index.ts'
import { ClosedError, ConnectionError, CreditBudgetError } from '../../../src/errors/index.ts'
import { SharedLimiter, memoryStore } from '../../../src/extensions/shared/index.ts'
import { abortIn, pass, settle } from '../../support/clock.ts'
import { query } from '../../support/search.ts'
import { failure, hang, makeClient, ok, unreachable, virtualService } from '../../support/service.ts'

const service = virtualService()
const unavailableFor = (retryAfter: number) => failure(503, 'unavailable', { error: { retryAfter } })

it.each([
  [{ timeout: 147.6 }, 'the `timeout` of 148 ms passed before the response began'],
  [{ deadline: 147.6 }, 'the `deadline` of 148 ms passed before the response began'],
  [{ maxQueueWait: 147.6, limits: { inFlight: 1 } }, 'the `maxQueueWait` of 148 ms passed in the queue'],
] satisfies [Partial<ClientOptions>, string][])(
  'search() reports whole milliseconds when given %j',
  async (...args) => {
    const [options, message] = args
    service.script(hang)
    const client = makeClient(options)
    const { error } = await settle(Promise.race([1, 2].map(() => client.microblog.search(query).then())))
    expect((error as Error).message).toContain(message)
    await settle(client.close())
  },
)

it('search() says that it was in the queue when the deadline passes there after an attempt', async () => {
  service.script(unavailableFor(1), hang)
  const client = makeClient({ limits: { inFlight: 1 } })
  const call = settle(client.microblog.search(query, { deadline: 3000 }))
  setTimeout(() => void client.microblog.search({ query: 'blocking' }).catch(() => {}), 100)
  const error = { name: 'TimeoutError', phase: 'queue', attempts: [{ status: 503 }] }
  expect(await call).toMatchObject({ error })
  await settle(client.close())
})

describe('abort', () => {
  const lost = new ConnectionError('lost', { operation: 'microblog.search', phase: 'connect', reason: 'X' })
  const refused = new CreditBudgetError({ needed: 2, remaining: 1 }, { operation: 'microblog.search' })

  it.each([
    ['queue', lost, 0],
    ['headers', lost, 2],
    ['headers', new ClosedError(), 2],
    ['headers', refused, 2],
    ['wait', lost, 0],
  ] as const)(
    'search() rejects with the unchanged reason when it is an error of another call (%s, $name)',
    async (phase, other, uncertain) => {
      const before = JSON.stringify(Object.freeze(other))
      const fetch = phase === 'wait' ? () => Promise.resolve(unavailableFor(20)) : hang
      const client = makeClient({ fetch, limits: { inFlight: 1 } })
      if (phase === 'queue') client.microblog.search({ query: 'blocking' }).then(undefined, () => {})
      const outcome = await service.search(client, { signal: abortIn(100, other) })
      expect(outcome.error).toBe(other)
      expect(JSON.stringify(other)).toBe(before)
      expect(outcome).toMatchObject({ ms: 100, uncertain })
    },
  )

  it('search() is aborted by a signal that an earlier call used', async () => {
    const signal = abortIn(100, 'left')
    const client = makeClient({ fetch: vi.fn<Fetch>(hang).mockResolvedValueOnce(ok()) })
    expect(await service.search(client, { signal })).toMatchObject({ error: undefined })
    expect(await service.search(client, { signal })).toMatchObject({ error: 'left', ms: 100 })
  })

  it('search() removes its listener from a signal that many calls share', async () => {
    service.script(ok())
    const { signal } = new AbortController()
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    const client = makeClient({ limits: { perMinute: false } })
    await settle(Promise.all(Array.from({ length: 100 }, () => client.microblog.search(query, { signal }))))
    // One serves all calls: adding a listener takes the longer the more there are.
    expect(add).toHaveBeenCalledTimes(1)
    expect(remove.mock.calls[0]?.[1]).toBe(add.mock.calls[0]?.[1])
  })
})

describe('close', () => {
  it('`await using` ends the calls that are open at the end of its block', async () => {
    service.script(hang)
    let call: Promise<unknown>
    {
      await using client = makeClient()
      call = client.microblog.search(query).catch((error: unknown) => error)
    }
    expect(await call).toBeInstanceOf(ClosedError)
  })

  it('close() rejects with charged "no" when the service has just refused the request', async () => {
    service.script(unavailableFor(1))
    const client = makeClient({ observers: [{ onAttempt: () => void client.close() }] })
    const error = { name: 'ClosedError', charged: 'no', attempts: [{ status: 503 }] }
    expect(await service.search(client)).toMatchObject({ error })
  })

  it('close() of the limiter ends calls with what they may have cost, and with the params to resume from', async () => {
    service.script(unreachable)
    // The retry waits for long.
    vi.spyOn(Math, 'random').mockReturnValue(0.9)
    const limiter = new SharedLimiter({ store: memoryStore(), organization: 'acme' })
    const client = makeClient({ limiter, limits: undefined, retry: { unknown: true } })
    const call = client.microblog.search(query).catch((error: unknown) => error)
    await pass(400)
    await limiter.close()
    expect((await settle(call)).value).toMatchObject({
      ...{ name: 'ClosedError', message: expect.stringMatching(/^microblog.search: the limiter is closed/) },
      ...{ operation: 'microblog.search', charged: 'unknown', next: query, attempts: [{}] },
    })
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2, reserved: 0 })
  })
})
