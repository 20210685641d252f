import { channel } from 'node:diagnostics_channel'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { OAuthClientOptions, OAuthSession, TokenSet } from '../../src/extensions/oauth/index.ts'
import { type SharedStore, memoryStore } from '../../src/extensions/shared/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import {
  type TokenAnswer,
  access,
  broken,
  endpoints,
  expired,
  json,
  makeOAuth,
  minutes,
  oauthError,
  passQuickly,
  refreshToken,
  refuseTokens,
  scriptedServer,
  setUp,
  storeAheadMs,
  storeOf,
  tokenSet,
} from './helpers.ts'

virtualTime()

describe('OAuthSession.token() with the store of another client', () => {
  it.each<[string, Partial<OAuthClientOptions>]>([
    ['issuer', { issuer: 'https://other.example' }],
    ['token endpoint', { endpoints: { ...endpoints, token: 'https://as.example/other/token' } }],
    ['client', { clientId: 'other' }],
    ['base URL', { baseUrl: 'https://other.example/v1' }],
  ])('finds no tokens of another %s', async (_, other) => {
    const [store, server] = [memoryStore(), scriptedServer()]
    const owner = (await makeOAuth({ store, fetch: server.fetch })).session()
    await owner.replace(expired())
    const session = (await makeOAuth({ ...other, store, fetch: server.fetch })).session()
    expect((await settle(session.token())).error).toMatchObject({ reason: 'no_tokens' })
    expect(server.forms).toEqual([])
    expect((await settle(owner.token())).value).toBe(access(1))
  })
})

describe('two processes with one store', () => {
  const two = async (tokens: TokenSet) => {
    const [store, server] = [storeOf(tokens), scriptedServer()]
    const sessionOf = async () => (await makeOAuth({ store, fetch: server.fetch })).session()
    return { store, server, sessions: [await sessionOf(), await sessionOf()] as const }
  }

  it('send one refresh, and both use its tokens', async () => {
    const { server, sessions } = await two(expired())
    const { value } = await settle(Promise.all([...sessions, ...sessions].map((each) => each.token())))
    expect(value).toEqual(Array(4).fill(access(1)))
    expect(server.forms).toHaveLength(1)
  })

  it('do not wait for a refresh while the old token is valid', async () => {
    const { server, sessions } = await two(tokenSet())
    server.script(() => new Promise<never>(() => {}))
    passQuickly(minutes(59) + 1)
    const ends = await Promise.all(sessions.map((each) => settle(each.token())))
    // Whichever comes to the store first refreshes.
    const [other, refreshing] = ends.sort((one, another) => one.ms - another.ms)
    expect(other).toMatchObject({ value: access(0), ms: 0 })
    expect(refreshing?.error).toMatchObject({ reason: 'lost' })
    expect(server.forms).toHaveLength(1)
  })

  it('send no refresh token again that one of them gave up', async () => {
    const { store, server, sessions } = await two(expired())
    server.script(broken('ECONNRESET', 'read'))
    const { update } = store
    let isFirst = true
    // The other one has read the tokens, and is about to note that it sends the refresh token.
    store.update = async (key, change) => {
      const result = await update(key, change)
      if (isFirst) {
        isFirst = false
        await sessions[1].token().catch(() => {})
      }
      return result
    }
    expect((await settle(sessions[0].token())).error).toMatchObject({ reason: 'lost' })
    expect(server.forms).toHaveLength(1)
  })

  it.each([
    ['waits for a refresh of another process that may be running', 59_000, 'no answer'],
    ['gives up the refresh token of a process that has died', 61_000, 'lost'],
    ['gives it up if the clock was set back', -61_000, 'lost'],
  ])('one of them %s', async (_, age, outcome) => {
    const { server, sessions } = await two(expired({ refreshSentAt: Date.now() + storeAheadMs - age }))
    const answer = sessions[0].token().catch((error: unknown) => (error as { reason: string }).reason)
    const wait = pass(900).then(() => 'no answer')
    expect([await Promise.race([answer, wait]), server.forms]).toEqual([outcome, []])
    await wait
    await settle(answer)
  })

  it('use the tokens of a new authorization that came while the server refused the refresh token', async () => {
    const { server, sessions } = await two(expired())
    server.script(async () => {
      await sessions[1].replace(tokenSet({ accessToken: access(7) }))
      return oauthError('invalid_grant')
    })
    expect((await settle(sessions[0].token())).value).toBe(access(7))
  })

  it('a stopped process stores its tokens when the other one gave up the refresh token', async () => {
    const { store, server, sessions } = await two(expired())
    server.script(async (form, request) => {
      passQuickly(minutes(2))
      expect(await sessions[1].token().catch((error: unknown) => error)).toMatchObject({ reason: 'lost' })
      return server.next(form, request)
    })
    expect((await settle(sessions[0].token())).value).toBe(access(1))
    expect((await settle(sessions[1].token())).value).toBe(access(1))
    expect(store.held?.refreshToken).toBe(refreshToken(1))
  })
})

describe('OAuthSession.signOut()', () => {
  it('removes the tokens and returns them, also during a refresh', async () => {
    const { server, session, store } = await setUp(expired())
    server.script(async (form, request) => {
      expect(await session.signOut()).toMatchObject({ refreshToken: refreshToken(0) })
      return server.next(form, request)
    })
    expect((await settle(session.token())).error).toMatchObject({ reason: 'no_tokens' })
    expect([store.held, await session.signOut()]).toEqual([null, null])
  })

  it('repeats no tokens when the store shows its row, nor does a later call', async () => {
    const { session, store } = await setUp()
    const { update } = store
    await settle(session.token())
    store.update = () => Promise.reject(new Error(`the row ${JSON.stringify(store.held)}`))
    for (const work of ['signOut', 'token'] as const) {
      const { message } = (await settle<unknown>(session[work]())).error as Error
      expect(message).toContain('the token store failed: the row')
      for (const secret of [access(0), refreshToken(0)]) expect(message).not.toContain(secret)
    }
    store.update = update
    expect((await settle(session.signOut())).value).toMatchObject({ accessToken: access(0) })
  })
})

describe('OAuthSession with a store that is late', () => {
  /** Two sessions of one user. The store has the tokens, and replies late. */
  const late = async (tokens: TokenSet) => {
    const { update } = memoryStore()
    const world = { replyMs: 0, isSilent: false }
    const store: SharedStore = {
      async update(key, change) {
        if (world.isSilent) return new Promise(() => {})
        const reply = await update(key, change)
        if (world.replyMs > 0) await new Promise((resolve) => setTimeout(resolve, world.replyMs))
        return reply
      },
    }
    const server = scriptedServer()
    const sessionOf = async () => (await makeOAuth({ store, fetch: server.fetch })).session()
    const [first, session] = [await sessionOf(), await sessionOf()]
    await first.replace(tokens)
    return { world, session }
  }

  it.each([
    ['are read', 0, tokenSet(), 50],
    ['are read for longer', 20, tokenSet(), 0],
    ['are renewed', 125, tokenSet({ expiresAt: 0 }), 50],
  ])('signs out while the tokens %s', async (_, ms, tokens, signOutMs) => {
    const { world, session } = await late(tokens)
    world.replyMs = 50
    const token = session.token().catch(() => {})
    await pass(ms)
    world.replyMs = signOutMs
    await settle(session.signOut())
    await settle(token)
    expect((await settle(session.token())).error).toMatchObject({ reason: 'no_tokens' })
  })

  it('uses new tokens that the store does not take, stores them once it works, and shows none', async () => {
    const { server, session, store } = await setUp(expired())
    const { set, update } = store
    refuseTokens(store)
    for (let call = 0; call < 2; call++) expect((await settle(session.token())).value).toBe(access(1))
    expect(store.held?.refreshToken).toBe(refreshToken(0))
    passQuickly(minutes(61))
    // It fails before it knows what is to be written.
    store.update = () => Promise.reject(new Error(`has ${access(1)}, ${refreshToken(1)}, ${refreshToken(0)}`))
    const { error } = await settle(session.token())
    expect(error).toMatchObject({ code: 'token_store' })
    expect((error as Error).message).toContain('only this process has the latest tokens')
    expect((error as Error).message).not.toMatch(/(access|refresh)_secret/)
    Object.assign(store, { set, update })
    expect((await settle(session.token())).value).toBe(access(2))
    expect(server.refreshed()).toEqual([refreshToken(0), refreshToken(1)])
    expect(store.held?.refreshToken).toBe(refreshToken(2))
  })

  it.each([
    ['signed out', (session: OAuthSession) => session.signOut(), undefined],
    ['authorized anew', (session: OAuthSession) => session.replace(tokenSet({ accessToken: 'new' })), 'new'],
  ])('uses no new tokens of a session that was %s during their refresh', async (_, change, token) => {
    const { server, session, store } = await setUp(expired())
    server.script(async (form, request) => {
      await change(session)
      store.update = () => Promise.reject(new Error('away'))
      return server.next(form, request)
    })
    await settle(session.token())
    expect((await settle(session.token())).value).toBe(token)
  })

  it('gives out no refused token again, and sends no refresh token twice when the store comes back as it was', async () => {
    const { server, session, store } = await setUp()
    const { held, set, update } = store
    await settle(session.token())
    refuseTokens(store)
    expect((await settle(session.refresh(access(0)))).error).toBeUndefined()
    expect((await settle(session.token())).value).toBe(access(1))
    expect((await settle(session.refresh(access(1)))).error).toMatchObject({ code: 'token_store' })
    Object.assign(store, { held, set, update })
    await pass(10_000)
    expect((await settle(session.token())).value).toBe(access(2))
    expect(server.refreshed()).toEqual([refreshToken(0), refreshToken(1)])
  })

  it('fails after ten seconds without a reply, and asks again', async () => {
    const { world, session } = await late(tokenSet())
    world.isSilent = true
    expect((await settle(session.token())).error).toMatchObject({ name: 'TokenStoreError' })
    world.isSilent = false
    expect((await settle(session.token())).value).toBe(access(0))
  })
})

it('OAuthSession.refresh() does nothing for a token that was already replaced', async () => {
  const { server, session } = await setUp()
  await settle(session.token())
  for (let times = 0; times < 2; times++) await settle(session.refresh(access(0)))
  expect(server.forms).toHaveLength(1)
  expect((await settle(session.token())).value).toBe(access(1))
})

describe('a refresh', () => {
  it('leaves the store empty when its tokens were removed meanwhile', async () => {
    const { server, session, store } = await setUp(expired())
    server.script((form, request) => {
      store.held = null
      return server.next(form, request)
    })
    for (let call = 0; call < 2; call++)
      expect((await settle(session.token())).error).toMatchObject({ reason: 'no_tokens' })
    expect(store.held).toBeNull()
  })

  it('does not store its tokens when the store got others meanwhile, even with the same access token', async () => {
    const { server, session, store } = await setUp(expired())
    server.script((form, request) => {
      store.held = tokenSet({ refreshToken: refreshToken(9) })
      return server.next(form, request)
    })
    expect((await settle(session.token())).value).toBe(access(0))
    expect(store.held?.refreshToken).toBe(refreshToken(9))
  })

  /** The random waits between attempts are long. */
  const waitLong = () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.9)
    onTestFinished(() => random.mockRestore())
  }

  it('does not retry with a refresh token that the store no longer holds', async () => {
    waitLong()
    const { server, session, store } = await setUp(expired())
    server.script(() => {
      setTimeout(() => (store.held = tokenSet({ accessToken: access(7) })), 400)
      return oauthError('temporarily_unavailable', 503)
    })
    expect((await settle(session.token())).value).toBe(access(7))
    expect(server.forms).toHaveLength(1)
  })

  const unreachable = broken('ECONNREFUSED', 'connect')
  const moved = { headers: { location: 'https://evil.example' }, status: 307 }
  const busy = (headers = {}) => oauthError('temporarily_unavailable', 503, headers)
  const unprocessed = (reason: string) => ({ code: 'oauth', reason, processed: 'no' })

  it.each<[string, TokenAnswer, times: number, error: object | null, sent: number, ms: number]>([
    ['was never sent', unreachable, 2, null, 3, 1000],
    ['failed at DNS', broken('ENOTFOUND', 'getaddrinfo'), 2, null, 3, 1000],
    ['got a 503', () => busy(), 2, null, 3, 1000],
    ['got a 500', () => oauthError('server_error', 500), 2, null, 3, 1000],
    ['got a 429', () => oauthError('slow_down', 429, { 'retry-after': '3' }), 2, null, 3, 6000],
    ['has to wait', () => busy({ 'retry-after': '7' }), 1, null, 2, 7000],
    ['has to wait for too long', () => busy({ 'retry-after': '60' }), 1, { retryAfter: 60 }, 1, 0],
    ['was never sent, three times', unreachable, 3, unprocessed('unreachable'), 3, 1000],
    ['got invalid_scope', () => oauthError('invalid_scope'), 1, unprocessed('invalid_scope'), 1, 0],
    ['is redirected', () => new Response(null, moved), 1, unprocessed('invalid_response'), 1, 0],
    ['got no OAuth error', () => json('<h1>No</h1>', 403), 1, unprocessed('invalid_response'), 1, 0],
  ])(
    'that %s is retried if that may help, and the session goes on',
    async (_, answer, times, error, sent, ms) => {
      waitLong()
      const { server, session, store } = await setUp(expired())
      server.script(...Array<TokenAnswer>(times).fill(answer), server.next)
      const first = await settle(session.token())
      if (error !== null) expect(first.error).toMatchObject(error)
      else expect(first.value).toBe(access(1))
      expect(server.refreshed()).toEqual(Array(sent).fill(refreshToken(0)))
      expect(first.ms).toBeGreaterThanOrEqual(ms)
      if (ms === 0) expect(first.ms).toBe(0)
      if (error !== null) expect(store.held?.refreshToken).toBe(refreshToken(0))
      expect((await settle(session.token())).value).toBe(access(1))
    },
  )

  it('is shared by all waiting calls, also when it fails', async () => {
    const { server, session } = await setUp(expired())
    server.script(() => oauthError('temporarily_unavailable', 503))
    await settle(Promise.allSettled(Array.from({ length: 20 }, () => session.token())))
    expect(server.forms).toHaveLength(3)
  })

  it('has a separate timeout', async () => {
    const { server, session } = await setUp(expired())
    server.script(() => new Promise<never>(() => {}))
    expect(await settle(session.token())).toMatchObject({ error: { reason: 'lost' }, ms: 30_000 })
  })

  it('does not end the session when its time ran out before Node could connect', async () => {
    const store = storeOf(expired())
    const session = (await makeOAuth({ store, fetch: undefined })).session()
    const asked: string[] = []
    onTestFinished(() => void vi.unstubAllGlobals())
    vi.stubGlobal('fetch', (url: string, { signal }: RequestInit) => {
      asked.push(url)
      const { origin, pathname: path } = new URL(url)
      channel('undici:request:create').publish({ request: { method: 'POST', origin, path } })
      return new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    })
    const { error } = await settle(session.token())
    const message = expect.stringContaining('no connection') as string
    expect(error).toMatchObject({ reason: 'timeout', processed: 'no', message })
    expect(asked).toEqual([endpoints.token])
    expect(store.held?.refreshToken).toBe(refreshToken(0))
  })

  it('does not overwrite the tokens of an exchange that comes meanwhile', async () => {
    const { server, session, store } = await setUp(expired())
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
