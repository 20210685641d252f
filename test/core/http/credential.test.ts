import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ApiError,
  type AuthProvider,
  type ClientOptions,
  type SocialSearchError,
} from '../../../src/index.ts'
import { settle, useVirtualTime } from '../../support/clock.ts'
import {
  type Step,
  apiKey,
  baseUrl,
  failure,
  makeClient,
  ok,
  scriptedService,
  unreachable,
} from '../../support/service.ts'

const service = scriptedService()
beforeEach(useVirtualTime)
afterEach(() => vi.useRealTimers())

const query = { query: 'rust' }
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

  it.each(['', 'line\nbreak', 'ключ', ' key', undefined, 5])(
    'is refused before sending when the function returns %j',
    async (key) => {
      service.script(ok())
      const { error } = await settle(makeClient({ apiKey: () => key as string }).microblog.search(query))
      expect(error).toMatchObject({ name: 'ConfigurationError', charged: 'no' })
      expect((error as Error).message).not.toContain('ключ')
      expect(service.arrivals).toHaveLength(0)
    },
  )

  it('is not retried after a 401', async () => {
    service.script(failure(401, 'unauthorized'))
    const { error } = await settle(makeClient().microblog.search(query))
    expect(error).toMatchObject({ name: 'AuthenticationError', code: 'unauthorized' })
    expect(service.arrivals).toHaveLength(1)
  })

  it('rejects with the error of its function', async () => {
    const problem = new TypeError('the vault is sealed')
    const { error } = await settle(
      makeClient({ apiKey: () => Promise.reject(problem) }).microblog.search(query),
    )
    expect(error).toBe(problem)
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

  it('refreshes once for many calls with the same refused token, and retries each once', async () => {
    const auth = rotating()
    const fetch = (request: Request) => {
      const stale = request.headers.get('authorization') === 'Bearer token_0'
      return Promise.resolve(stale ? failure(401, 'unauthorized') : ok())
    }
    const client = withAuth(auth, { fetch, limits: { perMinute: false } })
    const { value } = await settle(
      Promise.all(Array.from({ length: 50 }, () => client.microblog.search(query).withResponse())),
    )
    expect(auth.refreshes).toEqual(['token_0'])
    expect(value?.every(({ attempts }) => attempts.length <= 2)).toBe(true)
  })

  it('does not resend a paid call after a 401 without the service’s error body', async () => {
    const auth = rotating()
    service.script(new Response('<h1>Log in</h1>', { status: 401 }), ok())
    const client = withAuth(auth)
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'AuthenticationError', charged: 'unknown' })
    expect(service.arrivals).toHaveLength(1)
    expect(client.credits.uncertain).toBe(2)
  })

  it('resends a free GET after a 401 without the service’s error body', async () => {
    const auth = rotating()
    service.script(new Response('<h1>Log in</h1>', { status: 401 }), ok({ requestId: 'r' }))
    const { error } = await settle(withAuth(auth).organization.usage())
    expect(error).toBeUndefined()
    expect(auth.refreshes).toEqual(['token_0'])
  })

  it('is called once for all clients that share it', async () => {
    const auth = rotating()
    const fetch = (request: Request) =>
      Promise.resolve(
        request.headers.get('authorization') === 'Bearer token_0' ? failure(401, 'unauthorized') : ok(),
      )
    const clients = [withAuth(auth, { fetch }), withAuth(auth, { fetch })]
    await settle(Promise.all(clients.map((client) => client.microblog.search(query))))
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

  it('is called again for a call that has queued, and frees the slot if it fails', async () => {
    service.script(() => ok())
    const start = performance.now()
    const minute = () => Math.floor((performance.now() - start) / 60_000)
    const problem = new Error('the vault is sealed')
    const auth = { token: () => (minute() === 2 ? Promise.reject(problem) : `token_${minute()}`) }
    const client = withAuth(auth, { limits: { perMinute: 1, inFlight: 1 } })
    const calls = Array.from({ length: 4 }, () => client.microblog.search(query).then())
    const { value } = await settle(Promise.allSettled(calls))
    expect(value?.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(bearers()).toEqual(['Bearer token_0', 'Bearer token_1', 'Bearer token_3'])
  })

  it('may fail to refresh when no call waits for it', async () => {
    service.script(failure(401, 'unauthorized'))
    const auth = { token: () => 'token_0', refresh: () => Promise.reject(new Error('no network')) }
    const { error } = await settle(withAuth(auth, { retry: false }).microblog.search(query))
    expect(error).toMatchObject({ name: 'AuthenticationError' })
  })

  it('does not use up an attempt of the policy when it refreshes', async () => {
    service.script(failure(401, 'unauthorized'), failure(502, 'upstream_error'))
    await settle(withAuth(rotating()).microblog.search(query))
    expect(service.arrivals).toHaveLength(4)
  })

  it('may refresh synchronously, and ends with its call when it hangs', async () => {
    service.script(failure(401, 'unauthorized'), ok())
    let token = 'token_0'
    const plain = { token: () => token, refresh: () => (token = 'token_1') as never }
    expect((await settle(withAuth(plain).microblog.search(query))).value?.posts).toHaveLength(1)
    service.script(failure(401, 'unauthorized'))
    const hanging = { token: () => 'token_0', refresh: () => new Promise(() => {}) }
    const { error, ms } = await settle(withAuth(hanging, { deadline: 700 }).microblog.search(query))
    expect(error).toMatchObject({ name: 'TimeoutError' })
    expect(ms).toBe(700)
  })

  it('keeps its tokens out of every error', async () => {
    service.script(failure(400, 'validation_error', { error: { message: 'no token_from_the_vault' } }))
    const { error } = await settle(withAuth({ token: () => 'token_from_the_vault' }).microblog.search(query))
    expect(inspect(error, { showHidden: true, depth: Infinity })).toMatch(/no \[redacted\]/)
  })

  it('fails with AuthenticationError when the new token is refused as well', async () => {
    service.script(failure(401, 'unauthorized'))
    const auth = rotating()
    const { error } = await settle(withAuth(auth).microblog.search(query))
    expect(error).toMatchObject({ name: 'AuthenticationError' })
    expect(bearers()).toEqual(['Bearer token_0', 'Bearer token_1'])
    expect(auth.refreshes).toHaveLength(1)
  })

  it('continues to refresh for other calls when one call aborts', async () => {
    const auth = rotating()
    service.script(failure(401, 'unauthorized'), failure(401, 'unauthorized'), () => ok())
    const client = withAuth(auth)
    const abort = new AbortController()
    setTimeout(() => abort.abort('left'), 100)
    const { value } = await settle(
      Promise.allSettled([
        client.microblog.search(query, { signal: abort.signal }),
        client.microblog.search(query),
      ]),
    )
    expect(value?.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(auth.refreshes).toHaveLength(1)
  })

  it('rejects the calls when the refresh fails', async () => {
    const problem = new Error('invalid_grant')
    service.script(failure(401, 'unauthorized'))
    const auth = { token: () => 'token_0', refresh: () => Promise.reject(problem) }
    const { error } = await settle(withAuth(auth).microblog.search(query))
    expect(error).toBe(problem)
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

describe('the key', () => {
  const quoted = 'org_"quoted"\\key'
  const echo = (status: number, key: string): Step =>
    new Response(
      JSON.stringify({
        requestId: `req ${key}`,
        error: { code: 'x', message: `no: ${key}`, issues: [{ path: key, message: key }] },
      }),
      { status },
    )
  const escaped = (key: string) =>
    Array.from(key, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  const failureWithId = (requestId: string) =>
    new Response(JSON.stringify({ requestId, error: { code: 'upstream_error' } }), { status: 502 })
  const answers: [name: string, step: (key: string) => Step][] = [
    ['400', (key) => echo(400, key)],
    ['401', (key) => echo(401, key)],
    ['403', (key) => echo(403, key)],
    ['429', (key) => echo(429, key)],
    ['502', (key) => echo(502, key)],
    ['502 as HTML', (key) => new Response(`<p>${key}</p>`, { status: 502 })],
    ['200 as HTML', (key) => ok(`<p>${key}</p>`)],
    ['200 of another shape', (key) => ok({ requestId: key, posts: key, meta: {} })],
    [
      '400 in escapes',
      (key) =>
        new Response(`{"requestId":"r","error":{"code":"x","message":"${escaped(key)}"}}`, { status: 400 }),
    ],
    ['200 in escapes', (key) => ok(`{"requestId":"r","posts":"${escaped(key)}"}`)],
    ['an id in pieces', (key) => failureWithId(`${key.slice(0, 3)}\u200b${key.slice(3)}`)],
    ['307', (key) => new Response(null, { status: 307, headers: { location: `https://x.example/?${key}` } })],
    ['a network failure', () => unreachable()],
  ]

  it.each(answers.flatMap(([name, step]) => [apiKey, quoted].map((key) => [name, key, step] as const)))(
    'does not show in errors, logs or inspection when the service echoes it with %s (%s)',
    async (_, key, step) => {
      service.script(step(key))
      const seen: unknown[] = []
      const write = (...line: unknown[]) => void seen.push(line)
      const client = makeClient({
        apiKey: key,
        logger: { debug: write, info: write, warn: write, error: write },
        retry: { maxAttempts: 2 },
      })
      const call = client.microblog.search(query)
      const { error } = await settle(call)
      seen.push(client, client.credits, call, error, (error as SocialSearchError).attempts)
      if (error instanceof ApiError) seen.push(error.issues)
      const deep = {
        depth: Infinity,
        showHidden: true,
        getters: true,
        maxStringLength: Infinity,
        maxArrayLength: Infinity,
      }
      const shown = [
        inspect(seen, deep),
        JSON.stringify(seen),
        JSON.stringify(error, Object.getOwnPropertyNames(error)),
        String((error as Error).stack),
        String(error),
      ].join('\n')
      expect(seen.length).toBeGreaterThan(5)
      expect(shown).not.toContain(key)
      expect(shown).not.toContain(JSON.stringify(key).slice(1, -1))
      expect(shown).not.toContain(encodeURIComponent(key))
    },
  )

  it('does not show in part when the text of a failure is shortened', async () => {
    const lengths = Array.from({ length: apiKey.length + 'Bearer '.length }, (_, i) => 200 - i)
    for (const length of lengths) {
      const words = `${'x'.repeat(length)} Bearer ${apiKey}`
      const client = makeClient({ fetch: () => Promise.reject(new TypeError(words)), retry: false })
      const { error } = await settle(client.microblog.search(query))
      expect((error as SocialSearchError).message).toContain('x'.repeat(length))
      expect(inspect(error)).not.toContain(apiKey.slice(0, 4))
    }
  })

  it('does not show in a header of a response, nor in the name of one', async () => {
    const headers = { [`x-${apiKey}`]: '1', 'x-echo': `a ${apiKey}`, 'x-other': '2' }
    const { body } = ok()
    service.script(new Response(body, { headers }))
    const { value } = await settle(makeClient().microblog.search(query).withResponse())
    const found = Object.fromEntries(value?.response.headers ?? [])
    expect(found).toMatchObject({ 'x-echo': 'a [redacted]', 'x-other': '2' })
    expect(JSON.stringify(found)).not.toContain(apiKey)
  })

  it('is not seen by middleware, before or after sending', async () => {
    service.script(ok())
    const seen: string[] = []
    const client = makeClient({
      middleware: [
        async (request, next) => {
          seen.push(inspect([...request.headers]))
          const response = await next(request)
          seen.push(inspect([...request.headers]), inspect(response, { depth: Infinity, showHidden: true }))
          return response
        },
      ],
    })
    await settle(client.microblog.search(query))
    expect(bearers()).toEqual([`Bearer ${apiKey}`])
    expect(seen.join()).not.toContain(apiKey)
  })

  it('is not sent to another origin by a middleware', async () => {
    service.script(ok())
    const client = makeClient({
      middleware: [(request, next) => next(new Request('https://evil.example/v1', request))],
    })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'ConfigurationError', charged: 'no' })
    expect((error as Error).message).toContain('https://evil.example')
    expect(service.arrivals).toHaveLength(0)
    expect(baseUrl).not.toContain('evil')
  })
})
