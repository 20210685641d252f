import type * as OAuth from 'social-search-sdk/oauth'
import type { SharedStore } from 'social-search-sdk/shared'
import { type Place, type Sdk, baseUrl, caught, failing, newOrganization, search } from './sdk.ts'
import { secrets } from './secrets.ts'
import * as service from './service.ts'

const { apiKey, token, refreshToken, clientSecret, code, eventSecret } = secrets

/** What shows options in the wrong place, and each import path. */
export function pathPlaces(sdk: Sdk): Place[] {
  return [
    ...misplaced(sdk).map((work): Place => ['ConfigurationError', work]),
    ...oauthPlaces(sdk),
    ...unavailableBudget(sdk),
    ['NotCachedError', () => notCached(sdk)],
    ...proxyPlaces(sdk),
    ...receiverPlaces(sdk),
    ...catalogPlaces(sdk),
    ['the sandbox’s requests, ledger and answers', () => sandboxWithKey(sdk)],
  ]
}

/** A secret where it does not belong, and functions of the user that fail with one. */
function misplaced({ root, events }: Sdk): (() => unknown)[] {
  const good = { baseUrl, apiKey, dangerouslyAllowBrowser: true }
  const names = ['timeout', 'retry', 'validation', 'budget', 'headers', 'auth']
  const options: object[] = [
    { baseUrl: apiKey, apiKey: baseUrl },
    { ...good, baseUrl: `http://${apiKey}` },
    { ...good, apiKey: `${apiKey}\n` },
    { ...good, headers: { 'x-key': `${apiKey}\nx` } },
    { ...good, headers: { authorization: apiKey } },
    { ...good, headers: { [apiKey]: 'a\nb' } },
    { ...good, limits: { inFlight: apiKey } },
    ...names.map((name) => ({ ...good, [name]: apiKey })),
  ]
  const leak = (): never => {
    throw new Error(`the function failed with ${apiKey}`)
  }
  const functions = [leak, () => ({ [apiKey]: 'a\nb' }), () => apiKey as never]
  const secretsOfEvents = [`${eventSecret}!`, [btoa(eventSecret), '']]
  return [
    ...options.map((each) => () => new root.SocialSearch(each as never)),
    ...functions.map((headers) => () => new root.SocialSearch({ ...good, headers }).microblog.search(search)),
    ...secretsOfEvents.map((secret) => () => events.verifyStandardWebhooks({ secret })),
  ]
}

/** An authorization server that repeats what it gets, and stores with tokens that cannot be used. */
function oauthPlaces({ root, oauth: { createOAuthClient } }: Sdk): Place[] {
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
  const callWith = async (trick: service.Trick, tokens: object): Promise<unknown> => {
    const fetch = (): Promise<Response> => Promise.resolve(service.refusal(401)(token))
    const auth = (await make(trick, tokens)).session()
    return new root.SocialSearch({ baseUrl, organization: newOrganization(), auth, fetch }).microblog.search(
      search,
    )
  }
  const tricks = [
    service.oauthError('invalid_client'),
    service.problem,
    service.htmlError,
    ...service.oddTokens,
    service.redirect,
    service.broken,
  ]
  const denial = { error: code, error_description: code, code }
  const exchange = (trick: service.Trick, answer: object) => async () => {
    const client = await make(trick)
    const { pending } = await client.authorizationUrl()
    const query = new URLSearchParams({ ...answer, state: pending.state })
    return client.exchange(`${redirectUri}?${query}`, pending)
  }
  const lost = service.oauthError('invalid_grant')
  return [
    ...tricks.flatMap((trick): Place[] => [
      ['OAuthError', exchange(trick, { code })],
      ['OAuthError', exchange(trick, denial)],
    ]),
    ['OAuthError', () => callWith(service.oauthError('invalid_client'), {})],
    ['ReauthorizationRequiredError', () => callWith(lost, {})],
    ['ReauthorizationRequiredError', () => callWith(lost, { refreshToken: undefined })],
    ['ReauthorizationRequiredError', () => callWith(lost, { refreshSentAt: 1 })],
    ['TokenStoreError', () => callWith(service.problem, { accessToken: '' })],
    ['TokenStoreError', () => callWith(service.problem, { obtainedAt: token })],
    ['an OAuth client and its sessions', clientAndSession],
  ]

  /** After an exchange that failed. */
  async function clientAndSession(): Promise<unknown[]> {
    const client = await make(service.problem)
    const { pending } = await client.authorizationUrl()
    const error = await caught(() => client.exchange(`${redirectUri}?code=${code}`, pending))
    return [error, client, client.session()]
  }
}

/** A store with tokens that have run out. */
function storeOf(tokens: object): SharedStore {
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

/** A Redis that refuses every script, and repeats what it gets. */
function unavailableBudget({ root, shared }: Sdk): Place[] {
  const refuse = (...sent: unknown[]): Promise<never> => Promise.reject(new Error(JSON.stringify(sent)))
  const client = { evalsha: refuse, eval: refuse } as never
  const budget = new shared.SharedBudget({ store: shared.redisStore(client), name: apiKey, limit: 10 })
  const made = new root.SocialSearch({ baseUrl, apiKey, budget, dangerouslyAllowBrowser: true })
  // An open one would try to cancel the reservation for as long as the process lives.
  const closed = () => budget.close().then(() => made.microblog.search(search))
  return [
    ['BudgetUnavailableError', () => budget.summary()],
    ['BudgetUnavailableError', closed],
  ]
}

function notCached({ root, cache }: Sdk): PromiseLike<unknown> {
  const options = { cache: new cache.ResultCache({ maxAge: 1000 }), dangerouslyAllowBrowser: true }
  const client = new root.SocialSearch({ baseUrl, apiKey, ...options })
  return client.microblog.search(search, { cache: 'only' })
}

/** A page, an error of each kind, and what the backend hears of it. */
function proxyPlaces({ root, proxy: { createProxy } }: Sdk): Place[] {
  const heard: unknown[] = []
  const tricks = [service.page({ hasMore: true }), service.escapedPage, ...failing.map(([, trick]) => trick)]
  const answersTo = async (trick: service.Trick): Promise<unknown[]> => {
    const client = new root.SocialSearch({
      ...{ baseUrl, apiKey, retry: false, timeout: 20, dangerouslyAllowBrowser: true },
      organization: newOrganization(),
      fetch: () => Promise.resolve(trick(apiKey)),
    })
    const handle = createProxy({
      ...{ client, allow: ['microblog.search'], authorize: () => ({ id: 'ada' }) },
      onError: (...given) => void heard.push(...given),
    })
    const headers = { 'content-type': 'application/json' }
    const path = 'https://app.example/api/data/microblog/tweets/search'
    const answer = await handle(new Request(path, { method: 'POST', headers, body: JSON.stringify(search) }))
    return [handle, answer.statusText, [...answer.headers], answer, await answer.text()]
  }
  return [
    ...tricks.map((trick): Place => ['createProxy() and its answers', () => answersTo(trick)]),
    ['what onError of createProxy() hears', () => heard],
  ]
}

function receiverPlaces({ events }: Sdk): Place[] {
  const reject = () => ({ issues: [{ message: 'no', path: ['kind'] }] })
  const schema = { '~standard': { version: 1, vendor: 'canary', validate: reject } } as const
  const received: unknown[] = []
  const heard: unknown[] = []
  const verifiers = [
    ({ url, headers }: { url: URL; headers: Headers }) =>
      url.searchParams.get('key') === headers.get('x-key'),
    events.verifyStandardWebhooks({ secret: btoa(eventSecret) }),
  ]
  const receivers = verifiers.flatMap((verify) => {
    const options = { verify, onError: (error: unknown) => void heard.push(error) }
    const onEvent = (event: object): never => {
      received.push({ ...event })
      throw new Error('the work failed')
    }
    const plain = events.createEventReceiver({ ...options, onEvent })
    return [plain, events.createEventReceiver({ ...options, schema, onEvent })]
  })
  const answersOf = async (receive: (typeof receivers)[number]): Promise<unknown[]> => {
    const url = `https://app.example/events?key=${encodeURIComponent(eventSecret)}`
    const headers = { 'content-type': 'application/json', 'x-key': eventSecret }
    const answer = await receive(new Request(url, { method: 'POST', headers, body: '{}' }))
    return [receive, answer, [...answer.headers], await answer.text()]
  }
  const isInvalid = (error: unknown): boolean => error instanceof events.InvalidEventError
  return [
    ['the verifiers of events', () => verifiers],
    ...receivers.map((each): Place => ['createEventReceiver() and its answers', () => answersOf(each)]),
    ['an event, but for its hidden delivery', () => received],
    ['InvalidEventError', () => Promise.reject(heard.find(isInvalid))],
    ['what onError of createEventReceiver() hears', () => heard.filter((error) => !isInvalid(error))],
  ]
}

function catalogPlaces({ catalog: { CatalogClient } }: Sdk): Place[] {
  const fetch = (): Promise<Response> => Promise.resolve(service.problem(token))
  const made = new CatalogClient({ baseUrl, token, fetch, retry: false })
  return [
    ['ProblemError', () => made.planets.create({ name: 'Aurora' })],
    ['CatalogClient', () => [made]],
  ]
}

async function sandboxWithKey({ root, sandbox: { createSandbox } }: Sdk): Promise<unknown[]> {
  const keys = [{ key: apiKey, scopes: ['search:read'] as const }]
  const made = createSandbox({ keys, limits: { perMinute: false }, now: new Date('2026-11-20T18:00:00Z') })
  const { fetch, requests, ledger } = made
  const options = { baseUrl: made.baseUrl, apiKey, fetch, dangerouslyAllowBrowser: true }
  const backend = new root.SocialSearch(options)
  await backend.microblog.search(search)
  return [made, requests, ledger, await caught(() => backend.mentions.list())]
}
