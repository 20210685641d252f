import { describe, expect, it } from 'vitest'
import type { OAuthClient } from '../../src/extensions/oauth/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { collectGarbage } from '../support/garbage.ts'
import { query } from '../support/search.ts'
import {
  access,
  expired,
  json,
  minutes,
  oauthError,
  passQuickly,
  refreshToken,
  refuseTokens,
  secrets,
  setUp,
  storeAheadMs,
  tokenSet,
  tokens,
} from './helpers.ts'

virtualTime()

describe('OAuthSession.token()', () => {
  it.each<[string, lifetime: number, renewedAfter: number]>([
    ['a minute before it expires', minutes(60), minutes(59)],
    ['after half of a short lifetime', 10_000, 5000],
  ])('renews a token %s, and not earlier', async (_, lifetime, renewedAfter) => {
    const { server, session } = await setUp(tokenSet({ expiresAt: Date.now() + lifetime }))
    passQuickly(renewedAfter - 1)
    expect((await settle(session.token())).value).toBe(access(0))
    expect(server.forms).toHaveLength(0)
    passQuickly(2)
    expect((await settle(session.token())).value).toBe(access(1))
    expect(server.refreshed()).toEqual([refreshToken(0)])
  })

  it('uses a token whose lifetime is over when it arrives', async () => {
    const { server, session } = await setUp(expired())
    server.script(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2000))
      return tokens(1, { expires_in: 1 })
    })
    expect((await settle(session.token())).value).toBe(access(1))
    expect(server.forms).toHaveLength(1)
  })

  it.each([-1, 1])('ignores the server’s clock, %i hour off', async (hours) => {
    const { server, session } = await setUp()
    const date = new Date(Date.now() + hours * minutes(60)).toUTCString()
    server.script(() => tokens(1, { token_type: 'bearer' }, { date }))
    passQuickly(minutes(59) + 1)
    expect((await settle(session.token())).value).toBe(access(1))
    passQuickly(minutes(58))
    expect((await settle(session.token())).value).toBe(access(1))
    expect(server.forms).toHaveLength(1)
  })

  it.each([undefined, null, 'soon', -5, 0, {}, '', true, '0x10', 1e306])(
    'uses a token whose expires_in is %j until a 401',
    async (lifetime) => {
      const { server, client, accepts, bearers } = await setUp()
      const answer = { access_token: 'endless', token_type: 'Bearer', expires_in: lifetime }
      server.script(() => json(answer), server.next)
      passQuickly(minutes(60))
      await settle(client.microblog.search(query))
      passQuickly(minutes(600))
      await settle(client.microblog.search(query))
      expect(bearers).toEqual(['endless', 'endless'])
      accepts.token = (bearer) => bearer !== 'endless'
      expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
      expect(server.forms).toHaveLength(2)
    },
  )

  it('uses the old token while an early renewal fails, without a renewal at every call', async () => {
    const { server, session } = await setUp()
    server.script(() => oauthError('temporarily_unavailable', 503))
    passQuickly(minutes(59) + 1)
    expect((await settle(session.token())).value).toBe(access(0))
    await pass(9999)
    expect((await settle(session.token())).value).toBe(access(0))
    expect(server.forms).toHaveLength(3)
    await pass(1)
    server.script(server.next)
    expect((await settle(session.token())).value).toBe(access(1))
  })

  it('sends the audience and the client’s secret', async () => {
    const { server, session } = await setUp(expired())
    await settle(session.token())
    expect(server.forms[0]?.get('resource')).toBe('https://api.example/v1')
    const pair = `dashboard:${secrets.clientSecret.replaceAll('_', '%5F')}`
    expect(server.requests[0]?.headers.get('authorization')).toBe(`Basic ${btoa(pair)}`)
  })

  it.each([
    ['an empty refresh token', { refresh_token: '' }],
    ['a list of scopes', { scope: ['search:read'] }],
    ['an infinite lifetime', { expires_in: 1e306 }],
    ['an invalid ID token', { id_token: 'x' }],
    ['further fields', JSON.parse('{"__proto__":1,"constructor":2}')],
  ])('accepts new tokens with %s', async (_, more) => {
    const { server, session, store } = await setUp(expired())
    server.script(() => tokens(1, more))
    expect((await settle(session.token())).value).toBe(access(1))
    expect(store.held?.refreshToken).toBe(refreshToken(0))
    expect(JSON.parse(JSON.stringify(store.held))).toEqual(store.held)
  })

  it('returns new tokens only after storing them', async () => {
    const { session, store } = await setUp(expired())
    let stored = false
    store.set = async (tokens) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      store.held = tokens
      stored = tokens?.accessToken === access(1)
    }
    const token = session.token().then((token) => ({ token, stored }))
    expect((await settle(token)).value).toEqual({ token: access(1), stored: true })
  })

  it('sends no refresh that it cannot record in the store, and clears the record of an unprocessed one', async () => {
    const { server, session, store } = await setUp(expired())
    const { held, set } = store
    store.set = () => Promise.reject(new Error('the disk is full'))
    const message = 'the token store failed: the disk is full'
    expect((await settle(session.token())).error).toMatchObject({ code: 'token_store', message })
    expect(server.forms).toHaveLength(0)
    store.set = set
    server.script(() => {
      expect(store.held).toEqual({ ...held, refreshSentAt: expect.closeTo(Date.now() + storeAheadMs, -1) })
      return oauthError('temporarily_unavailable', 503)
    })
    await settle(session.token())
    expect(store.held).toEqual(held)
    server.script(server.next)
    expect((await settle(session.token())).value).toBe(access(1))
    expect(store.held).not.toHaveProperty('refreshSentAt')
  })

  it.each(['before the refresh', 'after one that the server refused for now'])(
    'sends a refresh again when the store made a record of it without a reply, %s',
    async (when) => {
      const { server, session, store } = await setUp(expired())
      const { set } = store
      const fail = (): void => {
        store.set = (tokens) => {
          if (when === 'before the refresh') store.held = tokens
          return Promise.reject(new Error('the connection is lost'))
        }
      }
      server.script(() => {
        fail()
        return oauthError('temporarily_unavailable', 503)
      })
      if (when === 'before the refresh') fail()
      expect((await settle(session.token())).error).toMatchObject({ code: 'token_store' })
      expect(store.held).toHaveProperty('refreshSentAt')
      store.set = set
      server.script(server.next)
      expect(await settle(session.token())).toMatchObject({ value: access(1), ms: 0 })
    },
  )

  it('repeats no tokens when the store says which text it could not write', async () => {
    const { session, store } = await setUp(expired())
    store.set = (tokens) =>
      Promise.reject(new Error(`too large: ${JSON.stringify([JSON.stringify(tokens)])}`))
    const { message } = (await settle(session.token())).error as Error
    expect(message).toContain('too large')
    for (const secret of [access(0), refreshToken(0)]) expect(message).not.toContain(secret)
  })

  it('uses tokens that another process has stored meanwhile', async () => {
    const { server, session, store } = await setUp()
    await settle(session.token())
    passQuickly(minutes(60))
    store.held = tokenSet({ accessToken: access(7) })
    expect((await settle(session.token())).value).toBe(access(7))
    expect(server.forms).toHaveLength(0)
  })

  it.each([
    ['until it expires', () => passQuickly(minutes(60)), 2],
    ['until the service refuses it', (accepts: { token: () => boolean }) => (accepts.token = () => false), 3],
  ])('uses the token in memory %s when the store was emptied', async (_, end, sent) => {
    const { client, store, server, accepts, bearers } = await setUp(tokenSet())
    await settle(client.microblog.search(query))
    store.held = null
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
    end(accepts as never)
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ code: 'reauthorization_required', reason: 'no_tokens' })
    expect([bearers.length, server.forms.length]).toEqual([sent, 0])
  })

  it('refuses invalid tokens without repeating them', async () => {
    const { session } = await setUp({ accessToken: 5, refreshToken: refreshToken(0) } as never)
    const { error } = await settle(session.token())
    expect(error).toMatchObject({ code: 'token_store' })
    expect((error as Error).message).not.toContain(refreshToken(0))
  })
})

describe('OAuthClient.session()', () => {
  /** Uses the session of a user, and drops it. */
  const used = async (oauth: OAuthClient, user: string) => {
    const session = oauth.session(user)
    await settle(session.token())
    return new WeakRef(session)
  }
  /** After so many milliseconds, the session of someone else is wanted. */
  const later = async (oauth: OAuthClient, ms: number) => {
    await pass(ms)
    oauth.session('someone else')
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  }

  it('keeps a session for two minutes after its last use, and as long as the program holds it', async () => {
    const { oauth } = await setUp()
    const held = oauth.session('ann')
    await later(oauth, 1000)
    const dropped = await used(oauth, 'bob')
    await later(oauth, 119_000)
    expect(dropped.deref()).toBeDefined()
    await later(oauth, 119_000)
    await later(oauth, 120_000)
    expect(dropped.deref()).toBeUndefined()
    expect(oauth.session('ann')).toBe(held)
  })

  it('leaves no memory of 10,000 users that have gone', async () => {
    const { oauth } = await setUp()
    await later(oauth, 1000)
    const before = collectGarbage()
    for (let user = 0; user < 10_000; user++) oauth.session(`user ${user}`)
    for (let times = 0; times < 3; times++) await later(oauth, 120_000)
    expect((collectGarbage() - before) / 10_000).toBeLessThan(80)
  })

  it.each([
    ['has brought tokens that the store did not take', false],
    ['was not processed, which the store does not know', true],
  ])('keeps a session whose refresh %s', async (_, isRefused) => {
    const { oauth, server, store } = await setUp(expired())
    const { set } = store
    if (isRefused) server.script(() => oauthError('temporarily_unavailable', 503))
    refuseTokens(store)
    await used(oauth, 'ann')
    for (let times = 0; times < 3; times++) await later(oauth, 130_000)
    Object.assign(store, { set })
    server.script(server.next)
    expect((await settle(oauth.session('ann').token())).value).toBe(access(1))
  })
})
