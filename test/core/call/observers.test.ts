import { describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import type { Observer } from '../../../src/index.ts'
import { type Call, type Send, wrap } from '../../../src/extend.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { apiKey, failure, makeClient, ok, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const query = { query: 'very private' }

/** An observer that keeps what it is told. */
function recorder() {
  const events: [string, Record<string, unknown>][] = []
  const note = (name: string) => (event: object) => void events.push([name, event as Record<string, unknown>])
  const observer: Observer = {
    onWait: note('wait'),
    onAttempt: note('attempt'),
    onCall: note('call'),
  }
  const of = (name: string) => events.flatMap(([each, event]) => (each === name ? [event] : []))
  return { events, observer, of }
}

describe('observers', () => {
  it('are told of attempts and of the call, with credits, times, status and requestId', async () => {
    service.script(failure(503, 'unavailable'), () => ok())
    const { observer, of } = recorder()
    const client = makeClient({ observers: [observer] })
    await settle(client.microblog.search(query))
    const name = { operation: 'microblog.search', surface: 'microblog' }
    expect(of('attempt')).toMatchObject([
      { ...name, outcome: 'unavailable', charged: 'no', status: 503, requestId: 'req_unavailable' },
      { ...name, outcome: 'ok', charged: 'yes', status: 200, credits: { spent: 2, uncertain: 0 } },
    ])
    const [call] = of('call')
    expect(call).toMatchObject({
      ...{ ...name, outcome: 'ok', charged: 'yes', requestId: 'req_1' },
      attempts: [{ status: 503 }, { status: 200, queued: 0, paced: 0 }],
      credits: { spent: 2, uncertain: 0 },
    })
    expect((call?.['attempts'] as { waited: number }[])[0]?.waited).toBeGreaterThan(0)
    expect(call?.['duration']).toBeGreaterThan(0)
    expect(of('wait')).toMatchObject([{ ...name, reason: 'retry' }])
    expect(new Set([...of('attempt'), ...of('call'), ...of('wait')].map(({ id }) => id)).size).toBe(1)
  })

  it('are told of failures: the code, the charge, and uncertain credits once', async () => {
    service.script(
      () => Response.error(),
      () => ok(),
    )
    const { observer, of } = recorder()
    const client = makeClient({ observers: [observer] })
    await settle(client.microblog.search(query))
    await settle(client.microblog.search(query, { signal: AbortSignal.abort() }))
    expect(of('call')).toMatchObject([
      { outcome: 'connection', charged: 'unknown', attempts: [{}], credits: { spent: 0, uncertain: 2 } },
      { outcome: 'aborted', attempts: [], credits: { spent: 0, uncertain: 0 } },
    ])
    expect(of('attempt')).toMatchObject([{ credits: { spent: 0, uncertain: 2 } }])
  })

  it('are told of a call with invalid params, which sends nothing', async () => {
    const { observer, events } = recorder()
    await settle(makeClient({ observers: [observer] }).microblog.search({ query: '' }))
    expect(events).toEqual([
      [
        'call',
        expect.objectContaining({
          ...{ operation: 'microblog.search', outcome: 'invalid_request', charged: 'no', attempts: [] },
          credits: { spent: 0, uncertain: 0 },
        }),
      ],
    ])
  })

  it('see neither the params nor the key', async () => {
    service.script(() => ok({ requestId: 'r', posts: 'none', echo: apiKey }))
    const { events, observer } = recorder()
    await settle(makeClient({ observers: [observer] }).microblog.search(query))
    expect(events).toHaveLength(2)
    expect(JSON.stringify(events)).not.toContain('very private')
    expect(JSON.stringify(events)).not.toContain(apiKey)
  })

  it('harm no call when they throw, reject or are slow, and the logger learns of it', async () => {
    service.script(() => ok())
    const error = vi.fn()
    const throws = (): never => {
      throw new Error('mine')
    }
    const observers: Observer[] = [
      { onAttempt: throws, onCall: throws },
      { onCall: () => Promise.reject(new Error('mine')) as unknown as undefined },
      { onAttempt: () => new Promise(() => {}) as unknown as undefined },
    ]
    const client = makeClient({ observers, logger: { error } })
    const { error: failed, ms } = await settle(client.microblog.search(query))
    expect([failed, ms]).toEqual([undefined, 0])
    expect(error.mock.calls.map(([message]) => message as unknown)).toEqual([
      'onAttempt failed',
      'onCall failed',
      'onCall failed',
    ])
  })

  it('that send a call again, as a tracer may, have all its attempts and credits in one record', async () => {
    service.script(unreachable(), ok())
    const again: Observer = {
      ...{},
      [wrap as never]: () => (send: Send) => (call: Call) => send(call).catch(() => send(call)),
    }
    const client = makeClient({ observers: [again] })
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(value).toMatchObject({
      attempts: [{ outcome: 'connection' }, { outcome: 'ok' }],
      credits: { spent: 2, uncertain: 2 },
    })
  })

  it('harm no call when a logger throws as it is read, and no close() when a wrap fails', async () => {
    service.script(() => ok())
    const logger = {
      get debug(): never {
        throw new Error('not ready')
      },
    }
    expect((await settle(makeClient({ logger }).microblog.search(query))).error).toBeUndefined()
    const wrapped: Observer = { ...{}, [wrap as never]: () => () => () => Promise.reject(new Error('mine')) }
    const client = makeClient({ observers: [wrapped] })
    expect((await settle(client.microblog.search(query))).error).toMatchObject({ message: 'mine' })
    expect((await settle(client.close())).error).toBeUndefined()
  })

  it('of a call add to those of its client, and each is told once', async () => {
    service.script(() => ok())
    const [one, two] = [recorder(), recorder()]
    const client = makeClient({ observers: [one.observer] }).withOptions({ observers: [one.observer] })
    await settle(client.microblog.search(query, { observers: [two.observer] }))
    await settle(client.microblog.search(query))
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
    expect(of('call').map(({ cached }) => (cached as { age: number } | undefined)?.age)).toEqual([
      undefined,
      0,
      0,
      1000,
    ])
  })

  it.each([{}, 'console', [null], [1]])('are refused when they are %j', (observers) => {
    expect(() => makeClient({ observers: observers as never })).toThrow(/observer/)
  })
})
