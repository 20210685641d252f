import { describe, expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../src/index.ts'
import type { OAuthClientOptions } from '../../src/extensions/oauth/index.ts'
import { json, makeOAuth, oauthError, refusal, scriptedServer, secrets, storeOf } from './helpers.ts'

const redirectUri = 'https://app.example/callback'
const pending = { state: 'state_4c1d', codeVerifier: secrets.verifier }
const callback = `${redirectUri}?code=${secrets.code}&state=${pending.state}`

describe('createOAuthClient()', () => {
  const metadata = {
    issuer: 'https://as.example',
    authorization_endpoint: 'https://as.example/authorize',
    token_endpoint: 'https://as.example/token',
  }
  const issuer = 'https://as.example'
  const discover = async (answers: Record<string, object>) => {
    const urls: string[] = []
    const fetch = ({ url }: Request) => {
      urls.push(url)
      const body = answers[new URL(url).pathname]
      return Promise.resolve(body ? json(body) : json('', 404))
    }
    return { urls, oauth: await makeOAuth({ endpoints: undefined, issuer, fetch }) }
  }
  const oauthPath = '/.well-known/oauth-authorization-server'
  const oidcPath = '/.well-known/openid-configuration'

  it('reads the endpoints from the issuer’s metadata, OAuth’s or OpenID Connect’s', async () => {
    const { oauth, urls } = await discover({ [oauthPath]: metadata })
    expect(urls).toEqual([`https://as.example${oauthPath}`])
    expect((await oauth.authorizationUrl()).url).toMatch(/^https:\/\/as\.example\/authorize\?/)
    const second = await discover({ [oidcPath]: metadata })
    expect(second.urls).toEqual([`https://as.example${oauthPath}`, `https://as.example${oidcPath}`])
  })

  it.each([
    ['of another issuer', { ...metadata, issuer: 'https://evil.example' }],
    ['without endpoints', { issuer: metadata.issuer }],
    ['with an endpoint without TLS', { ...metadata, token_endpoint: 'http://as.example/token' }],
  ])('refuses metadata %s', async (_, body) => {
    const work = discover({ [oauthPath]: body, [oidcPath]: body })
    expect(await refusal(work)).toMatchObject({ step: 'discovery', reason: 'invalid_response' })
  })

  it('requires the issuer in callbacks if the metadata says so', async () => {
    const body = { ...metadata, authorization_response_iss_parameter_supported: true }
    const { oauth } = await discover({ [oauthPath]: body })
    expect(await refusal(oauth.exchange(callback, pending))).toMatchObject({ reason: 'invalid_callback' })
  })

  it.each<[string, string[] | undefined, Partial<OAuthClientOptions>, boolean]>([
    ['the header', undefined, {}, false],
    ['the header', ['client_secret_post', 'client_secret_basic'], {}, false],
    ['the form', ['client_secret_post'], {}, true],
    ['the form', undefined, { clientAuthentication: 'client_secret_post' }, true],
  ])('sends its secret in %s when the server offers %j', async (_, offered, options, inForm) => {
    const server = scriptedServer()
    const described = json({ ...metadata, token_endpoint_auth_methods_supported: offered })
    const fetch = (request: Request) =>
      request.method === 'GET' ? Promise.resolve(described) : server.fetch(request)
    const oauth = await makeOAuth({ endpoints: undefined, issuer, fetch, ...options })
    await oauth.exchange(callback, pending)
    expect(server.forms[0]?.get('client_secret')).toBe(inForm ? secrets.clientSecret : null)
    expect(server.requests[0]?.headers.has('authorization')).toBe(!inForm)
  })

  it.each<[Partial<OAuthClientOptions>, RegExp]>([
    [{ endpoints: undefined }, /pass issuer, or endpoints/],
    [{ issuer: 'http://as.example' }, /issuer must be https/],
    [{ issuer: 'as.example' }, /issuer is not a URL/],
    [{ endpoints: { authorization: issuer, token: 'http://as.example' } }, /token must be https/],
    [{ clientId: '' }, /clientId/],
    [{ clientSecret: 5 as never }, /clientSecret/],
    [{ clientAuthentication: 'jwt' as never }, /clientAuthentication must be 'client_secret_basic'/],
    [{ redirectUri: '/callback' }, /redirectUri/],
    [{ baseUrl: 'http://api.example/v1' }, /baseUrl must be https/],
    [{ scopes: [] }, /scopes/],
    [{ store: {} as never }, /store must implement update/],
    [{ fetch: 5 as never }, /fetch/],
    [{ secret: 'x' } as never, /unknown option secret/],
  ])('refuses %j', async (options, message) => {
    await expect(makeOAuth(options)).rejects.toThrow(ConfigurationError)
    await expect(makeOAuth(options)).rejects.toThrow(message)
  })

  it('refuses a secret in a browser', async () => {
    vi.stubGlobal('window', {})
    vi.stubGlobal('document', {})
    await expect(makeOAuth()).rejects.toThrow(/every visitor can read/)
    await expect(makeOAuth({ clientSecret: undefined })).resolves.toBeDefined()
    vi.unstubAllGlobals()
  })

  it('accepts http on a loopback address', async () => {
    const endpoints = { authorization: 'http://127.0.0.1:1/authorize', token: 'http://localhost:1/token' }
    const server = scriptedServer()
    const oauth = await makeOAuth({ endpoints, fetch: server.fetch })
    await oauth.exchange(callback, pending)
    expect(server.requests[0]?.url).toBe('http://localhost:1/token')
  })
})

describe('OAuthClient.authorizationUrl()', () => {
  it('requests a code with PKCE, a state, the scopes and the audience', async () => {
    const oauth = await makeOAuth({ scopes: ['search:read', 'mentions:read', 'offline_access'] })
    const { url, pending } = await oauth.authorizationUrl({ prompt: 'consent' })
    const { origin, pathname, searchParams } = new URL(url)
    expect(origin + pathname).toBe('https://as.example/authorize')
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.codeVerifier))
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ response_type: 'code', client_id: 'dashboard', redirect_uri: redirectUri, state: pending.state },
      ...{ scope: 'search:read mentions:read offline_access', resource: 'https://api.example/v1' },
      code_challenge: Buffer.from(digest).toString('base64url'),
      code_challenge_method: 'S256',
      prompt: 'consent',
    })
    expect(JSON.parse(JSON.stringify(pending))).toEqual(pending)
  })

  it('makes a new state and verifier each time, which extra parameters do not replace', async () => {
    const oauth = await makeOAuth({ baseUrl: 'https://api.example:8443/gateway/v1' })
    const [first, second] = [await oauth.authorizationUrl({ state: 'mine' }), await oauth.authorizationUrl()]
    expect(first.pending.state).not.toBe(second.pending.state)
    expect(first.pending.codeVerifier).not.toBe(second.pending.codeVerifier)
    const { searchParams } = new URL(first.url)
    expect(searchParams.getAll('state')).toEqual([first.pending.state])
    // The audience is at the origin of the base URL.
    expect(searchParams.get('resource')).toBe('https://api.example:8443/v1')
  })
})

describe('OAuthClient.exchange()', () => {
  it.each([callback, new URL(callback), new URL(callback).pathname + new URL(callback).search])(
    'stores the tokens for %s',
    async (url) => {
      const server = scriptedServer()
      const store = storeOf(null)
      const oauth = await makeOAuth({ fetch: server.fetch, store })
      const session = await oauth.exchange(url, pending)
      expect(Object.fromEntries(server.forms[0] ?? [])).toEqual({
        ...{ grant_type: 'authorization_code', code: secrets.code, code_verifier: secrets.verifier },
        ...{ redirect_uri: redirectUri, resource: 'https://api.example/v1' },
      })
      expect(store.held).toMatchObject({ accessToken: `${secrets.access}_1` })
      expect(session).toBe(oauth.session())
      expect(await session.token()).toBe(`${secrets.access}_1`)
    },
  )

  it('keeps the tokens of several users apart', async () => {
    const server = scriptedServer()
    const oauth = await makeOAuth({ fetch: server.fetch })
    await oauth.exchange(callback, pending, 'ann')
    await oauth.exchange(callback, pending, 'bob')
    expect(await oauth.session('ann').token()).toBe(`${secrets.access}_1`)
    expect(await oauth.session('bob').token()).toBe(`${secrets.access}_2`)
    expect(oauth.session('ann')).toBe(oauth.session('ann'))
    await expect(oauth.session().token()).rejects.toMatchObject({ reason: 'no_tokens' })
  })

  const notPending = [undefined, null, {}, { state: '', codeVerifier: 'x' }, { state: 'x' }]
  it.each<[string, Partial<{ url: string; pending: unknown; user: unknown[] }>]>([
    ...[undefined, null, '', 42].map((user): [string, object] => [
      ...(['user must be a string that is not empty, got', { user: [user] }] as const),
    ]),
    ...notPending.map((pending): [string, object] => [
      ...(['pending must be what authorizationUrl() returned', { pending }] as const),
    ]),
    ['neither a URL nor a path', { url: 'http://[' }],
  ])('refuses, before anything is sent: %s %j', async (message, given) => {
    const server = scriptedServer()
    const oauth = await makeOAuth({ fetch: server.fetch })
    const { url, pending: kept, user } = { url: callback, pending, user: [], ...given }
    const exchange = () => oauth.exchange(url, kept as never, ...(user as []))
    await expect(exchange()).rejects.toThrow(ConfigurationError)
    await expect(exchange()).rejects.toThrow(message)
    if (given.user) expect(() => oauth.session(...(given.user as []))).toThrow(message)
    expect(server.forms).toEqual([])
  })

  it.each([
    ['the state of another request', `?code=${secrets.code}&state=other`, 'invalid_callback'],
    ['no state', `?code=${secrets.code}`, 'invalid_callback'],
    ['no code', `?state=${pending.state}`, 'invalid_callback'],
    ['another issuer', `?code=x&state=${pending.state}&iss=https://evil.example`, 'invalid_callback'],
    ['a refusal', `?error=access_denied&error_description=no&state=${pending.state}`, 'access_denied'],
    ['a refusal of another request', '?error=access_denied&state=other', 'invalid_callback'],
  ])('refuses a callback with %s, and sends nothing', async (_, query, reason) => {
    const server = scriptedServer()
    const oauth = await makeOAuth({ fetch: server.fetch, issuer: 'https://as.example' })
    const error = await refusal(oauth.exchange(redirectUri + query, pending))
    expect(error).toMatchObject({ step: 'authorization', reason, processed: 'no' })
    expect(server.forms).toHaveLength(0)
  })

  it('accepts a callback that names the issuer', async () => {
    const oauth = await makeOAuth({ fetch: scriptedServer().fetch, issuer: 'https://as.example' })
    await expect(oauth.exchange(`${callback}&iss=https://as.example`, pending)).resolves.toBeDefined()
  })

  it.each(['mac', 'DPoP', 5])('refuses tokens of the type %s', async (type) => {
    const server = scriptedServer()
    server.script(() => json({ access_token: 'x', token_type: type }))
    const oauth = await makeOAuth({ fetch: server.fetch })
    expect(await refusal(oauth.exchange(callback, pending))).toMatchObject({ reason: 'invalid_response' })
  })
})

describe('an OAuth client', () => {
  it('does not repeat its secret in the encoding of the header', async () => {
    const echo = (request: Request) =>
      json({ error: 'x', error_description: request.headers.get('authorization') }, 400)
    const oauth = await makeOAuth({ fetch: (request) => Promise.resolve(echo(request)) })
    const { message } = await refusal(oauth.exchange(callback, pending))
    expect(message).toBe('exchange: the authorization server responded with x (Basic [redacted])')
  })

  it.each([[''], [5], [{}]])(
    'tells the error of a server that describes it as %j',
    async (error_description) => {
      const oauth = await makeOAuth({
        fetch: () => Promise.resolve(json({ error: 'x', error_description }, 400)),
      })
      const { message } = await refusal(oauth.exchange(callback, pending))
      expect(message).toBe('exchange: the authorization server responded with x')
    },
  )

  it('suggests client_secret_post when the server refuses the header', async () => {
    const said = 'exchange: the authorization server responded with invalid_client (in words)'
    const advice = "; if the secret is right, set clientAuthentication: 'client_secret_post'"
    for (const [clientAuthentication, message] of [
      ['client_secret_basic', said + advice],
      ['client_secret_post', said],
    ] as const) {
      const fetch = () => Promise.resolve(oauthError('invalid_client', 401))
      const oauth = await makeOAuth({ fetch, clientAuthentication })
      expect(await refusal(oauth.exchange(callback, pending))).toMatchObject({ message })
    }
  })

  it('does not repeat the beginning of a secret when a long reason is shortened', async () => {
    const words = `${'x'.repeat(195)}${secrets.code}`
    const oauth = await makeOAuth({ fetch: () => Promise.reject(new TypeError(words)) })
    const { message } = await refusal(oauth.exchange(callback, pending))
    expect(message).not.toContain(secrets.code.slice(0, 4))
  })
})
