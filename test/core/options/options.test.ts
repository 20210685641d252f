import { afterEach, describe, expect, it, vi } from 'vitest'
import { CatalogClient } from '../../../src/extensions/catalog/index.ts'
import type { ClientOptions, Fetch } from '../../../src/index.ts'
import { ConfigurationError, CreditBudgetError, SocialSearch, createTransport } from '../../../src/index.ts'
import { lenientLimiter } from '../../support/limiter.ts'
import { baseUrl, apiKey } from '../../support/service.ts'

const good = { baseUrl, apiKey }
const wrong = (value: unknown): never => value as never
afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

/** The message with which options are refused. */
function refusal(options: unknown): string {
  try {
    new SocialSearch(options as ClientOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  throw new Error('the options were accepted')
}

const errorOf = async (call: PromiseLike<unknown>) => call.then(undefined, (error: unknown) => error as Error)

/** The request of a client with these options. */
async function requestOf(
  options: Partial<ClientOptions>,
  make = (own: ClientOptions) => new SocialSearch(own),
) {
  const fetch = vi.fn<Fetch>(() => Promise.resolve(new Response('', { status: 418 })))
  await errorOf(make({ ...options, fetch } as ClientOptions).organization.usage())
  return fetch.mock.lastCall![0]
}

/** What of a client would be used to send. */
function unused() {
  const fetch = vi.fn<Fetch>()
  const acquire = vi.fn()
  const isUnused = () => [...fetch.mock.calls, ...acquire.mock.calls].length === 0
  return { options: { fetch, limiter: { ...lenientLimiter(), acquire } }, isUnused }
}

describe('new SocialSearch()', () => {
  it.each([
    ['HTTPS://API.Example/v1', 'https://api.example/v1'],
    ['https://api.example./v1', 'https://api.example/v1'],
    ['https://api.example/v1/', 'https://api.example/v1'],
    ['https://api.example/v1//', 'https://api.example/v1'],
    ['https://api.example//v1/../v1', 'https://api.example/v1'],
    ['https://api.example/x/%2e%2E/v1/.', 'https://api.example/v1'],
    ['https://api.example\\v1', 'https://api.example/v1'],
    ['https://api.example/%76%31', 'https://api.example/v1'],
    ['https://api.example/%7euser/a%2fb', 'https://api.example/~user/a%2Fb'],
    ['https://api.example/%252e', 'https://api.example/%252e'],
    ['https://api.example', 'https://api.example'],
    ['https://api.example:8443/', 'https://api.example:8443'],
    ['http://LOCALHOST.:80/v1', 'http://localhost/v1'],
    ['http://app.localhost:4010/v1', 'http://app.localhost:4010/v1'],
    ['http://127.8.9.1:4010/v1', 'http://127.8.9.1:4010/v1'],
    ['http://[0:0::1]:4010/v1', 'http://[::1]:4010/v1'],
  ])('spells the baseUrl %j as %s, so that it is one address', async (given, spelled) => {
    for (const baseUrl of [given, spelled])
      expect((await requestOf({ ...good, baseUrl })).url).toBe(`${spelled}/organization/usage`)
  })

  it.each([
    ['', /^baseUrl is missing; pass the service's https:\/\/ URL$/],
    [undefined, /missing/],
    [5, /not a URL/],
    ['api.example/v1', /^baseUrl is not a URL; pass the service's https:\/\/ URL$/],
    ['http://api.example/v1', /must be https/],
    ['http://127.0.0.1.evil.example/v1', /must be https/],
    ['http://localhost.evil.example/v1', /must be https/],
    ['http://evillocalhost/v1', /must be https/],
    ['http://127.evil.example/v1', /must be https/],
    ['http://x127.0.0.1.evil.example/v1', /must be https/],
    ['ftp://api.example/v1', /must be https/],
    ['https://user@api.example/v1', /user name/],
    ['https://api.example/v1?', /query/],
    ['https://api.example/v1#', /fragment/],
  ])('refuses %j as baseUrl', (baseUrl, message) => {
    expect(refusal({ ...good, baseUrl })).toMatch(message)
  })

  it.each([
    [{ baseUrl: good.baseUrl }, /apiKey is missing/],
    [{ ...good, apiKey: '' }, /empty/],
    [{ ...good, apiKey: '"org_1"' }, /apiKey is in quotes; remove them/],
    [{ ...good, apiKey: 'abc\r\nX-Evil: 1' }, /printable ASCII.*character 4 of 14/],
    [{ ...good, apiKey: 'secret ключ' }, /printable ASCII/],
    [{ ...good, apiKey: 'secret 1' }, /printable ASCII/],
    [{ ...good, baseUrl: 'https://user:secret@api.example/v1' }, /user name/],
    [{ ...good, baseUrl: 'http://api.example/secret' }, /must be https/],
    [{ ...good, baseUrl: 'org_secret' }, /not a URL/],
    [{ ...good, apiKey: null }, /must be a string, got null/],
    [{ ...good, auth: { token: () => 't' } }, /either apiKey or auth/],
    [{ baseUrl: good.baseUrl, auth: {} }, /auth must implement token\(\)/],
    [{ ...good, timeOut: 5 }, /^unknown option timeOut; expected one of baseUrl, apiKey, /],
    [{ ...good, limits: { perSecond: 5 } }, /^unknown option limits.perSecond; expected one of inFlight, /],
    [{ ...good, retry: { tries: 5 } }, /^unknown option retry.tries; .* unknown, maxAttempts, maxWait$/],
    [{ ...good, prices: null }, /^prices must be an object, got null/],
    [
      { ...good, prices: { 'microblog.serch': 2 } },
      /^unknown option prices.microblog.serch; .* microblog.search, /,
    ],
    [{ ...good, limits: { surfaces: { microblog: 'all' } } }, /^unknown option limits.surfaces.microblog; /],
    [{ ...good, validation: 'loose' }, /^validation must be strict, lenient or off, got "loose"$/],
    [{ ...good, budget: 100 }, /budget must be new CreditBudget\(100\), got 100/],
    [{ ...good, hooks: {} }, /^unknown option hooks; expected one of baseUrl, apiKey, /],
    [{ ...good, headers: { Authorization: 'Bearer x' } }, /pass apiKey or auth/],
    [{ ...good, headers: { 'x-a': 'line\nbreak-secret' } }, /names and values that can be sent/],
    [{ ...good, limits: { inFlight: 3 } }, /limits.inFlight must be a whole number from 1 to 2, got 3/],
    [{ ...good, fetch: 'https' }, /fetch must be a function, got a string of 5 characters/],
    [{ ...good, logger: true }, /logger must be an object, got true/],
    [{ ...good, headers: 'x-a: b' }, /headers must be an object/],
    [{ ...good, headers: null }, /headers/],
    [{ ...good, headers: ['x-a: b'] }, /headers must be names and values that can be sent/],
    [{ ...good, headers: new Map([['Transfer-Encoding', 'chunked']]) }, /transfer-encoding; the runtime/],
    [{ ...good, organization: {} }, /organization must be a string/],
    [{ ...good, organization: '' }, /organization must be a string/],
    [{ ...good, limiter: {} }, /limiter must implement acquire\(\)/],
    [undefined, /options must be an object/],
  ])('refuses %j', (options, message) => {
    expect(refusal(options)).toMatch(message)
    expect(refusal(options)).not.toContain('secret')
  })

  it.each([0, 0.5, -1, Number.NaN, 2 ** 31, Infinity, '5000', null])(
    'refuses %s as a duration, as each call does, which is not sent',
    async (value) => {
      const { options: unusedOptions, isUnused } = unused()
      const client = new SocialSearch({ ...good, ...unusedOptions })
      for (const name of ['timeout', 'deadline', 'maxQueueWait', 'retry.maxWait']) {
        const options = name === 'retry.maxWait' ? { retry: { maxWait: value } } : { [name]: value }
        const error = await errorOf(client.microblog.search({ query: 'q' }, options as object))
        expect(error).toBeInstanceOf(ConfigurationError)
        for (const message of [refusal({ ...good, ...options }), (error as Error).message])
          expect(message).toContain(`${name} must be a number of milliseconds from 1 to 2147483647, got `)
      }
      expect(isUnused()).toBe(true)
    },
  )

  it.each([0, -1, 1.5, Number.NaN, '2', null])('refuses %s as a count', (value) => {
    for (const path of ['limits.inFlight', 'limits.perMinute', 'retry.maxAttempts']) {
      const [group = '', name = ''] = path.split('.')
      expect(refusal({ ...good, [group]: { [name]: value } })).toContain(`${path} must be a whole number`)
    }
  })
})

describe('in a browser', () => {
  const pretend = (href = 'https://app.example/dashboard') => {
    vi.stubGlobal('window', globalThis)
    vi.stubGlobal('document', {})
    vi.stubGlobal('location', { href })
  }

  it('new SocialSearch() refuses an apiKey unless dangerouslyAllowBrowser is set', () => {
    pretend()
    expect(refusal(good)).toMatch(/every visitor can read/)
    expect(() => new SocialSearch({ ...good, dangerouslyAllowBrowser: true })).not.toThrow()
  })

  it('new SocialSearch() refuses an apiKey in a worker of a page, and accepts one in a worker of a server', () => {
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0'
    vi.stubGlobal('navigator', { userAgent })
    expect(refusal(good)).toMatch(/every visitor can read/)
    for (const userAgent of ['Node.js/24', 'Deno/2.9.0', 'Bun/1.4.0', 'Cloudflare-Workers', undefined]) {
      vi.stubGlobal('navigator', { userAgent })
      expect(() => new SocialSearch(good)).not.toThrow()
    }
  })

  it('new SocialSearch() refuses a credential on a page without https, and works without one', () => {
    pretend('http://app.example/dashboard')
    const baseUrl = '/api/social'
    expect(() => new SocialSearch({ baseUrl })).not.toThrow()
    const auth = { token: () => 'token' }
    for (const options of [{ auth }, { apiKey, dangerouslyAllowBrowser: true }])
      expect(refusal({ baseUrl, ...options })).toMatch(/a page without https/)
    vi.stubGlobal('location', { href: 'http://localhost:5173/' })
    expect(() => new SocialSearch({ baseUrl, auth })).not.toThrow()
  })

  it.each(['//evil.example/v1', '/\\evil.example/v1', '/\t/evil.example/v1', '\\\\evil.example'])(
    'new SocialSearch() takes a path of its own origin, and not %j',
    async (baseUrl) => {
      pretend()
      expect(refusal({ baseUrl, auth: false })).toMatch(/not a URL|another origin/)
      const { url } = await requestOf({ baseUrl: '/api/social', auth: false })
      expect(url).toBe('https://app.example/api/social/organization/usage')
    },
  )

  it.each(['file:///app/index.html', 'about:srcdoc'])(
    'new SocialSearch() refuses a path in a page that has no origin: %s',
    (href) => {
      pretend(href)
      expect(refusal({ baseUrl: '/api/social', auth: false })).toMatch(/not a URL/)
    },
  )
})

describe('on a server that renders a page', () => {
  it.each([
    ['without a key', {}],
    ['with a key', { apiKey }],
    ['with a provider', { auth: { token: () => 'token' } }],
  ])('new SocialSearch() accepts a path %s, and each call fails unsent', async (_, credential) => {
    const { options, isUnused } = unused()
    const client = new SocialSearch({ baseUrl: '/api/social', ...options, ...credential })
    const said = ': not sent: baseUrl is a path, which needs a page; on a server, pass a full URL'
    const message: unknown = expect.stringContaining(said)
    for (const call of [client.microblog.search({ query: 'q' }), client.organization.usage()])
      expect(await errorOf(call)).toMatchObject({
        name: 'ConfigurationError',
        charged: 'no',
        attempts: [],
        message,
      })
    expect(isUnused()).toBe(true)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('new SocialSearch() still refuses other options', () => {
    expect(refusal({ baseUrl: '/api/social', timeout: 0 })).toMatch(/timeout must be/)
    expect(refusal({ baseUrl: '//evil.example/v1' })).toMatch(/not a URL/)
  })
})

describe('SocialSearch.fromEnv()', () => {
  it('reads base URL and key from the environment', async () => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', baseUrl)
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', apiKey)
    const { url, headers } = await requestOf({}, (options) => SocialSearch.fromEnv(options))
    expect([url, headers.get('authorization')]).toEqual([`${baseUrl}/organization/usage`, `Bearer ${apiKey}`])
  })

  it.each([
    ['SOCIAL_SEARCH_API_KEY', baseUrl, ''],
    ['SOCIAL_SEARCH_BASE_URL', undefined, apiKey],
  ])('makes a client whose calls fail unsent if %s is missing', async (name, url, key) => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', url)
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', key)
    const { options, isUnused } = unused()
    const error = await errorOf(SocialSearch.fromEnv(options).microblog.search({ query: 'q' }))
    const message = `microblog.search: not sent: set the environment variable ${name}`
    expect(error).toMatchObject({ name: 'ConfigurationError', message })
    expect(isUnused()).toBe(true)
  })
})

describe('error messages', () => {
  const client = new SocialSearch({ ...good, fetch: () => expect.unreachable() })
  const { planets } = new CatalogClient({ baseUrl, token: 'key' })

  it('use the singular for one', () => {
    expect(new CreditBudgetError({ needed: 1, remaining: 0 }).message).toContain('may cost 1 credit and')
  })

  it.each([
    [() => client.mentions.setState('men_1', wrong(null)), ': the body must be an object, got null'],
    [() => client.mentions.get('men_'), 'id must start with men_, with more after it, got "men_"'],
    [() => planets.update(wrong('seven'), {}), 'as a number that holds it exactly, got "seven"'],
  ])('explain what is wrong with a body or an id: %s', async (call, message) => {
    await expect(call()).rejects.toThrow(message)
  })

  it('do not appear for unknown ids in createTransport()', () => {
    expect(() => createTransport({ ...good, prices: { own: 1 } })).not.toThrow()
  })

  it.each([
    [{ signal: wrong(new AbortController()) }, 'signal must be an AbortSignal, got an object'],
    [{ singal: undefined }, 'unknown option singal; expected one of signal, '],
    [{ retry: { attempts: 2 } }, 'unknown option retry.attempts; expected one of unknown, '],
    [{ paging: { item: 'posts' } }, 'unknown option paging.item; expected one of items, next'],
    [{ schema: (value: unknown) => value }, 'schema must be a Standard Schema, got a function'],
  ])('name the option of a call as the user wrote it: %o', async (options, message) => {
    const call = client.microblog.search({ query: 'q' }, options as object)
    await expect(call).rejects.toThrow(`microblog.search: not sent: ${message}`)
  })
})
