import { describe, expect, it } from 'vitest'
import { AuthenticationError } from '../../src/index.ts'
import { ReauthorizationRequiredError } from '../../src/errors/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { query } from '../support/search.ts'
import {
  access,
  broken,
  expired,
  json,
  makeOAuth,
  minutes,
  oauthError,
  passQuickly,
  refreshToken,
  setUp,
  tokenSet,
  tokens,
} from './helpers.ts'

virtualTime()

describe('a call that is refused with a 401', () => {
  it('is retried with a new token after one refresh for all calls', async () => {
    const { server, client, accepts } = await setUp()
    accepts.token = (bearer) => bearer !== access(0)
    const calls = Array.from({ length: 50 }, () => client.microblog.search(query).withResponse())
    const { value } = await settle(Promise.all(calls))
    expect(value?.every(({ attempts }) => attempts.length <= 2)).toBe(true)
    expect(server.forms).toHaveLength(1)
  })

  it.each([
    ['the new token is refused, too', 1],
    ['the server gives the refused token again', 0],
  ])('rejects with an AuthenticationError when %s', async (_, given) => {
    const { server, client, accepts, bearers } = await setUp()
    accepts.token = () => false
    server.script(() => tokens(given))
    const { error } = await settle(client.microblog.search(query))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect([bearers, server.forms.length]).toEqual([[access(0), access(given)], 1])
  })

  it('leaves a failed refresh to the next call', async () => {
    const { server, client, accepts } = await setUp()
    accepts.token = (bearer) => bearer !== access(0)
    server.script(() => oauthError('invalid_client', 401, { 'www-authenticate': 'Basic' }))
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ code: 'oauth', reason: 'invalid_client', operation: 'microblog.search' })
    expect(server.forms).toHaveLength(1)
    server.script(server.next)
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
  })

  it('may be aborted, or time out, without ending the refresh', async () => {
    const { server, client, accepts, bearers } = await setUp()
    accepts.token = (bearer) => bearer !== access(0)
    server.script(async (form, request) => {
      await new Promise((resolve) => setTimeout(resolve, 5000))
      expect(request.signal.aborted).toBe(false)
      return server.next(form, request)
    })
    const controller = new AbortController()
    const errorOf = (call: PromiseLike<unknown>) => call.then(undefined, (error: unknown) => error)
    const aborted = errorOf(client.microblog.search(query, { signal: controller.signal }))
    const late = errorOf(client.microblog.search(query, { deadline: 1000 }))
    await pass(500)
    controller.abort(new Error('enough'))
    expect(await aborted).toMatchObject({ message: 'enough' })
    await pass(1000)
    expect(await late).toMatchObject({ code: 'timeout', phase: 'wait' })
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
    expect(server.forms).toHaveLength(1)
    expect(bearers.at(-1)).toBe(access(1))
  })
})

describe('ReauthorizationRequiredError', () => {
  const lost = {
    'a reset': broken('ECONNRESET', 'read'),
    'no answer': () => new Promise<never>(() => {}),
    'a proxy’s page': () => json('<h1>Bad gateway</h1>', 502),
    'a gateway’s JSON': () => json({ status: 500, error: 'Internal Server Error' }, 500),
    'a gateway that gave up': () => oauthError('server_error', 504),
    'a gateway’s timeout': () => json('<h1>Request timeout</h1>', 408),
    'a gateway’s timeout as JSON': () => json({ error: 'Request Timeout' }, 408),
    'a body that is not JSON': () => json('<h1>Welcome</h1>'),
    'an answer without a token': () => json({ token_type: 'Bearer' }),
    'a token that cannot be sent': () => json({ access_token: 'line\nbreak', token_type: 'Bearer' }),
  }
  const reasons = Object.entries(lost).map(([name, answer]) => [name, answer, 'lost'] as const)

  it.each([...reasons, ['invalid_grant', () => oauthError('invalid_grant'), 'refused'] as const])(
    'follows %s, for all calls and processes until an exchange succeeds',
    async (_, answer, reason) => {
      const { server, client, session, store, accepts, bearers } = await setUp()
      accepts.token = (bearer) => bearer !== access(0)
      server.script(answer)
      const calls = Array.from({ length: 5 }, () => client.microblog.search(query).then())
      const { value: results } = await settle(Promise.allSettled(calls))
      for (const result of results ?? []) {
        const error: unknown = result.status === 'rejected' && result.reason
        expect(error).toBeInstanceOf(ReauthorizationRequiredError)
        expect(error).toMatchObject({ reason, operation: 'microblog.search', charged: 'no' })
      }
      const sent = bearers.length
      expect((await settle(client.microblog.search(query))).error).toMatchObject({ reason })
      // The 401 of a call that was under way may come later.
      expect((await settle(session.refresh(access(0)))).error).toMatchObject({ reason })
      const other = (await makeOAuth({ store, fetch: server.fetch })).session()
      for (let call = 0; call < 2; call++)
        expect((await settle(other.token())).error).toMatchObject({ reason })
      expect(server.forms).toHaveLength(1)
      expect(bearers).toHaveLength(sent)
      expect(JSON.stringify(store.held)).not.toContain(refreshToken(0))
      await settle(session.replace(tokenSet({ accessToken: access(9) })))
      expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
    },
  )

  it('follows an early renewal with a lost response, although the old token is still valid', async () => {
    const { server, client, bearers } = await setUp()
    server.script(broken('ECONNRESET', 'read'))
    passQuickly(minutes(59) + 1)
    const message = expect.stringContaining('was lost, or its process ended first') as string
    for (let call = 0; call < 2; call++)
      expect((await settle(client.microblog.search(query))).error).toMatchObject({ reason: 'lost', message })
    expect(bearers).toEqual([])
    expect(server.forms).toHaveLength(1)
  })

  it('lasts even if the store fails, and the old token is still valid', async () => {
    const { server, session, store } = await setUp()
    const { update } = store
    passQuickly(minutes(59) + 1)
    server.script(() => {
      store.update = () => Promise.reject(new Error('the disk is gone'))
      return broken('ECONNRESET', 'read')()
    })
    expect((await settle(session.token())).error).toMatchObject({ reason: 'lost' })
    store.update = update
    expect((await settle(session.token())).error).toMatchObject({ reason: 'lost' })
    expect(server.forms).toHaveLength(1)
  })

  it('has separate attempts for each call', async () => {
    const { server, client, accepts } = await setUp()
    accepts.token = () => false
    server.script(() => oauthError('invalid_grant'))
    const calls = [client.microblog.search(query), client.microblog.search(query)]
    const { value = [] } = await settle(Promise.allSettled(calls.map((call) => call.then())))
    const [first, second] = value.map((result) => (result as PromiseRejectedResult).reason)
    expect(first).toMatchObject({ attempts: [{ outcome: 'unauthorized' }] })
    expect(second).toBeInstanceOf(ReauthorizationRequiredError)
    expect(second).not.toBe(first)
  })

  it('tells an empty store from a missing refresh token', async () => {
    const { client } = await setUp(null)
    expect((await settle(client.microblog.search(query))).error).toMatchObject({ reason: 'no_tokens' })
    const obtainedAt = Date.now() - 2
    const other = await setUp({ accessToken: access(0), obtainedAt, expiresAt: obtainedAt + 1 })
    expect((await settle(other.client.microblog.search(query))).value?.posts).toHaveLength(1)
    other.accepts.token = () => false
    const { error } = await settle(other.client.microblog.search(query))
    expect(error).toMatchObject({ reason: 'no_refresh_token' })
  })

  it('ends when another process stores new tokens', async () => {
    const { server, client, store } = await setUp(expired())
    server.script(() => oauthError('invalid_grant'))
    expect((await settle(client.microblog.search(query))).error).toMatchObject({ reason: 'refused' })
    store.held = tokenSet({ accessToken: access(5) })
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
  })
})
