import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ProxyOptions } from '../../src/extensions/proxy/index.ts'
import { AuthenticationError } from '../../src/index.ts'
import { toNodeListener } from '../../src/extensions/node/index.ts'
import { closed, listening } from '../support/listening.ts'
import { post, searchPath, setUp } from './setup.ts'

const log = vi.spyOn(console, 'error')
beforeEach(() => void log.mockReset().mockReturnValue())
afterEach(() => vi.useRealTimers())

const failed = 'the proxy responded to microblog.search with 500; '
const hint = ' (pass onError to see each error)'
const silent = { onError: undefined }
const logged = (): string[] => log.mock.calls.map(([line]) => String(line))

describe('createProxy() without onError', () => {
  it('logs once how to mount it when a parser, such as Express’s, has read the body', async () => {
    const { proxy, sandbox } = setUp(silent)
    const listener = toNodeListener(proxy)
    const server = createServer((incoming, outgoing) => {
      incoming.resume().on('end', () => listener(incoming, outgoing))
    })
    const url = (await listening(server)) + searchPath
    const headers = { 'content-type': 'application/json' }
    for (const query of ['tea', 'coffee']) {
      const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })
      expect(status).toBe(500)
    }
    await closed(server)
    const advice = 'mount the proxy before any body parser, and read no body in authorize'
    const read = 'the body of the request was already read'
    expect(logged()).toEqual([`${failed}ConfigurationError: ${read}; ${advice}${hint}`])
    expect(sandbox.requests).toEqual([])
  })

  it.each<[string, Partial<ProxyOptions>]>([
    ['authorize', { authorize: () => Promise.reject(new TypeError('the password is hunter2')) }],
    ['budget', { budget: () => Promise.reject(new TypeError('the password is hunter2')) }],
  ])('logs once the class of an error of %s, without its text', async (_, options) => {
    const { proxy } = setUp({ ...silent, ...options })
    for (let i = 0; i < 2; i++) expect((await post(proxy)).status).toBe(500)
    expect(logged()).toEqual([`${failed}TypeError: thrown by authorize, budget or the client${hint}`])
  })

  it('logs an error of authorize when its class is one that pages get from calls', async () => {
    const revoked = { status: 401, code: 'unauthorized', message: 'the session service refused' } as const
    const { proxy } = setUp({ ...silent, authorize: () => Promise.reject(new AuthenticationError(revoked)) })
    expect((await post(proxy)).status).toBe(500)
    const advice = 'Sign in again, or replace `apiKey`.'
    expect(logged()).toEqual([`${failed}AuthenticationError: ${revoked.message}. ${advice}${hint}`])
  })

  it('logs each of two causes', async () => {
    const errors = [new TypeError(), null, new RangeError(), new TypeError()]
    const authorize = () => {
      throw errors.shift()
    }
    const { proxy } = setUp({ ...silent, authorize })
    for (let i = 0; i < 4; i++) await post(proxy)
    expect(logged().map((line) => /; (\w+):/.exec(line)?.[1])).toEqual(['TypeError', 'object', 'RangeError'])
  })

  it('logs nothing when the caller gets the error', async () => {
    const { proxy, sandbox } = setUp(silent)
    sandbox.inject({ status: 400 })
    expect((await post(proxy)).status).toBe(400)
    expect((await post(proxy, { body: '{}' })).status).toBe(400)
    expect(log).not.toHaveBeenCalled()
  })
})

it('createProxy() logs nothing itself with onError', async () => {
  const { proxy, failures } = setUp({ authorize: () => Promise.reject(new TypeError('no')) })
  await post(proxy)
  expect([failures.length, log.mock.calls]).toEqual([1, []])
})
