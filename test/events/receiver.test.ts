import { inspect } from 'node:util'
import { beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import * as z from 'zod/mini'
import {
  type EventOptions,
  InvalidEventError,
  createEventReceiver,
  verifySharedSecret,
} from '../../src/extensions/events/index.ts'
import { eventRequest, makeReceiver, secret, url } from './setup.ts'

describe('createEventReceiver()', () => {
  it('passes on the body, parsed if it is JSON, with its hash as id', async () => {
    const { events, post } = makeReceiver()
    for (const body of ['{"kind":"x"}', 'null', 'not JSON', '']) expect(await post(body)).toBe(202)
    expect(events.map(({ payload }) => payload)).toEqual([{ kind: 'x' }, null, 'not JSON', ''])
    expect(events[3]?.id).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('gives the payload the type of the schema', async () => {
    const schema = z.pipe(
      z.object({ n: z.number() }),
      z.transform(({ n }) => n + 1),
    )
    const seen: number[] = []
    const receive = createEventReceiver({
      verify: () => true,
      schema,
      onEvent: ({ payload }) => {
        expectTypeOf(payload).toEqualTypeOf<number>()
        seen.push(payload)
      },
    })
    createEventReceiver({ verify: () => true, onEvent: ({ payload }) => expectTypeOf(payload).toBeUnknown() })
    await receive(eventRequest({ body: '{"n":1}' }))
    await vi.waitFor(() => expect(seen).toEqual([2]))
  })

  it.each([
    [undefined, 202],
    ['acknowledge' as const, 202],
    ['refuse' as const, 422],
  ])(
    'does not call the handler when the payload is invalid, and responds as %s says: %i',
    async (mismatch, status) => {
      const seen = vi.fn(() => false)
      const { events, errors, post } = makeReceiver({ schema: z.object({ n: z.number() }), mismatch, seen })
      expect(await post('{"n":"one"}')).toBe(status)
      expect(events).toEqual([])
      expect(seen).not.toHaveBeenCalled()
      expect(errors[0]).toBeInstanceOf(InvalidEventError)
      expect(errors).toMatchObject([
        { code: 'invalid_event', issues: [{ path: 'n' }], payload: { n: 'one' } },
      ])
      expect(JSON.stringify(errors)).not.toContain('"one"')
    },
  )

  it.each([
    ['{"a":"x","b":"y"}', /: a Invalid input.*; b Invalid input/],
    ['no JSON', /: Invalid input/],
  ])('names the invalid fields of %s', async (body, message) => {
    const { errors, post } = makeReceiver({ schema: z.object({ a: z.number(), b: z.number() }) })
    await post(body)
    expect((errors[0] as Error).message).toMatch(message)
  })

  it('limits the issues when a schema finds 60,000', async () => {
    const { errors, post } = makeReceiver({ schema: z.array(z.number()) })
    await post(JSON.stringify(new Array(60_000).fill('one')))
    expect((errors[0] as InvalidEventError).issues).toHaveLength(101)
  })

  it.each([
    [{ method: 'GET' }, 405],
    [{ method: 'PUT', body: '{}' }, 405],
    [{ body: '{}', headers: { 'content-type': 'text/plain' } }, 415],
    [{ body: '{}', headers: { 'content-type': 'application/jsonp' } }, 415],
    [{ body: new Uint8Array(2), headers: {} }, 415],
    [{ body: 'x'.repeat(2 ** 20 + 1) }, 413],
    [{ body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }, 415],
  ])('refuses a request that cannot be an event, before verifying it: %#', async (init, status) => {
    const verify = vi.fn(() => true)
    const { events, receive } = makeReceiver({ verify })
    const response = await receive(eventRequest(init))
    expect([response.status, await response.text()]).toEqual([status, ''])
    expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null)
    expect(verify).not.toHaveBeenCalled()
    expect(events).toEqual([])
  })

  it('responds with 400 when the body breaks off', async () => {
    const verify = vi.fn(() => true)
    const { receive } = makeReceiver({ verify })
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('ECONNRESET')) })
    expect((await receive(eventRequest({ body, duplex: 'half' }))).status).toBe(400)
    expect(verify).not.toHaveBeenCalled()
  })

  it('accepts the content encoding identity', async () => {
    expect(await makeReceiver().post('{}', { 'content-encoding': 'Identity' })).toBe(202)
  })

  it('responds with 500, and tells onError why, when the body was already read', async () => {
    const { events, errors, receive } = makeReceiver()
    const request = eventRequest({ body: '{}' })
    await request.text()
    expect((await receive(request)).status).toBe(500)
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/^the body of the request was already read/) },
    ])
    expect(events).toEqual([])
  })

  it('accepts the configured content types', async () => {
    const json = makeReceiver({ contentTypes: ['application/cloudevents+json'] })
    expect(await json.post('{}', { 'content-type': 'Application/CloudEvents+JSON; charset=utf-8' })).toBe(202)
    expect(await json.post('{}')).toBe(415)
    expect(await makeReceiver({ contentTypes: ['*/*'] }).post('x', { 'content-type': 'text/x' })).toBe(202)
  })

  it.each([
    ['says no', () => false],
    ['throws', () => Promise.reject(new Error('no'))],
    ['is not sure', () => 'yes' as never],
  ])('refuses the request when verify %s, and does not say why', async (name, verify) => {
    const { events, errors, post } = makeReceiver({ verify })
    expect(await post('{}')).toBe(401)
    expect(events).toEqual([])
    expect(errors).toHaveLength(name === 'throws' ? 1 : 0)
  })

  describe('replay', () => {
    const now = Date.UTC(2026, 10, 20)
    const at = (seconds: number) => String(now / 1000 + seconds)
    const timestamp = ({ headers }: { headers: Headers }) => Number(headers.get('x-time') ?? NaN)

    it.each([
      ['-300', 202],
      ['-301', 401],
      ['300', 202],
      ['301', 401],
    ])('accepts events within the tolerance, in both directions: %s s', async (offset, status) => {
      vi.useFakeTimers({ toFake: ['Date'], now })
      const { post, events } = makeReceiver({ replay: { timestamp } })
      expect(await post('{}', { 'x-time': at(Number(offset)) })).toBe(status)
      expect(events).toHaveLength(status === 202 ? 1 : 0)
      vi.useRealTimers()
    })

    it.each<[string, EventOptions['replay']]>([
      ['is missing', { timestamp }],
      ['is an invalid date', { timestamp: () => new Date('yesterday') }],
      ['is null', { timestamp: () => null, tolerance: Number.MAX_VALUE }],
      ['cannot be read', { timestamp: () => Promise.reject(new Error('no')) }],
    ])('refuses an event whose time %s', async (_, replay) => {
      expect(await makeReceiver({ replay }).post('{}')).toBe(401)
    })
  })

  it('does not handle a repeated event again, and acknowledges it', async () => {
    const ids = new Set<string>()
    const { events, post } = makeReceiver({
      id: ({ headers }) => headers.get('x-id') ?? '',
      seen: (id) => ids.has(id) || !ids.add(id),
    })
    expect(await post('{}', { 'x-id': 'a' })).toBe(202)
    expect(await post('{}', { 'x-id': 'a' })).toBe(202)
    expect(await post('{}', { 'x-id': 'b' })).toBe(202)
    expect(events.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('accepts an asynchronous time and id', async () => {
    const { events, post } = makeReceiver({
      replay: { timestamp: () => Promise.resolve(new Date()) },
      id: () => Promise.resolve('a'),
    })
    expect(await post('{}')).toBe(202)
    expect(events).toMatchObject([{ id: 'a' }])
  })

  it.each(['', null, undefined, 5])('refuses the id %j, which two events could share', async (id) => {
    const { errors, post } = makeReceiver({ id: () => id as never })
    expect(await post('{}')).toBe(500)
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/^id must return a string that is not empty, got /) },
    ])
  })

  it.each(['OK', 1, null, undefined])(
    'refuses %j from seen instead of dropping the event',
    async (answer) => {
      const { errors, post } = makeReceiver({ seen: () => answer as never })
      expect(await post('{}')).toBe(500)
      expect(errors).toMatchObject([
        { message: expect.stringMatching(/^seen must return true or false, got /) },
      ])
    },
  )

  it.each<[string, Partial<EventOptions>]>([
    ['seen', { seen: () => Promise.reject(new Error('down')) }],
    ['id', { id: () => Promise.reject(new Error('down')) }],
  ])('responds with 500 when %s fails, without showing the error to the sender', async (_, options) => {
    const { events, errors, post } = makeReceiver(options)
    expect(await post('{}')).toBe(500)
    expect(events).toEqual([])
    expect(errors).toMatchObject([{ message: 'down' }])
  })

  it('calls the handler after the response was sent', async () => {
    const order: string[] = []
    const { receive } = makeReceiver({ onEvent: () => order.push('work') })
    await receive(eventRequest({ body: '{}' })).then(() => order.push('answer'))
    await vi.waitFor(() => expect(order).toEqual(['answer', 'work']))
  })

  it('responds before the handler ends, and handles errors of every function', async () => {
    const works: Promise<void>[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const onError = vi.fn(() => {
      throw new Error('the log is full')
    })
    const { post } = makeReceiver({
      onEvent: () => promise.then(() => Promise.reject(new Error('the database is down'))),
      onError,
      waitUntil: (work) => {
        works.push(work)
        throw new Error('too late')
      },
    })
    expect(await post('{}')).toBe(202)
    resolve()
    await Promise.all(works)
    expect(onError.mock.calls).toMatchObject([
      [{ message: 'too late' }],
      [{ message: 'the database is down' }],
    ])
  })

  it('hides the request from logs of the event', async () => {
    const { events, post } = makeReceiver({ verify: verifySharedSecret({ secret, query: 'key' }) })
    expect(await post('{}', {}, `${url}?key=${secret}`)).toBe(202)
    expect(inspect(events, { depth: Infinity }) + JSON.stringify(events)).not.toContain(secret)
    expect(events[0]?.delivery.url.searchParams.get('key')).toBe(secret)
  })

  it.each<[object, RegExp]>([
    [{ verify: undefined }, /^verify must be a function, got undefined/],
    [{ onEvent: undefined }, /^onEvent must be a function/],
    [{ mismatch: 'ignore' }, /mismatch must be acknowledge or refuse/],
    [{ contentTypes: 'application/json' }, /contentTypes must be a list/],
    [{ contentTypes: ['json'] }, /contentTypes must be a list/],
    [{ contentTypes: ['application/*'] }, /contentTypes must be a list/],
    [{ replay: { timestamp: () => 1, tolerance: NaN } }, /replay.tolerance must be a number of milliseconds/],
    [{ replay: {} }, /replay.timestamp must be a function/],
    [{ schema: {} }, /schema must be a Standard Schema, got object/],
    [{ seen: true }, /^seen must be a function, got true/],
    [{ onevent: () => {} }, /unknown option onevent; did you mean onEvent\?/],
  ])('refuses the invalid options %j', (options, message) => {
    expect(() => makeReceiver(options)).toThrow(message)
  })
})

describe('createEventReceiver() without onError', () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  beforeEach(() => void log.mockClear())

  it('logs each cause once, without the text of errors of yours', async () => {
    const onEvent = () => Promise.reject(new TypeError('the password is hunter2'))
    const { post } = makeReceiver({ onEvent, onError: undefined })
    await post('{"a":1}')
    await post('{"a":2}')
    expect(log.mock.calls).toEqual([
      ['the receiver failed; TypeError: thrown by your code; pass onError to see each error'],
    ])
  })

  it('logs how to mount it when a parser has read the body', async () => {
    const { receive } = makeReceiver({ onError: undefined })
    const request = eventRequest({ body: '{}' })
    await request.text()
    await receive(request)
    expect(log.mock.calls.flat().join()).toMatch(
      /ConfigurationError: the body of the request was already read/,
    )
  })
})
