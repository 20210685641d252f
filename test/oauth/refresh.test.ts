import { describe, expect, it } from 'vitest'
import type { OAuthClientOptions } from '../../src/extensions/oauth/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { query } from '../support/search.ts'
import {
  access,
  broken,
  json,
  makeOAuth,
  minutes,
  oauthError,
  passQuickly,
  refreshToken,
  scriptedServer,
  setUp,
  tokenSet,
} from './helpers.ts'

virtualTime()

describe('OAuthSession.token() with tokens of another authorization', () => {
  it.each<[string, Partial<OAuthClientOptions>]>([
    ['issuer', { issuer: 'https://other.example' }],
    ['client', { clientId: 'other' }],
    ['base URL', { baseUrl: 'https://other.example/v1' }],
  ])('refuses those of another %s, and names both without a secret', async (_, other) => {
    const { server, session, store, bearers, client } = await setUp()
    await settle(session.replace(tokenSet()))
    const otherServer = scriptedServer()
    const owner = await makeOAuth({ ...other, store, fetch: otherServer.fetch })
    await settle(owner.session().replace(tokenSet({ accessToken: access(9), expiresAt: Date.now() })))
    passQuickly(minutes(60))
    const { held } = store
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ code: 'token_store' })
    const { message } = error as Error
    for (const name of ['https://as.example/', 'dashboard', 'https://api.example/v1'])
      expect(message).toContain(name)
    expect(message).toContain('other')
    expect(message).not.toContain('secret')
    expect([server.forms, bearers, store.held]).toEqual([[], [], held])
    expect((await settle(owner.session().token())).value).toBe(access(1))
    expect(store.held?.boundTo).toEqual(held?.boundTo)
  })
})

describe('OAuthSession.refresh()', () => {
  it('does nothing for a token that was already replaced', async () => {
    const { server, session } = await setUp()
    await settle(session.token())
    await settle(session.refresh(access(0)))
    await settle(session.refresh(access(0)))
    expect(server.forms).toHaveLength(1)
    expect((await settle(session.token())).value).toBe(access(1))
  })
})

describe('a refresh', () => {
  it('leaves the store empty when its tokens were removed meanwhile', async () => {
    const { server, session, store } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script((form, request) => {
      store.held = null
      return server.next(form, request)
    })
    for (let call = 0; call < 2; call++)
      expect((await settle(session.token())).error).toMatchObject({ reason: 'no_tokens' })
    expect(store.held).toBeNull()
  })

  it('does not store its tokens when the store got others meanwhile, even with the same access token', async () => {
    const { server, session, store } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script((form, request) => {
      store.held = tokenSet({ refreshToken: refreshToken(9) })
      return server.next(form, request)
    })
    expect((await settle(session.token())).value).toBe(access(0))
    expect(store.held?.refreshToken).toBe(refreshToken(9))
  })

  it('does not retry with a refresh token that the store no longer holds', async () => {
    const { server, session, store } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script(() => {
      setTimeout(() => (store.held = tokenSet({ accessToken: access(7) })), 400)
      return oauthError('temporarily_unavailable', 503)
    })
    expect((await settle(session.token())).value).toBe(access(7))
    expect(server.forms).toHaveLength(1)
  })

  it.each([
    ['was never sent', broken('ECONNREFUSED', 'connect')],
    ['failed at DNS', broken('ENOTFOUND', 'getaddrinfo')],
    ['got a 503', () => oauthError('temporarily_unavailable', 503)],
    ['got a 500', () => oauthError('server_error', 500)],
    ['got a 429', () => oauthError('slow_down', 429, { 'retry-after': '3' })],
  ])('that %s is retried', async (_, answer) => {
    const { server, session } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script(answer, answer, server.next)
    const { value, ms } = await settle(session.token())
    expect(value).toBe(access(1))
    expect(server.forms.map((form) => form.get('refresh_token'))).toEqual(Array(3).fill(refreshToken(0)))
    expect(ms).toBeGreaterThanOrEqual(1000)
  })

  it('is shared by all waiting calls, also when it fails', async () => {
    const { server, session } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script(() => oauthError('temporarily_unavailable', 503))
    await settle(Promise.allSettled(Array.from({ length: 20 }, () => session.token())))
    expect(server.forms).toHaveLength(3)
  })

  it('ends after three attempts, and the next call tries again', async () => {
    const { server, session } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script(broken('ECONNREFUSED', 'connect'))
    expect((await settle(session.token())).error).toMatchObject({ reason: 'unreachable', processed: 'no' })
    expect(server.forms).toHaveLength(3)
    server.script(server.next)
    expect((await settle(session.token())).value).toBe(access(1))
  })

  it('waits as long as the server asks, up to a maximum', async () => {
    const { server, session } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script(() => oauthError('temporarily_unavailable', 503, { 'retry-after': '7' }), server.next)
    expect((await settle(session.token())).ms).toBeGreaterThanOrEqual(7000)
    const other = await setUp(tokenSet({ expiresAt: Date.now() }))
    other.server.script(() => oauthError('temporarily_unavailable', 503, { 'retry-after': '60' }))
    const { error, ms } = await settle(other.session.token())
    expect(error).toMatchObject({ reason: 'temporarily_unavailable', retryAfter: 60 })
    expect(ms).toBe(0)
  })

  it.each([
    ['invalid_scope', () => oauthError('invalid_scope')],
    [
      'invalid_response',
      () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } }),
    ],
    ['invalid_response', () => json('<h1>Forbidden</h1>', 403)],
  ])('that gets %s is not retried, and does not end the session', async (reason, answer) => {
    const { server, session, store } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script(answer)
    expect((await settle(session.token())).error).toMatchObject({ code: 'oauth', reason, processed: 'no' })
    expect(server.forms).toHaveLength(1)
    expect(store.held?.refreshToken).toBe(refreshToken(0))
  })

  it('has a separate timeout', async () => {
    const { server, session } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script(() => new Promise<never>(() => {}))
    const { error, ms } = await settle(session.token())
    expect(error).toMatchObject({ reason: 'lost' })
    expect(ms).toBe(30_000)
  })

  it('does not overwrite the tokens of an exchange that comes meanwhile', async () => {
    const { server, session, store } = await setUp(tokenSet({ expiresAt: Date.now() }))
    server.script(async (form, request) => {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      return server.next(form, request)
    })
    const renewal = session.token()
    await pass(100)
    await settle(Promise.all([renewal, session.replace(tokenSet({ accessToken: access(9) }))]))
    expect(store.held?.accessToken).toBe(access(9))
    expect((await settle(session.token())).value).toBe(access(9))
  })
})
