import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import type { AuthProvider, ClientOptions } from '../../../src/index.ts'
import { settle } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import {
  type Step,
  failure,
  makeClient,
  ok,
  rateLimited,
  slow,
  virtualService,
} from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = virtualService()

const bearers = () => service.arrivals.map(({ headers }) => headers.get('authorization'))
const withAuth = (auth: ClientOptions['auth'], more: Partial<ClientOptions> = {}) =>
  makeClient({ apiKey: undefined, auth, ...more })
const unauthorized = () => failure(401, 'unauthorized')
const refused = { name: 'AuthenticationError' }
const statuses = (ends?: readonly PromiseSettledResult<unknown>[]) => ends?.map(({ status }) => status)

describe('apiKey', () => {
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
    const refresh = (refused: string) =>
      new Promise((resolve) => setTimeout(() => resolve(refreshes.push(refused)), 200))
    return { refreshes, token: () => `token_${refreshes.length}`, refresh }
  }

  it('refreshes once for many calls with the same refused token, and retries each once', async () => {
    const auth = rotating()
    const fetch = ({ headers }: Request) =>
      Promise.resolve(headers.get('authorization') === 'Bearer token_0' ? unauthorized() : ok())
    const client = withAuth(auth, { fetch, limits: { perMinute: false } })
    const calls = Array.from({ length: 50 }, () => client.microblog.search(query).withResponse())
    const { value } = await settle(Promise.all(calls))
    expect(auth.refreshes).toEqual(['token_0'])
    expect(value?.every(({ attempts }) => attempts.length <= 2)).toBe(true)
  })

  it('resends a free GET after a 401 without the service’s error body', async () => {
    const auth = rotating()
    service.script(new Response('<h1>Log in</h1>', { status: 401 }), ok({ requestId: 'r' }))
    const onWait = vi.fn()
    const { error } = await settle(withAuth(auth, { observers: [{ onWait }] }).organization.usage())
    // The refresh is no wait for a retry.
    expect([error, onWait.mock.calls, auth.refreshes]).toEqual([undefined, [], ['token_0']])
  })

  it('refreshes a refused token for the next call when only one attempt is allowed', async () => {
    service.script(unauthorized(), ok())
    const client = withAuth(rotating(), { retry: false })
    expect(await service.search(client)).toMatchObject({ error: refused, ms: 0, sent: 1 })
    expect((await service.search(client)).value?.posts).toHaveLength(1)
    expect(bearers()).toEqual(['Bearer token_0', 'Bearer token_1'])
  })

  it('causes no unhandled rejection when it cannot refresh and only one attempt is allowed', async () => {
    const auth = { token: () => 'token_0', refresh: () => Promise.reject(new Error('invalid_grant')) }
    service.script(unauthorized())
    expect(await service.search(withAuth(auth, { retry: false }))).toMatchObject({ error: refused })
  })

  it('is called again for a call that has queued, and frees its slot and its pace if it fails', async () => {
    service.script(() => ok())
    const start = performance.now()
    const minute = () => Math.floor((performance.now() - start) / 60_000)
    const failures = [() => Promise.reject(new Error('the vault is sealed'))]
    const token = () => (minute() === 2 && failures.pop()?.()) || `token_${minute()}`
    const client = withAuth({ token }, { limits: { perMinute: 1, inFlight: 1 } })
    const calls = Array.from({ length: 4 }, () => client.microblog.search(query).then())
    const { value } = await settle(Promise.allSettled(calls))
    expect(statuses(value)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(bearers()).toEqual(['Bearer token_0', 'Bearer token_1', 'Bearer token_2'])
  })

  it('does not send before the end of a 429 that came while it was asked for', async () => {
    service.script(
      slow(2500, () => rateLimited(10)),
      slow(2490),
      ok(),
    )
    const tokens = ['token_0', 'token_0']
    const slowly = () => new Promise<string>((resolve) => setTimeout(resolve, 30, 'token_1'))
    const client = withAuth({ token: () => tokens.shift() ?? slowly() }, { retry: false })
    const searches = [1, 2, 3].map(() => client.microblog.search(query).then())
    const { value } = await settle(Promise.allSettled(searches))
    expect(statuses(value)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(service.arrivals[2]!.at - service.arrivals[0]!.at).toBeGreaterThanOrEqual(12_500)
  })

  const upstream = failure(502, 'upstream_error')
  it.each<[string, Step[], maxAttempts: number | undefined, sent: number]>([
    ['no attempt of the policy', [unauthorized(), upstream], undefined, 4],
    ['one of maxAttempts when its first token is refused', [unauthorized(), upstream, ok()], 2, 2],
    ['one of maxAttempts when its last token is refused', [upstream, unauthorized(), ok()], 2, 2],
  ])('uses up %s', async (_, steps, maxAttempts, sent) => {
    const client = withAuth(rotating(), { retry: { maxAttempts } })
    expect(await service.script(...steps).search(client)).toMatchObject({ sent })
  })

  it('may refresh synchronously', async () => {
    service.script(unauthorized(), ok())
    let token = 'token_0'
    const plain = { token: () => token, refresh: () => (token = 'token_1') as never }
    expect((await service.search(withAuth(plain))).value?.posts).toHaveLength(1)
  })

  it('keeps a token out of the answer, headers and error of its call when 100 calls wait with a new one each', async () => {
    let [calls, answers] = [0, 0]
    const fetch = ({ headers }: Request) => {
      const bearer = headers.get('authorization') ?? ''
      const told = { requestId: `req_${bearer}`, others: [bearer], error: { code: 'x', message: bearer } }
      const init = { status: answers++ % 2 === 0 ? 400 : 200, headers: { 'x-echo': bearer } }
      return Promise.resolve(ok({ ...page(['1']), ...told }, init))
    }
    const token = () => `token_${++calls}_from_the_vault`
    const client = withAuth({ token }, { fetch, limits: { perMinute: false } })
    const search = () =>
      client.microblog
        .search(query)
        .withResponse()
        .then(
          ({ data, requestId, response }) => JSON.stringify([data, requestId, ...response.headers]),
          (error: unknown) => inspect(error, { showHidden: true, depth: Infinity }),
        )
    const { value } = await settle(Promise.all(Array.from({ length: 100 }, search)))
    expect(value?.filter((text) => text.includes('[redacted]'))).toHaveLength(100)
    expect(value?.filter((text) => text.includes('_from_the_vault'))).toEqual([])
  })

  it('is called again by the next call when a refresh failed or changed nothing', async () => {
    service.script(unauthorized())
    const problem = new Error('no network')
    let token = 'token_0'
    const refresh = vi.fn(() => Promise.resolve(void (token = 'token_1')))
    refresh.mockRejectedValueOnce(problem).mockResolvedValueOnce(undefined)
    const client = withAuth({ token: () => token, refresh })
    expect((await service.search(client)).error).toBe(problem)
    expect((await service.search(client)).error).toMatchObject(refused)
    service.script(unauthorized(), ok())
    expect((await service.search(client)).value?.posts).toHaveLength(1)
    expect(token).toBe('token_1')
  })

  it('does not refresh a token that it has already replaced', async () => {
    const auth = rotating()
    let turn = 0
    const fetch = () => {
      if (turn++ > 0) return Promise.resolve(ok())
      auth.refreshes.push('by itself')
      return client.organization.usage().then(unauthorized)
    }
    const client = withAuth(auth, { fetch })
    await service.search(client)
    expect(auth.refreshes).toEqual(['by itself'])
  })

  it('sends no Authorization when it is false', async () => {
    service.script(ok())
    await service.search(withAuth(false))
    expect(bearers()).toEqual([null])
  })
})
