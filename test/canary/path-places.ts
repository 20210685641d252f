import type * as OAuth from 'social-search-sdk/oauth'
import type { SharedStore } from 'social-search-sdk/shared'
import { type Sdk, type See, baseUrl, caught, search, type Tricks, failing, newOrganization } from './sdk.ts'
import { secrets } from './secrets.ts'
import * as service from './service.ts'

export async function misplaced({ root }: Sdk, see: See): Promise<void> {
  const { apiKey } = secrets
  const good = { baseUrl, apiKey, dangerouslyAllowBrowser: true }
  const options: object[] = [
    { baseUrl: apiKey, apiKey: baseUrl },
    { ...good, baseUrl: `http://${apiKey}` },
    { ...good, apiKey: `${apiKey}\n` },
    { ...good, headers: { 'x-key': `${apiKey}\nx` } },
    { ...good, headers: { authorization: apiKey } },
    { ...good, headers: { [apiKey]: 'a\nb' } },
    { ...good, limits: { inFlight: apiKey } },
    ...['timeout', 'retry', 'validation', 'budget', 'headers', 'auth'].map((name) => ({
      ...good,
      [name]: apiKey,
    })),
  ]
  for (const each of options) {
    see(
      'ConfigurationError',
      await caught(Promise.resolve().then(() => new root.SocialSearch(each as never))),
    )
  }
  const leak = (): never => {
    throw new Error(`the function failed with ${apiKey}`)
  }
  for (const headers of [leak, () => ({ [apiKey]: 'a\nb' }), () => apiKey as never]) {
    const leaky = new root.SocialSearch({ ...good, headers })
    see('ConfigurationError', await caught(leaky.microblog.search(search)))
  }
}

/** An authorization server that repeats what it gets, and stores with tokens that cannot be used. */
export async function oauth({ root, oauth: { createOAuthClient } }: Sdk, see: See): Promise<void> {
  const { token, refreshToken, clientSecret, code } = secrets
  const redirectUri = 'https://app.example/callback'
  const options = {
    endpoints: { authorization: 'https://as.example/authorize', token: 'https://as.example/token' },
    ...{ clientId: 'canary', redirectUri, baseUrl, scopes: ['offline_access'] },
  } satisfies OAuth.OAuthClientOptions
  const make = (trick: service.Trick, tokens?: object) => {
    const fetch = async (request: Request): Promise<Response> =>
      trick(`${await request.text()} ${request.headers.get('authorization')}`)
    const made = { ...options, fetch, ...(tokens && { store: storeOf(tokens) }) }
    // A browser refuses the secret of a client.
    return createOAuthClient({ ...made, clientSecret }).catch(() => createOAuthClient(made))
  }
  const storeOf = (tokens: object): SharedStore => {
    let text: string | undefined = JSON.stringify({
      ...{ accessToken: token, refreshToken, obtainedAt: 0, expiresAt: 1, ...tokens },
    })
    return {
      update: (_, change) => {
        const { value, result } = change(text, Date.now(), 0)
        text = value ?? text
        return Promise.resolve(result)
      },
    }
  }
  const callOf = (session: OAuth.OAuthSession): Promise<unknown> => {
    const organization = newOrganization()
    const fetch = (): Promise<Response> => Promise.resolve(service.refusal(401)(token))
    const made = new root.SocialSearch({ baseUrl, organization, auth: session, fetch })
    return caught(made.microblog.search(search))
  }
  for (const trick of [
    service.oauthError('invalid_client'),
    service.problem,
    service.htmlError,
    ...service.oddTokens,
    service.redirect,
    service.broken,
  ]) {
    const client = await make(trick)
    const { pending } = await client.authorizationUrl()
    const callback = `${redirectUri}?${new URLSearchParams({ code, state: pending.state })}`
    see('OAuthError', await caught(client.exchange(callback, pending)))
    const denied = new URLSearchParams({ error: code, error_description: code, code, state: pending.state })
    see('OAuthError', await caught(client.exchange(`${redirectUri}?${denied}`, pending)))
    see('an OAuth client and its sessions', client, client.session())
  }
  const callWith = async (trick: service.Trick, tokens: object): Promise<unknown> =>
    callOf((await make(trick, tokens)).session())
  see('OAuthError', await callWith(service.oauthError('invalid_client'), {}))
  for (const tokens of [{}, { refreshToken: undefined }, { refreshSentAt: 1 }])
    see('ReauthorizationRequiredError', await callWith(service.oauthError('invalid_grant'), tokens))
  for (const tokens of [{ accessToken: '' }, { obtainedAt: token }])
    see('TokenStoreError', await callWith(service.problem, tokens))
}

/** A Redis that refuses every script, and repeats what it gets. */
export async function sharedBudget({ root, shared }: Sdk, see: See): Promise<void> {
  const { apiKey } = secrets
  const refuse = (...sent: unknown[]): Promise<never> => Promise.reject(new Error(JSON.stringify(sent)))
  const client = { evalsha: refuse, eval: refuse } as never
  const budget = new shared.SharedBudget({ store: shared.redisStore(client), name: apiKey, limit: 10 })
  const made = new root.SocialSearch({ baseUrl, apiKey, budget, dangerouslyAllowBrowser: true })
  see('BudgetUnavailableError', await caught(budget.summary()))
  // An open one would try to cancel the reservation for as long as the process lives.
  await budget.close()
  see('BudgetUnavailableError', await caught(made.microblog.search(search)))
}

export async function notCached({ root, cache }: Sdk, see: See): Promise<void> {
  const { apiKey } = secrets
  const options = {
    baseUrl,
    apiKey,
    cache: new cache.ResultCache({ maxAge: 1000 }),
    dangerouslyAllowBrowser: true,
  }
  const client = new root.SocialSearch(options)
  see('NotCachedError', await caught(client.microblog.search(search, { cache: 'only' })))
}

/** A page, an error of each kind, and what the backend hears of it. */
export async function proxy({ root, proxy: { createProxy } }: Sdk, see: See): Promise<void> {
  const tricks: Tricks = { page: service.page({ hasMore: true }), escapes: service.escapedPage }
  for (const [name, trick] of failing) tricks[`${name} ${Object.keys(tricks).length}`] = trick
  for (const trick of Object.values(tricks)) {
    const options = {
      baseUrl,
      apiKey: secrets.apiKey,
      retry: false,
      timeout: 20,
      dangerouslyAllowBrowser: true,
    } as const
    const organization = newOrganization()
    const fetch = (): Promise<Response> => Promise.resolve(trick(secrets.apiKey))
    const handle = createProxy({
      client: new root.SocialSearch({ ...options, organization, fetch }),
      allow: ['microblog.search'],
      authorize: () => ({ id: 'ada' }),
      onError: (error, failure) => see('what onError of createProxy() hears', error, failure),
    })
    const headers = { 'content-type': 'application/json' }
    const path = 'https://app.example/api/data/microblog/tweets/search'
    const answer = await handle(new Request(path, { method: 'POST', headers, body: JSON.stringify(search) }))
    see('createProxy() and its answers', handle, answer.status, answer.statusText, [...answer.headers])
    see('createProxy() and its answers', answer, await answer.text())
  }
}

export async function receivers({ events }: Sdk, see: See): Promise<void> {
  const { eventSecret: secret } = secrets
  const schema = { '~standard': { version: 1, vendor: 'canary', validate: reject } } as const
  const verifiers = [
    ({ url, headers }: { url: URL; headers: Headers }) =>
      url.searchParams.get('key') === headers.get('x-key'),
    events.verifyStandardWebhooks({ secret: btoa(secret) }),
  ]
  for (const verify of verifiers) {
    const options = {
      verify,
      onError: (error: unknown) => {
        const isInvalid = error instanceof events.InvalidEventError
        see(isInvalid ? 'InvalidEventError' : 'what onError of createEventReceiver() hears', error)
      },
    }
    const plain = events.createEventReceiver({
      ...options,
      onEvent: (event) => {
        see('an event, but for its hidden delivery', { ...event })
        throw new Error('the work failed')
      },
    })
    const strict = events.createEventReceiver({ ...options, schema, onEvent: () => {} })
    for (const receive of [plain, strict]) {
      const url = `https://app.example/events?key=${encodeURIComponent(secret)}`
      const headers = { 'content-type': 'application/json', 'x-key': secret }
      const answer = await receive(new Request(url, { method: 'POST', headers, body: '{}' }))
      see(
        'createEventReceiver(), verifiers and answers',
        receive,
        verify,
        answer,
        [...answer.headers],
        await answer.text(),
      )
    }
  }
  const refusals = [
    () => events.verifyStandardWebhooks({ secret: `${secret}!` }),
    () => events.verifyStandardWebhooks({ secret: [btoa(secret), ''] }),
  ]
  for (const refuse of refusals) {
    see('ConfigurationError', await caught(Promise.resolve().then(refuse)))
  }
}

function reject(): { issues: { message: string; path: string[] }[] } {
  return { issues: [{ message: 'no', path: ['kind'] }] }
}

export async function catalog({ catalog: { CatalogClient } }: Sdk, see: See): Promise<void> {
  const { token } = secrets
  const fetch = (): Promise<Response> => Promise.resolve(service.problem(token))
  const made = new CatalogClient({ baseUrl, token, fetch, retry: false })
  const error = await caught(made.planets.create({ name: 'Aurora' }))
  see('ProblemError', error)
  see('CatalogClient', made)
}

export async function sandbox({ root, sandbox: { createSandbox } }: Sdk, see: See): Promise<void> {
  const { apiKey } = secrets
  const keys = [{ key: apiKey, scopes: ['search:read'] as const }]
  const made = createSandbox({ keys, limits: { perMinute: false }, now: new Date('2026-11-20T18:00:00Z') })
  const { fetch, requests, ledger } = made
  const backend = new root.SocialSearch({
    baseUrl: made.baseUrl,
    apiKey,
    fetch,
    dangerouslyAllowBrowser: true,
  })
  await backend.microblog.search(search)
  see('the sandbox’s requests, ledger and answers', made, requests, ledger)
  see('the sandbox’s requests, ledger and answers', await caught(backend.mentions.list()))
}
