import { describe, expect, it, vi } from 'vitest'
import {
  type ClientOptions,
  ClosedError,
  ConnectionError,
  CreditBudgetError,
  TimeoutError,
} from '../../../src/index.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { apiKey, failure, makeClient, ok, rateLimited, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const hang = (): Promise<Response> => new Promise(() => {})

it.each([
  [{ timeout: 147.6 }, 'no complete response within 148 ms (waiting for headers)'],
  [{ deadline: 147.6 }, 'the deadline of 148 ms passed before the response began'],
  [{ maxQueueWait: 147.6, limits: { inFlight: 1 } }, 'not sent in 148 ms in the queue'],
] satisfies [Partial<ClientOptions>, string][])(
  'search() reports whole milliseconds when given %j',
  async (...args) => {
    const [options, message] = args
    service.script(hang)
    const client = makeClient(options)
    const first = client.microblog.search({ query: 'rust' }).catch((error: unknown) => error)
    const second = client.microblog.search({ query: 'rust' }).catch((error: unknown) => error)
    const { value: error } = await settle(Promise.race([first, second]))
    expect((error as Error).message).toContain(message)
    await client.close()
  },
)

describe('timeout', () => {
  it('search() ends an attempt after 30 s when the service never responds, and does not retry it', async () => {
    service.script(hang)
    const client = makeClient()
    const { error, ms } = await settle(client.microblog.search({ query: 'rust' }))
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ phase: 'headers', charged: 'unknown', code: 'timeout' })
    expect(ms).toBe(30_000)
    expect(service.arrivals).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2, reserved: 0 })
  })
})

describe('deadline', () => {
  it('search() was never sent when the deadline passes in the queue', async () => {
    service.script(hang)
    const client = makeClient({ limits: { inFlight: 1 } })
    const blocking = client.microblog.search({ query: 'blocking' }).then(undefined, () => {})
    const { error, ms } = await settle(client.microblog.search({ query: 'rust' }, { deadline: 2000 }))
    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'queue', charged: 'no', attempts: [] })
    expect(ms).toBe(2000)
    await settle(blocking)
    expect(service.arrivals).toHaveLength(1)
  })

  it('search() says that it was in the queue when the deadline passes there after an attempt', async () => {
    const unavailable = failure(503, 'professionalnet_unavailable', { error: { retryAfter: 1 } })
    service.script(unavailable, hang)
    const client = makeClient({ limits: { inFlight: 1 } })
    const call = client.microblog.search({ query: 'rust' }, { deadline: 3000 }).then()
    call.catch(() => {})
    await pass(100)
    const blocking = client.microblog.search({ query: 'blocking' }).then(undefined, () => {})
    const { error } = await settle(call)
    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'queue', attempts: [{ status: 503 }] })
    await settle(blocking)
  })

  it('search() warns when it has queued for 30 s', async () => {
    service.script(rateLimited(50), ok())
    const warn = vi.fn()
    await settle(makeClient({ logger: { warn } }).microblog.search({ query: 'rust' }))
    expect(warn).toHaveBeenCalledWith('still queued', {
      operation: 'microblog.search',
      surface: 'microblog',
      seconds: 30,
    })
  })

  it('search() warns once of each call that queues for 30 s', async () => {
    service.script(rateLimited(50), () => ok())
    const warned: number[] = []
    const warn = (message: string) => {
      if (message === 'still queued') warned.push(performance.now() - start)
    }
    const start = performance.now()
    const client = makeClient({ logger: { warn } })
    const first = client.microblog.search({ query: 'first' }).then()
    await pass(10_000)
    await settle(Promise.all([first, client.microblog.search({ query: 'second' })]))
    expect(warned.map((ms) => Math.round(ms / 1000))).toEqual([30, 40])
  })
})

describe('abort', () => {
  const reason = { why: 'the user left' }

  it('search() sends nothing when the signal is aborted beforehand', async () => {
    const key = vi.fn(() => apiKey)
    const client = makeClient({ apiKey: key })
    const { error } = await settle(
      client.microblog.search({ query: 'rust' }, { signal: AbortSignal.abort(reason) }),
    )
    expect(error).toBe(reason)
    expect(key).not.toHaveBeenCalled()
    expect(service.arrivals).toHaveLength(0)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('search() rejects with the reason itself when aborted in flight, and counts the credits as uncertain', async () => {
    const client = makeClient({ fetch: hang })
    const abort = new AbortController()
    const call = client.microblog.search({ query: 'rust' }, { signal: abort.signal }).then()
    call.catch(() => {})
    await pass(100)
    abort.abort(reason)
    const { error, ms } = await settle(call)
    expect(error).toBe(reason)
    expect(ms).toBe(0)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2, reserved: 0 })
    await pass(50)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each(['queue', 'headers', 'wait'] as const)(
    'search() rejects with the unchanged reason when it is an error of another call (%s)',
    async (phase) => {
      const other = new ConnectionError('lost', {
        operation: 'microblog.search',
        phase: 'connect',
        reason: 'X',
      })
      const before = JSON.stringify(Object.freeze(other))
      const unavailable = failure(503, 'professionalnet_unavailable', { error: { retryAfter: 20 } })
      const fetch = phase === 'wait' ? () => Promise.resolve(unavailable.clone()) : hang
      const client = makeClient({ fetch, limits: { inFlight: 1 } })
      if (phase === 'queue') client.microblog.search({ query: 'blocking' }).then(undefined, () => {})
      const abort = new AbortController()
      const call = client.microblog.search({ query: 'rust' }, { signal: abort.signal }).then()
      call.catch(() => {})
      await pass(100)
      abort.abort(other)
      const { error } = await settle(call)
      expect(error).toBe(other)
      expect(JSON.stringify(other)).toBe(before)
      const uncertain = { queue: 0, headers: 2, wait: 0 }[phase]
      expect(client.credits.uncertain).toBe(uncertain)
    },
  )

  it.each([
    new ClosedError(),
    new CreditBudgetError({ needed: 2, remaining: 1 }, { operation: 'microblog.search' }),
  ])('search() rejects with the unchanged reason when it is a $name of another client', async (other) => {
    const abort = new AbortController()
    const call = makeClient({ fetch: hang })
      .microblog.search({ query: 'rust' }, { signal: abort.signal })
      .then()
    call.catch(() => {})
    await pass(100)
    abort.abort(other)
    expect((await settle(call)).error).toBe(other)
  })

  it('search() rejects with the reason of its signal when its client is closed right after the abort', async () => {
    const other = new CreditBudgetError({ needed: 2, remaining: 1 }, { operation: 'microblog.search' })
    const client = makeClient({ fetch: hang })
    const abort = new AbortController()
    const call = client.microblog
      .search({ query: 'rust' }, { signal: abort.signal })
      .catch((error: unknown) => error)
    await pass(100)
    abort.abort(other)
    await settle(client.close())
    expect(await call).toBe(other)
  })

  it('search() ends with its key when the function that should return it hangs', async () => {
    const client = makeClient({ apiKey: () => new Promise<string>(() => {}) })
    const abort = new AbortController()
    setTimeout(() => abort.abort(reason), 100)
    const { error, ms } = await settle(client.microblog.search({ query: 'rust' }, { signal: abort.signal }))
    expect(error).toBe(reason)
    expect(ms).toBe(100)
    const late = await settle(client.microblog.search({ query: 'rust' }, { deadline: 300 }))
    expect(late.error).toMatchObject({ name: 'TimeoutError', charged: 'no' })
  })

  it('search() is aborted by a signal that an earlier call used', async () => {
    const abort = new AbortController()
    const fetch = vi.fn(hang).mockResolvedValueOnce(ok())
    const client = makeClient({ fetch })
    await settle(client.microblog.search({ query: 'first' }, { signal: abort.signal }))
    const call = client.microblog.search({ query: 'rust' }, { signal: abort.signal }).then()
    call.catch(() => {})
    await pass(100)
    abort.abort(reason)
    expect(await settle(call)).toMatchObject({ error: reason, ms: 0 })
  })

  it('search() removes its listener from a signal that many calls share', async () => {
    service.script(ok())
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, 'addEventListener')
    const remove = vi.spyOn(signal, 'removeEventListener')
    const client = makeClient({ limits: { perMinute: false } })
    await settle(
      Promise.all(Array.from({ length: 100 }, () => client.microblog.search({ query: 'rust' }, { signal }))),
    )
    // One serves all calls: adding a listener takes the longer the more there are.
    expect(add).toHaveBeenCalledTimes(1)
    const listeners = (spy: { mock: { calls: unknown[][] } }) =>
      new Set(spy.mock.calls.map(([, listener]) => listener))
    expect(listeners(remove)).toEqual(listeners(add))
  })
})

describe('close', () => {
  it('close() settles calls in flight, queued and waiting, and refuses later ones', async () => {
    const unavailable = failure(503, 'professionalnet_unavailable', { error: { retryAfter: 20 } })
    const fetch = vi.fn(hang).mockResolvedValueOnce(unavailable)
    const client = makeClient({ fetch })
    const waiting = client.microblog.search({ query: 'waiting' }).then()
    await pass(100)
    const others = ['one', 'two', 'queued'].map((query) => client.microblog.search({ query }).then())
    const all = Promise.allSettled([waiting, ...others])
    await pass(100)
    const closed = client.close()
    const { value, ms } = await settle(all)
    await closed
    expect(ms).toBe(0)
    const reasons = value?.map((result) =>
      result.status === 'rejected' ? result.reason : undefined,
    ) as ClosedError[]
    expect(reasons.map(({ name }) => name)).toEqual(Array(4).fill('ClosedError'))
    expect(reasons.map(({ charged }) => charged)).toEqual(['no', 'unknown', 'unknown', 'no'])
    const { error } = await settle(client.withOptions({}).microblog.search({ query: 'late' }))
    expect(error).toBeInstanceOf(ClosedError)
    expect(fetch).toHaveBeenCalledTimes(3)
    await pass(50)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('close() rejects with charged "no" when the service has just refused the request', async () => {
    service.script(failure(503, 'professionalnet_unavailable'))
    const debug = (message: string): void => {
      if (message === 'attempt failed') void client.close()
    }
    const client = makeClient({ logger: { debug } })
    const { error } = await settle(client.microblog.search({ query: 'rust' }))
    expect(error).toMatchObject({ name: 'ClosedError', charged: 'no', attempts: [{ status: 503 }] })
  })

  it('close() resolves when all reservations are settled, however often it is called', async () => {
    service.script(failure(503, 'professionalnet_unavailable', { error: { retryAfter: 20 } }))
    const client = makeClient()
    const call = client.microblog.search({ query: 'rust' }).then()
    call.catch(() => {})
    await pass(100)
    expect(client.credits.reserved).toBe(2)
    const both = Promise.all([client.close(), client.close()])
    await client.close()
    expect(client.credits.reserved).toBe(0)
    expect((await settle(both)).ms).toBe(0)
    expect((await settle(call)).error).toBeInstanceOf(ClosedError)
  })
})
