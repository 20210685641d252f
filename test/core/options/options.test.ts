import { organizationLimits } from '../../../src/api/limits.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, ConfigurationError, type Fetch, SocialSearch } from '../../../src/index.ts'

const good = { baseUrl: 'https://api.example/v1', apiKey: 'org_live_5f2b8c1d9e' }

function refusal(options: unknown): ConfigurationError {
  try {
    new SocialSearch(options as ClientOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return error as ConfigurationError
  }
  throw new Error('the options were accepted')
}

describe('new SocialSearch()', () => {
  it.each([
    'https://api.example/v1',
    'https://api.example/v1/',
    'http://localhost:4010/v1',
    'http://127.0.0.1:4010/v1',
    'http://127.8.9.1/v1',
    'http://app.localhost:4010/v1',
    'http://[::1]:4010/v1',
    'https://127.0.0.1.example/v1',
  ])('accepts %s as baseUrl', (baseUrl) => {
    expect(() => new SocialSearch({ ...good, baseUrl })).not.toThrow()
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
    ['javascript:alert(1)', /must be https/],
    ['https://user:pass@api.example/v1', /user name/],
    ['https://api.example/v1?x=1', /query/],
    ['https://api.example/v1#x', /fragment/],
    ['https://api.example/v1?', /query/],
    ['https://api.example/v1#', /fragment/],
  ])('refuses %j as baseUrl', (baseUrl, message) => {
    expect(refusal({ ...good, baseUrl }).message).toMatch(message)
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
    [
      { ...good, retry: { tries: 5 } },
      /^unknown option retry.tries; expected one of unknown, maxAttempts, maxWait$/,
    ],
    [{ ...good, prices: null }, /^prices must be an object, got null/],
    [
      { ...good, prices: { 'microblog.serch': 2 } },
      /^unknown option prices.microblog.serch; expected one of microblog.search, /,
    ],
    [
      { ...good, limits: { surfaces: { microblog: 'all' } } },
      /^unknown option limits.surfaces.microblog; expected one of /,
    ],
    [{ ...good, validation: 'loose' }, /^validation must be strict, lenient or off, got "loose"$/],
    [{ ...good, budget: 100 }, /budget must be new CreditBudget\(100\), got 100/],
    [{ ...good, hooks: {} }, /^unknown option hooks; expected one of baseUrl, apiKey, /],
    [{ ...good, headers: { Authorization: 'Bearer x' } }, /pass apiKey or auth/],
    [
      { ...good, headers: { 'x-a': 'line\nbreak-secret' } },
      /headers must be names and values that can be sent/,
    ],
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
    const error = refusal(options)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('secret')
  })

  it.each([0, 0.5, -1, Number.NaN, 2 ** 31, Infinity, '5000', null])(
    'refuses %s as a duration, as each call does, which is not sent',
    async (value) => {
      const fetch = vi.fn<Fetch>()
      const client = new SocialSearch({ ...good, fetch })
      for (const name of ['timeout', 'deadline', 'maxQueueWait', 'retry.maxWait']) {
        const options = name === 'retry.maxWait' ? { retry: { maxWait: value } } : { [name]: value }
        const call = client.microblog
          .search({ query: 'q' }, options as object)
          .catch((error: unknown) => error)
        for (const error of [refusal({ ...good, ...options }), await call]) {
          expect(error).toBeInstanceOf(ConfigurationError)
          expect((error as Error).message).toContain(
            `${name} must be a number of milliseconds from 1 to 2147483647, got `,
          )
        }
      }
      expect(fetch).not.toHaveBeenCalled()
    },
  )

  it.each([0, -1, 1.5, Number.NaN, '2', null])('refuses %s as a count', (value) => {
    expect(refusal({ ...good, limits: { inFlight: value } }).message).toMatch(
      /limits.inFlight must be a whole number/,
    )
    expect(refusal({ ...good, limits: { perMinute: value } }).message).toMatch(
      /limits.perMinute must be a whole number/,
    )
    expect(refusal({ ...good, retry: { maxAttempts: value } }).message).toMatch(
      /retry.maxAttempts must be a whole number/,
    )
  })
})

describe('in a browser', () => {
  afterEach(() => vi.unstubAllGlobals())
  const pretend = () => {
    vi.stubGlobal('window', globalThis)
    vi.stubGlobal('document', {})
    vi.stubGlobal('location', { href: 'https://app.example/dashboard' })
  }

  it('new SocialSearch() refuses an apiKey unless dangerouslyAllowBrowser is set', () => {
    pretend()
    expect(refusal(good).message).toMatch(/every visitor can read/)
    expect(() => new SocialSearch({ ...good, dangerouslyAllowBrowser: true })).not.toThrow()
  })

  it('new SocialSearch() refuses an apiKey in a worker of a page, and accepts one in a worker of a server', () => {
    vi.stubGlobal('navigator', {
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0',
    })
    expect(refusal(good).message).toMatch(/every visitor can read/)
    for (const userAgent of ['Node.js/24', 'Deno/2.9.0', 'Bun/1.4.0', 'Cloudflare-Workers', undefined]) {
      vi.stubGlobal('navigator', { userAgent })
      expect(() => new SocialSearch(good)).not.toThrow()
    }
  })

  it('new SocialSearch() refuses a credential on a page without https, and works without one', () => {
    pretend()
    vi.stubGlobal('location', { href: 'http://app.example/dashboard' })
    const baseUrl = '/api/social'
    expect(() => new SocialSearch({ baseUrl })).not.toThrow()
    const auth = { token: () => 'token' }
    for (const options of [{ auth }, { apiKey: good.apiKey, dangerouslyAllowBrowser: true }]) {
      expect(refusal({ baseUrl, ...options }).message).toMatch(/a page without https/)
    }
    vi.stubGlobal('location', { href: 'http://localhost:5173/' })
    expect(() => new SocialSearch({ baseUrl, auth })).not.toThrow()
  })

  it.each(['//evil.example/v1', '/\\evil.example/v1', '/\t/evil.example/v1', '\\\\evil.example'])(
    'new SocialSearch() takes a path of its own origin, and not %j',
    async (baseUrl) => {
      pretend()
      expect(refusal({ baseUrl, auth: false }).message).toMatch(/not a URL|another origin/)
      const fetch = vi.fn<Fetch>(() => Promise.resolve(new Response('', { status: 418 })))
      const client = new SocialSearch({ baseUrl: '/api/social', auth: false, fetch })
      await client.organization.usage().catch(() => {})
      expect(fetch.mock.calls[0]?.[0].url).toBe('https://app.example/api/social/organization/usage')
    },
  )

  it.each(['file:///app/index.html', 'about:srcdoc'])(
    'new SocialSearch() refuses a path in a page that has no origin: %s',
    (href) => {
      pretend()
      vi.stubGlobal('location', { href })
      expect(refusal({ baseUrl: '/api/social', auth: false }).message).toMatch(/not a URL/)
    },
  )
})

describe('on a server that renders a page', () => {
  it.each([
    ['without a key', {}],
    ['with a key', { apiKey: good.apiKey }],
    ['with a provider', { auth: { token: () => 'token' } }],
  ])('new SocialSearch() accepts a path %s, and each call fails unsent', async (_, credential) => {
    const fetch = vi.fn<Fetch>()
    const limiter = {
      acquire: vi.fn(),
      waitOf: () => null,
      limits: organizationLimits,
    }
    const client = new SocialSearch({ baseUrl: '/api/social', fetch, limiter, ...credential })
    for (const call of [client.microblog.search({ query: 'q' }), client.organization.usage()]) {
      const error: unknown = await call.catch((error: unknown) => error)
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(error).toMatchObject({ charged: 'no', attempts: [] })
      expect((error as Error).message).toContain(
        ': not sent: baseUrl is a path, which needs a page; on a server, pass a full URL',
      )
    }
    expect([fetch, limiter.acquire].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('new SocialSearch() still refuses other options', () => {
    expect(refusal({ baseUrl: '/api/social', timeout: 0 }).message).toMatch(/timeout must be/)
    expect(refusal({ baseUrl: '//evil.example/v1' }).message).toMatch(/not a URL/)
  })
})

describe('SocialSearch.fromEnv()', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('reads base URL and key from the environment', async () => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', good.baseUrl)
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', good.apiKey)
    const fetch = vi.fn<Fetch>(() => Promise.resolve(new Response('', { status: 418 })))
    await SocialSearch.fromEnv({ fetch })
      .microblog.search({ query: 'q' })
      .catch(() => {})
    expect(fetch.mock.calls[0]?.[0].headers.get('authorization')).toBe(`Bearer ${good.apiKey}`)
  })

  it.each([
    ['SOCIAL_SEARCH_API_KEY', good.baseUrl, ''],
    ['SOCIAL_SEARCH_BASE_URL', undefined, good.apiKey],
  ])('makes a client whose calls fail unsent if %s is missing', async (name, baseUrl, apiKey) => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', baseUrl)
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', apiKey)
    const fetch = vi.fn<Fetch>()
    const limiter = {
      acquire: vi.fn(),
      waitOf: () => null,
      limits: organizationLimits,
    }
    const client = SocialSearch.fromEnv({ fetch, limiter })
    const error: unknown = await client.microblog.search({ query: 'q' }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toBe(`microblog.search: not sent: set the environment variable ${name}`)
    expect([fetch, limiter.acquire].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
  })
})
