import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { ObservedCall } from '../../src/index.ts'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { otelObserver } from '../../src/extensions/otel/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { apiKey, failure, makeClient, ok, rateLimited, scriptedService } from '../support/service.ts'
import { followContext, recordingTracer, traced } from './recorder.ts'

const service = scriptedService()
virtualTime()
followContext()

const query = { query: 'very private' }

describe('otelObserver()', () => {
  it('makes a span of each call with its credits, charge, times and requestId', async () => {
    service.script(() => ok())
    const { client, spans } = traced()
    await settle(client.microblog.search(query))
    expect(spans).toMatchObject([{ name: 'microblog.search', ended: 1, status: undefined, exceptions: [] }])
    const known = { 'social_search.operation': 'microblog.search', 'social_search.surface': 'microblog' }
    expect(spans[0]?.options?.attributes).toEqual(known)
    expect(spans[0]?.attributes).toEqual({
      ...known,
      ...{ 'social_search.call_id': expect.any(Number) as number, 'social_search.request_id': 'req_1' },
      ...{ 'social_search.charged': 'yes', 'social_search.attempts': 1, 'social_search.cached': false },
      ...{ 'social_search.credits.spent': 2, 'social_search.credits.uncertain': 0 },
      ...{ 'social_search.queued': 0, 'social_search.paced': 0 },
    })
  })

  it('adds each attempt and wait of a call to its span as an event', async () => {
    service.script(failure(503, 'unavailable'), rateLimited(2), () => ok())
    const { client, spans } = traced()
    await settle(client.microblog.search(query))
    const [span] = spans
    const status = (code: number) => ({ 'http.response.status_code': code })
    const until = expect.stringMatching(/^\d{4}-.*Z$/) as string
    const answered = { 'social_search.credits.spent': 2, 'social_search.request_id': 'req_1' }
    expect(span?.events).toMatchObject([
      [
        'social_search.attempt',
        { ...status(503), 'error.type': 'unavailable', 'social_search.charged': 'no' },
      ],
      ['social_search.wait', { 'social_search.wait.reason': 'retry' }],
      ['social_search.attempt', { ...status(429), 'error.type': 'rate_limited' }],
      [
        'social_search.wait',
        { 'social_search.wait.reason': 'rate_limited', 'social_search.wait.until': until },
      ],
      ['social_search.attempt', { ...status(200), ...answered }],
    ])
    expect(span?.attributes).toMatchObject({ 'social_search.attempts': 3 })
    expect(span?.attributes['social_search.paced']).toBeGreaterThanOrEqual(2)
    expect(span?.attributes).not.toHaveProperty('error.type')
    expect(span?.status).toBeUndefined()
  })

  it('marks the span of a call that fails, without the message of the error', async () => {
    service.script(failure(400, 'validation_error', { error: { message: `bad query ${query.query}` } }))
    const { client, spans } = traced()
    const { error } = await settle(client.microblog.search(query))
    expect((error as Error).message).toContain(query.query)
    const attributes = { 'error.type': 'validation_error', 'social_search.charged': 'no' }
    const exceptions = [{ name: 'ValidationError' }]
    expect(spans).toMatchObject([{ attributes, status: { code: 2 }, exceptions, ended: 1 }])
    expect(JSON.stringify(spans)).not.toContain(query.query)
  })

  it('records params and messages when params is true, and never the key', async () => {
    service.script(failure(401, 'unauthorized', { error: { message: `wrong key ${apiKey}` } }))
    const { client, spans } = traced({}, { params: true })
    const { error } = await settle(client.microblog.search(query))
    const { message } = error as Error
    const stack = expect.stringContaining(message) as string
    expect(spans).toMatchObject([
      {
        attributes: { 'social_search.params': JSON.stringify(query) },
        ...{ status: { code: 2, message }, exceptions: [{ name: 'AuthenticationError', message, stack }] },
      },
    ])
    expect(JSON.stringify(spans)).not.toContain(apiKey)
  })

  it('marks an aborted call, and records nothing of the reason', async () => {
    const { client, spans, values } = traced({}, { params: true })
    await settle(client.microblog.search(query, { signal: AbortSignal.abort(new Error('my secret')) }))
    expect(spans).toMatchObject([
      { attributes: { 'error.type': 'aborted' }, status: { code: 2 }, exceptions: [], ended: 1 },
    ])
    expect(JSON.stringify([spans, values])).not.toContain('my secret')
  })

  it('counts calls, attempts, credits and waits, with units', async () => {
    service.script(rateLimited(2), () => ok())
    const { client, units, values } = traced()
    await settle(client.microblog.search(query))
    expect(units).toEqual({
      'social_search.calls': 'counter {call}',
      'social_search.call.duration': 'histogram s',
      'social_search.credits.spent': 'counter {credit}',
      'social_search.credits.uncertain': 'counter {credit}',
      'social_search.credits.saved': 'counter {credit}',
      'social_search.attempts': 'counter {attempt}',
      'social_search.waits': 'counter {wait}',
      'social_search.queued': 'histogram s',
      'social_search.paced': 'histogram s',
    })
    const operation = { 'social_search.operation': 'microblog.search' }
    const call = { ...operation, 'social_search.cached': false }
    const refused = { 'http.response.status_code': 429, 'error.type': 'rate_limited' }
    const [, paced] = values['social_search.paced'] as [unknown, [number, object]]
    const each = (...amounts: unknown[]) => amounts.map((amount) => [amount, operation])
    expect(values).toEqual({
      'social_search.calls': [[1, call]],
      'social_search.call.duration': [[expect.closeTo(paced[0], 2), call]],
      'social_search.attempts': [
        [1, { ...operation, ...refused }],
        [1, { ...operation, 'http.response.status_code': 200 }],
      ],
      'social_search.credits.spent': each(0, 2),
      'social_search.credits.uncertain': each(0, 0),
      'social_search.waits': [[1, { ...operation, 'social_search.wait.reason': 'rate_limited' }]],
      'social_search.queued': each(0, 0),
      'social_search.paced': each(0, expect.closeTo(2, 0)),
    })
  })

  it('tells of a cached answer, its age and the credits that it saved', async () => {
    service.script(() => ok())
    const { client, spans, values } = traced({ cache: new ResultCache({ maxAge: 60_000 }) })
    await settle(Promise.all([client.microblog.search(query), client.microblog.search(query)]))
    await pass(1000)
    await settle(client.microblog.search(query))
    expect(spans.map(({ events }) => events.length)).toEqual([1, 0, 0])
    expect(spans[2]?.attributes).toMatchObject({
      ...{ 'social_search.cached': true, 'social_search.cache.age': 1, 'social_search.attempts': 0 },
      ...{ 'social_search.credits.spent': 0, 'social_search.credits.saved': 2 },
    })
    const saved = values['social_search.credits.saved'] as [number][]
    expect(saved.map(([credits]) => credits)).toEqual([2, 2])
    const calls = values['social_search.calls'] as [number, Record<string, unknown>][]
    expect(calls.map(([, attributes]) => attributes['social_search.cached'])).toEqual([false, true, true])
  })

  it('records the attributes and metrics that docs/telemetry.md lists', async () => {
    const guide = await readFile(new URL('../../docs/telemetry.md', import.meta.url), 'utf8')
    const [, attributes = ''] = guide.split('A span has these attributes')
    // What a name means follows after a colon or in brackets.
    const items = [...attributes.matchAll(/^- ([^:\n]+)/gm)].join().replaceAll(/\(.*?\)/g, '')
    const names = [...items.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)
    const listed = names.map((name) => (name === 'error.type' ? name : `social_search.${name}`))
    service.script(() => ok(), failure(400, 'validation_error'))
    const { client, spans, units } = traced({ cache: new ResultCache({ maxAge: 60_000 }) }, { params: true })
    for (const text of ['a', 'a', 'wrong']) await settle(client.microblog.search({ query: text }))
    await settle(client.mentions.setState('men_1', { state: 'done' }))
    const recorded = [...spans.flatMap(({ attributes }) => Object.keys(attributes)), ...Object.keys(units)]
    expect([...new Set(listed)].sort()).toEqual([...new Set(recorded)].sort())
  })

  it('keeps no span of a call that has ended', async () => {
    service.script(() => ok())
    const { tracer, spans } = recordingTracer()
    const observer = otelObserver({ tracer })
    const calls: ObservedCall[] = []
    const observers = [observer, { onCall: (call: ObservedCall) => void calls.push(call) }]
    await settle(makeClient({ observers }).microblog.search(query))
    for (const call of calls) observer.onWait?.({ ...call, reason: 'retry', until: null })
    expect(calls).toHaveLength(1)
    expect(spans).toMatchObject([{ ended: 1, events: [['social_search.attempt', {}]] }])
  })

  it.each([
    [{ tracer: {} }, 'tracer must implement startSpan()'],
    [{ meter: {} }, 'meter must implement createCounter()'],
    [{ spans: true }, 'unknown option spans'],
  ])('refuses the options %j', (options, message) => {
    expect(() => otelObserver(options as never)).toThrow(message)
  })
})
