import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { AuthProvider, ClientOptions, Wait } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import { failure, makeClient, ok, rateLimited, scriptedService } from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

const bearers = () => service.arrivals.map(({ headers }) => headers.get('authorization'))
const withAuth = (auth: ClientOptions['auth'] | undefined, more: Partial<ClientOptions> = {}) =>
  makeClient({ apiKey: undefined, auth, ...more })

describe('apiKey', () => {
  it('is called before each attempt when it is a function', async () => {
    service.script(failure(502, 'upstream_error'), ok())
    let calls = 0
    await settle(makeClient({ apiKey: () => Promise.resolve(`token_${++calls}`) }).microblog.search(query))
    expect(bearers()).toEqual(['Bearer token_1', 'Bearer token_2'])
  })

  it('fails the call, and is not shown, when its function returns one with a line break', async () => {
    const { error, sent } = await service.search({ apiKey: () => 'org_live_secret\nx' })
    expect([error, sent]).toMatchObject([{ name: 'ConfigurationError', charged: 'no' }, 0])
    expect(error).toHaveProperty('message', expect.stringContaining('what apiKey or auth returns must be'))
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('org_live')
  })
})

describe('auth', () => {
  function rotating(): AuthProvider & { refreshes: string[] } {
    const refreshes: string[] = []
    return {
      refreshes,
      token: () => `token_${refreshes.length}`,
      refresh: (refused) =>
        new Promise((resolve) => {
          setTimeout(() => resolve(refreshes.push(refused)), 200)
        }),
    }
  }

  const refusingToken0 = ({ headers }: Request) => {
    const isStale = headers.get('authorization') === 'Bearer token_0'
    return Promise.resolve(isStale ? failure(401, 'unauthorized') : ok())
  }

  it('refreshes once for many calls with the same refused token, and retries each once', async () => {
    const auth = rotating()
    const client = withAuth(auth, { fetch: refusingToken0, limits: { perMinute: false } })
    const { value } = await settle(
      Promise.all(Array.from({ length: 50 }, () => client.microblog.search(query).withResponse())),
    )
    expect(auth.refreshes).toEqual(['token_0'])
    expect(value?.every(({ attempts }) => attempts.length <= 2)).toBe(true)
  })

  it('resends a free GET after a 401 without the service’s error body', async () => {
    const auth = rotating()
    service.script(new Response('<h1>Log in</h1>', { status: 401 }), ok({ requestId: 'r' }))
    const waits: string[] = []
    const observers = [{ onWait: ({ reason }: Wait) => void waits.push(reason) }]
    const { error } = await settle(withAuth(auth, { observers }).organization.usage())
    // The refresh is no wait for a retry.
    expect([error, waits]).toEqual([undefined, []])
    expect(auth.refreshes).toEqual(['token_0'])
  })

  it('refreshes a refused token for the next call when only one attempt is allowed', async () => {
    service.script(failure(401, 'unauthorized'), ok())
    const client = withAuth(rotating(), { retry: false })
    const { error, ms } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'AuthenticationError' })
    expect(ms).toBe(0)
    expect(service.arrivals).toHaveLength(1)
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
    expect(bearers()).toEqual(['Bearer token_0', 'Bearer token_1'])
  })

  it('causes no unhandled rejection when it cannot refresh and only one attempt is allowed', async () => {
    service.script(failure(401, 'unauthorized'))
    const auth = { token: () => 'token_0', refresh: () => Promise.reject(new Error('invalid_grant')) }
    const { error } = await settle(withAuth(auth, { retry: false }).microblog.search(query))
    expect(error).toMatchObject({ name: 'AuthenticationError' })
  })

  it('is called again for a call that has queued, and frees its slot and its pace if it fails', async () => {
    service.script(() => ok())
    const start = performance.now()
    const minute = () => Math.floor((performance.now() - start) / 60_000)
    const problem = new Error('the vault is sealed')
    let fails = true
    const token = () => {
      if (minute() !== 2 || !fails) return `token_${minute()}`
      fails = false
      return Promise.reject(problem)
    }
    const client = withAuth({ token }, { limits: { perMinute: 1, inFlight: 1 } })
    const calls = Array.from({ length: 4 }, () => client.microblog.search(query).then())
    const { value } = await settle(Promise.allSettled(calls))
    expect(value?.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(bearers()).toEqual(['Bearer token_0', 'Bearer token_1', 'Bearer token_2'])
  })

  it('does not send before the end of a 429 that came while it was asked for', async () => {
    const answers: Record<string, [ms: number, answer: Response]> = {
      refused: [2500, rateLimited(10)],
      short: [2490, ok()],
      queued: [0, ok()],
    }
    const sent: Record<string, number> = {}
    const start = performance.now()
    const fetch = async (request: Request): Promise<Response> => {
      const { query } = (await request.json()) as { query: string }
      sent[query] = performance.now() - start
      const [ms, answer] = answers[query]!
      return new Promise((resolve) => setTimeout(() => resolve(answer), ms))
    }
    let calls = 0
    const slowly = () => new Promise<string>((resolve) => setTimeout(() => resolve('token_1'), 30))
    const client = withAuth({ token: () => (++calls > 2 ? slowly() : 'token_0') }, { fetch, retry: false })
    const searches = Object.keys(answers).map((query) => client.microblog.search({ query }).then())
    const { value } = await settle(Promise.allSettled(searches))
    expect(value?.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(sent['queued']).toBeGreaterThanOrEqual(12_500)
  })

  it('does not use up an attempt of the policy when it refreshes', async () => {
    service.script(failure(401, 'unauthorized'), failure(502, 'upstream_error'))
    await settle(withAuth(rotating()).microblog.search(query))
    expect(service.arrivals).toHaveLength(4)
  })

  it.each([
    ['first', [failure(401, 'unauthorized'), failure(502, 'upstream_error')]],
    ['last', [failure(502, 'upstream_error'), failure(401, 'unauthorized')]],
  ])('uses up one of maxAttempts when its token is refused %s', async (_, answers) => {
    service.script(...answers, ok())
    await settle(withAuth(rotating(), { retry: { maxAttempts: 2 } }).microblog.search(query))
    expect(service.arrivals).toHaveLength(2)
  })

  it('may refresh synchronously', async () => {
    service.script(failure(401, 'unauthorized'), ok())
    let token = 'token_0'
    const plain = { token: () => token, refresh: () => (token = 'token_1') as never }
    expect((await settle(withAuth(plain).microblog.search(query))).value?.posts).toHaveLength(1)
  })

  it('keeps a token out of the answer, headers and error of its call when 100 calls wait with a new one each', async () => {
    let calls = 0
    const auth = { token: () => `token_${++calls}_from_the_vault` }
    let answers = 0
    const fetch = ({ headers }: Request) => {
      const bearer = headers.get('authorization') ?? ''
      const told = { requestId: `req_${bearer}`, others: [bearer], error: { code: 'x', message: bearer } }
      const init = { status: answers++ % 2 === 0 ? 400 : 200, headers: { 'x-echo': bearer } }
      return Promise.resolve(new Response(JSON.stringify({ ...page(['1']), ...told }), init))
    }
    const client = withAuth(auth, { fetch, limits: { perMinute: false } })
    const all = Array.from({ length: 100 }, () => client.microblog.search(query).withResponse())
    const { value } = await settle(Promise.allSettled(all))
    const texts = value?.map((end) =>
      end.status === 'rejected'
        ? inspect(end.reason, { showHidden: true, depth: Infinity })
        : JSON.stringify([end.value.data, end.value.requestId, ...end.value.response.headers]),
    )
    expect(texts?.filter((text) => text.includes('[redacted]'))).toHaveLength(100)
    expect(texts?.filter((text) => text.includes('_from_the_vault'))).toEqual([])
  })

  it('is called again by the next call when a refresh failed or changed nothing', async () => {
    service.script(failure(401, 'unauthorized'))
    const problem = new Error('no network')
    const answers = [() => Promise.reject(problem), () => Promise.resolve()]
    let token = 'token_0'
    const renewed = () => Promise.resolve((token = 'token_1'))
    const auth = { token: () => token, refresh: () => (answers.shift() ?? renewed)() }
    const client = withAuth(auth)
    expect((await settle(client.microblog.search(query))).error).toBe(problem)
    expect((await settle(client.microblog.search(query))).error).toMatchObject({
      name: 'AuthenticationError',
    })
    service.script(failure(401, 'unauthorized'), ok())
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
    expect(token).toBe('token_1')
  })

  it('does not refresh a token that it has already replaced', async () => {
    const auth = rotating()
    let turn = 0
    const fetch = () => {
      if (turn++ > 0) return Promise.resolve(ok())
      auth.refreshes.push('by itself')
      return client.organization.usage().then(() => failure(401, 'unauthorized'))
    }
    const client = withAuth(auth, { fetch })
    await settle(client.microblog.search(query))
    expect(auth.refreshes).toEqual(['by itself'])
  })

  it('sends no Authorization when it is false', async () => {
    service.script(ok())
    await settle(withAuth(false).microblog.search(query))
    expect(bearers()).toEqual([null])
  })
})
