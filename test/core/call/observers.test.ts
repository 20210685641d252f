import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import type { Observer, Wait } from '../../../src/index.ts'
import { type Call, type Send, wrap } from '../../../src/extend.ts'
import { pass, settle } from '../../support/clock.ts'
import {
  type Step,
  apiKey,
  failure,
  hang,
  makeClient,
  ok,
  rateLimited,
  slow,
  unreachable,
  virtualService,
} from '../../support/service.ts'

const service = virtualService()

const query = { query: 'very private' }

/** An observer that keeps what it is told. */
function recorder() {
  const events: [string, Record<string, unknown>][] = []
  const note = (name: string) => (event: object) => void events.push([name, event as Record<string, unknown>])
  const observer: Observer = { onWait: note('wait'), onAttempt: note('attempt'), onCall: note('call') }
  const of = (name: string) => events.flatMap(([each, event]) => (each === name ? [event] : []))
  return { events, observer, of }
}

/** An observer that changes how calls are sent, as a cache and a tracer do. */
const wrapping = (around: (send: Send) => Send): Observer => ({ ...{}, [wrap as never]: () => around })

describe('observers', () => {
  it('are told of attempts and of the call, with credits, times, status and requestId', async () => {
    const { observer, of } = recorder()
    await service.script(failure(503, 'unavailable'), ok()).search({ observers: [observer] })
    const name = { operation: 'microblog.search', surface: 'microblog' }
    const answered = { ...name, outcome: 'ok', charged: 'yes', credits: { spent: 2, uncertain: 0 } }
    expect(of('attempt')).toMatchObject([
      { ...name, outcome: 'unavailable', charged: 'no', status: 503, requestId: 'req_unavailable' },
      { ...answered, status: 200 },
    ])
    const [call] = of('call')
    const attempts = [{ status: 503 }, { status: 200, queued: 0, paced: 0 }]
    expect(call).toMatchObject({ ...answered, requestId: 'req_1', attempts })
    expect((call?.['attempts'] as { waited: number }[])[0]?.waited).toBeGreaterThan(0)
    expect(call?.['duration']).toBeGreaterThan(0)
    expect(of('wait')).toMatchObject([{ ...name, reason: 'retry' }])
  })

  it('are told of failures: the code, the charge, and uncertain credits once', async () => {
    const { observer, of } = recorder()
    const { client } = await service.script(unreachable).search({ observers: [observer] })
    await service.search(client, { signal: AbortSignal.abort() })
    const lost = { credits: { spent: 0, uncertain: 2 } }
    expect(of('call')).toMatchObject([
      { outcome: 'connection', charged: 'unknown', attempts: [{}], ...lost },
      { outcome: 'aborted', attempts: [], credits: { spent: 0, uncertain: 0 } },
    ])
    expect(of('attempt')).toMatchObject([lost])
  })

  it('are told of a call with invalid params, which sends nothing', async () => {
    const { observer, events } = recorder()
    await service.see(({ microblog }) => microblog.search({ query: '' }), { observers: [observer] })
    const free = { charged: 'no', attempts: [], credits: { spent: 0, uncertain: 0 } }
    const call = { operation: 'microblog.search', outcome: 'invalid_request', ...free }
    expect(events).toEqual([['call', expect.objectContaining(call)]])
  })

  it('see neither the params nor the key', async () => {
    const { events, observer } = recorder()
    service.script(ok({ requestId: 'r', posts: 'none', echo: apiKey }))
    await service.see(({ microblog }) => microblog.search(query), { observers: [observer] })
    expect(events).toHaveLength(2)
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`very private|${apiKey}`))
  })

  it('harm no call when they throw, reject or are slow, and the logger learns of it', async () => {
    const error = vi.fn()
    const throws = (): never => {
      throw new Error('mine')
    }
    const rejects = () => Promise.reject(new Error('mine')) as never
    const slowly = { onAttempt: () => hang() as never }
    const observers: Observer[] = [{ onAttempt: throws, onCall: throws }, { onCall: rejects }, slowly]
    const seen = await service.script(ok()).search({ observers, logger: { error } })
    expect(seen).toMatchObject({ error: undefined, ms: 0 })
    const failed = ['onAttempt failed', 'onCall failed', 'onCall failed']
    expect(error.mock.calls.map(([message]) => message as unknown)).toEqual(failed)
    const waiting = { observers: [{ onWait: rejects }], limits: { inFlight: 1 } }
    const client = makeClient({ ...waiting, logger: { error } })
    service.script(slow(600))
    const calls = [client.microblog.search(query), client.microblog.search(query)]
    expect((await settle(Promise.all(calls))).value).toHaveLength(2)
    expect(error).toHaveBeenLastCalledWith('onWait failed', expect.objectContaining({ reason: 'mine' }))
  })

  it('leave no timer when onWait aborts the only call that waits', async () => {
    const client = makeClient({ fetch: hang, limits: { inFlight: 1 }, timeout: 600 })
    const first = client.microblog.search(query).catch((error: unknown) => error)
    const controller = new AbortController()
    const reason = new Error('enough')
    const observers = [{ onWait: () => controller.abort(reason) }]
    expect((await service.search(client, { signal: controller.signal, observers })).error).toBe(reason)
    await settle(first)
    await pass(1000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that send a call again, as a tracer may, have all its attempts and credits in one record', async () => {
    const again = wrapping((send) => (call: Call) => send(call).catch(() => send(call)))
    service.script(unreachable(), ok())
    const client = makeClient({ observers: [again] })
    const { value } = await settle(client.microblog.search(query).withResponse())
    const attempts = [{ outcome: 'connection' }, { outcome: 'ok' }]
    expect(value).toMatchObject({ attempts, credits: { spent: 2, uncertain: 2 } })
  })

  it('harm no call when a logger throws as it is read, and no close() when a wrap fails', async () => {
    const logger = Object.defineProperty({}, 'debug', { get: () => expect.unreachable() })
    expect((await service.script(ok()).search({ logger })).error).toBeUndefined()
    const failing = wrapping(() => () => Promise.reject(new Error('mine')))
    const { client, error } = await service.search({ observers: [failing] })
    expect(error).toMatchObject({ message: 'mine' })
    expect((await settle(client.close())).error).toBeUndefined()
  })

  it('of a call add to those of its client, and each is told once', async () => {
    service.script(() => ok())
    const [one, two] = [recorder(), recorder()]
    const client = makeClient({ observers: [one.observer] }).withOptions({ observers: [one.observer] })
    await service.search(client, { observers: [two.observer] })
    await service.search(client)
    expect([one.of('call').length, two.of('call').length]).toEqual([2, 1])
  })

  it('are told that an answer was cached, and of the credits of equal calls once', async () => {
    service.script(() => ok())
    const { observer, of } = recorder()
    const client = makeClient({ observers: [observer], cache: new ResultCache({ maxAge: 60_000 }) })
    await settle(Promise.all([1, 2, 3].map(() => client.microblog.search(query))))
    await pass(1000)
    await settle(client.microblog.search(query))
    expect(of('attempt')).toMatchObject([{ id: of('call')[0]?.['id'], credits: { spent: 2 } }])
    expect(of('call').map(({ credits }) => (credits as { spent: number }).spent)).toEqual([2, 0, 0, 0])
    const ages = of('call').map(({ cached }) => (cached as { age: number } | undefined)?.age)
    expect(ages).toEqual([undefined, 0, 0, 1000])
  })

  it.each([{}, 'console', [null], [1]])('are refused when they are %j', (observers) => {
    expect(() => makeClient({ observers: observers as never })).toThrow(/observer/)
  })

  it('and the logger of a call run in its async context, also while it waits', async () => {
    const user = new AsyncLocalStorage<string>()
    const told: { what: string; isOwn: boolean }[] = []
    const client = makeClient({ fetch: slow(100, () => ok()) })
    const calls = Array.from({ length: 23 }, (_, i) =>
      user.run(`user ${i}`, () => {
        const tell = (what: string) => () => void told.push({ what, isOwn: user.getStore() === `user ${i}` })
        const observers = [{ onWait: tell('onWait'), onAttempt: tell('onAttempt'), onCall: tell('onCall') }]
        const logger = { warn: tell('warning'), info: tell('info') }
        return client.withOptions({ logger, observers }).microblog.search(query).then()
      }),
    )
    await settle(Promise.all(calls))
    expect(told.filter(({ isOwn }) => !isOwn)).toEqual([])
    const names = ['onWait', 'onAttempt', 'onCall', 'warning']
    const counts = names.map((name) => told.filter(({ what }) => what === name).length)
    expect(counts).toEqual([expect.any(Number), 23, 23, 1])
    expect(counts[0]).toBeGreaterThan(3)
  })
})

describe('onWait', () => {
  const unavailable = failure(503, 'unavailable', { error: { retryAfter: 7 } })
  const inAMinute: unknown = expect.closeTo(60_500, -3.2)
  it.each<[string, Step[], calls: number, ...told: unknown[][]]>([
    ['nothing of a call that is sent at once', [ok()], 1],
    ['a call that waits for a slot', [slow(2000)], 3, [250, 'slot', null]],
    ['the wait between two attempts', [unavailable, ok()], 1, [0, 'retry', 7000]],
    [
      'a 429, and again when another one closes the surface for longer',
      ...([[rateLimited(10), rateLimited(20), ok()], 1] as [Step[], number]),
      [250, 'rate_limited', 9750],
      [10_250, 'rate_limited', 19_750],
    ],
    ['a call that waits for the rate limit, and until when', [() => ok()], 21, [250, 'pace', inAMinute]],
  ])('reports %s', async (_, steps, calls, ...expected) => {
    service.script(...steps)
    const told: unknown[][] = []
    const start = Date.now()
    const onWait = ({ reason, until }: Wait) =>
      told.push([Date.now() - start, reason, until && until.getTime() - Date.now()])
    const client = makeClient({ observers: [{ onWait }] })
    await settle(Promise.all(Array.from({ length: calls }, () => client.microblog.search(query).then())))
    expect(told).toEqual(expected)
  })

  it('of a call reports only that call, with its operation and surface', async () => {
    service.script(slow(2000))
    const heard: Wait[] = []
    const client = makeClient()
    const calls = ['a', 'b', 'c'].map((query) => client.microblog.search({ query }).then())
    await pass(1)
    await settle(client.technews.search({}, { observers: [{ onWait: (wait) => heard.push(wait) }] }))
    await settle(Promise.all(calls))
    const own = { operation: 'technews.search', surface: 'technews', reason: 'slot', until: null }
    expect(heard).toEqual([{ id: expect.any(Number) as number, ...own }])
  })
})

describe('status()', () => {
  it('counts calls in flight and waiting, by surface', async () => {
    service.script(slow(2000))
    const client = makeClient()
    const make = (priority: number) => client.microblog.search(query, { priority }).then()
    const calls: Promise<unknown>[] = [make(0), make(0)]
    await pass(100)
    calls.push(make(0), make(5), make(0), client.organization.usage().then())
    const wait = { reason: 'slot', until: null }
    const waiting = { surface: 'microblog', waiting: 3, wait }
    const surfaces = [waiting, { surface: null, waiting: 1, wait }]
    expect(client.status()).toEqual({ slots: { taken: 2, limit: 2 }, surfaces })
    await settle(Promise.all(calls))
    const free = { waiting: 0, wait: null }
    expect(client.status()).toMatchObject({ slots: { taken: 0, limit: 2 }, surfaces: [free, free] })
  })

  it('tells until when a 429 keeps a surface closed', async () => {
    service.script(rateLimited(30))
    const client = makeClient()
    client.microblog.search(query).catch(() => {})
    await pass(100)
    const until = new Date(Date.UTC(2026, 10, 20) + 30_000)
    expect(client.status().surfaces[0]?.wait).toEqual({ reason: 'rate_limited', until })
    await client.close()
  })
})
