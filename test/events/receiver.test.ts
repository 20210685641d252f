import { inspect } from 'node:util'
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod/mini'
import {
  type EventOptions,
  InvalidEventError,
  createEventReceiver,
} from '../../src/extensions/events/index.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { makeReceiver, secret, url } from './setup.ts'

describe('createEventReceiver()', () => {
  it('passes on the body of any request, parsed if it is JSON', async () => {
    const { events, post, receive } = makeReceiver()
    const levels = '['.repeat(500_000)
    for (const body of ['{"kind":"x"}', 'null', 'not JSON', '', levels]) expect(await post(body)).toBe(202)
    expect((await receive(new Request(url, { method: 'PUT', body: '\uFEFF1' }))).status).toBe(202)
    expect(events.map(({ payload }) => payload)).toEqual([{ kind: 'x' }, null, 'not JSON', '', levels, 1])
  })

  it('gives the payload the type of the schema', async () => {
    const schema = z.pipe(
      z.object({ n: z.number() }),
      z.transform(({ n }) => n + 1),
    )
    const seen: number[] = []
    const verify = () => true
    const receive = createEventReceiver({ verify, schema, onEvent: ({ payload }) => void seen.push(payload) })
    createEventReceiver({ verify, schema, onEvent: ({ payload }) => expectTypeOf(payload).toBeNumber() })
    createEventReceiver({ verify, onEvent: ({ payload }) => expectTypeOf(payload).toBeUnknown() })
    await receive(new Request(url, { method: 'POST', body: '{"n":1}' }))
    expect(seen).toEqual([2])
  })

  it('acknowledges a payload that does not fit the schema, and passes it to onError alone', async () => {
    const { events, errors, post } = makeReceiver({ schema: z.object({ a: z.number(), b: z.number() }) })
    expect(await post('{"a":"one","b":"two"}')).toBe(202)
    expect(events).toEqual([])
    expect(errors[0]).toBeInstanceOf(InvalidEventError)
    const message = expect.stringMatching(/: a Invalid input.*; b Invalid input/) as string
    const issues = [{ path: 'a' }, { path: 'b' }]
    const payload = { a: 'one', b: 'two' }
    expect(errors).toMatchObject([{ code: 'invalid_event', message, issues, payload }])
    expect(JSON.stringify(errors)).not.toContain('"one"')
  })

  it('limits the issues when a schema finds 60,000', async () => {
    const { errors, post } = makeReceiver({ schema: z.array(z.number()) })
    await post(JSON.stringify(new Array(60_000).fill('one')))
    expect((errors[0] as InvalidEventError).issues).toHaveLength(101)
  })

  const broken = new ReadableStream({ pull: (it) => it.error(new Error('ECONNRESET')) })
  it.each<[string, RequestInit & { duplex?: 'half' }, number]>([
    ['is too large', { body: 'x'.repeat(2 ** 20 + 1) }, 413],
    ['is compressed', { body: '{}', headers: { 'content-encoding': 'gzip' } }, 415],
    ['breaks off', { body: broken, duplex: 'half' }, 400],
  ])('refuses a body that %s, before verifying it', async (_, init, status) => {
    const verify = vi.fn(() => true)
    const { events, receive } = makeReceiver({ verify })
    const response = await receive(new Request(url, { method: 'POST', ...init }))
    expect([response.status, await response.text()]).toEqual([status, ''])
    expect(verify).not.toHaveBeenCalled()
    expect(events).toEqual([])
  })

  it('accepts a body of the maximum size, and the content encoding identity', async () => {
    const { post } = makeReceiver()
    expect(await post('x'.repeat(2 ** 20), { 'content-encoding': 'Identity' })).toBe(202)
  })

  it.each<[string, BodyInit, EventOptions['verify']]>([
    ['the body never ends', new ReadableStream(), () => true],
    ['verify never settles', '{}', () => new Promise(() => {})],
  ])('responds with 408 when %s', async (_, body, verify) => {
    useVirtualTime()
    const { events, receive } = makeReceiver({ verify })
    const init = { method: 'POST', body, duplex: 'half' }
    const { value, ms } = await settle(receive(new Request(url, init)))
    expect([value?.status, ms, events]).toEqual([408, 10_000, []])
    vi.useRealTimers()
  })

  it('responds with 500, and tells onError why, when the body was already read', async () => {
    const { events, errors, receive } = makeReceiver()
    const request = new Request(url, { method: 'POST', body: '{}' })
    await request.text()
    expect((await receive(request)).status).toBe(500)
    const message = expect.stringMatching(/^the body of the request was already read/) as string
    expect(errors).toMatchObject([{ message }])
    expect(events).toEqual([])
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

  it('responds when onEvent is done: with 500 and nothing else if it fails, so that the sender may retry', async () => {
    const stored = Promise.withResolvers<void>()
    const { errors, receive } = makeReceiver({ onEvent: () => stored.promise })
    let isAnswered = false
    const request = new Request(url, { method: 'POST', body: '{}' })
    const answer = receive(request).finally(() => (isAnswered = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isAnswered).toBe(false)
    stored.reject(new Error('the database is down'))
    expect([(await answer).status, await (await answer).text()]).toEqual([500, ''])
    expect(errors).toMatchObject([{ message: 'the database is down' }])
  })

  it('hides the request from logs of the event', async () => {
    const { events, post } = makeReceiver()
    expect(await post('{}', {}, `${url}?key=${secret}`)).toBe(202)
    expect(inspect(events, { depth: Infinity }) + JSON.stringify(events)).not.toContain(secret)
    expect(events[0]?.delivery.url.searchParams.get('key')).toBe(secret)
  })

  it.each<[object, RegExp]>([
    [{ verify: undefined }, /^verify must be a function, got undefined/],
    [{ onEvent: undefined }, /^onEvent must be a function/],
    [{ schema: {} }, /schema must be a Standard Schema, got an object/],
    [{ onevent: () => {} }, /unknown option onevent; expected one of /],
  ])('refuses the invalid options %j', (options, message) => {
    expect(() => makeReceiver(options)).toThrow(message)
  })
})

it('createEventReceiver() without onError logs each cause once, without the text of errors of yours', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => log.mockRestore())
  const onEvent = () => Promise.reject(new TypeError('the password is hunter2'))
  const { post } = makeReceiver({ onEvent, onError: undefined })
  await post('{"a":1}')
  await post('{"a":2}')
  const line = 'the receiver failed; TypeError: thrown by your code (pass onError to see each error)'
  expect(log.mock.calls).toEqual([[line]])
})
