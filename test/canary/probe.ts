import type * as Catalog from 'social-search-sdk/catalog'
import type * as Events from 'social-search-sdk/events'
import type * as OAuth from 'social-search-sdk/oauth'
import type * as Otel from 'social-search-sdk/otel'
import type * as Proxy from 'social-search-sdk/proxy'
import type * as Redis from 'social-search-sdk/redis'
import type * as Shared from 'social-search-sdk/shared'
import type * as Root from 'social-search-sdk'
import type * as Sandbox from 'social-search-sdk/sandbox'
import { type Inspect, everything } from './look.ts'
import { occurrences, secrets } from './secrets.ts'
import * as service from './service.ts'

/** The package, wherever it was loaded from. */
export interface Sdk {
  root: typeof Root
  catalog: typeof Catalog
  events: typeof Events
  oauth: typeof OAuth
  otel: typeof Otel
  proxy: typeof Proxy
  redis: typeof Redis
  shared: typeof Shared
  sandbox: typeof Sandbox
}

/** What one place was found to show. */
export interface Row {
  readonly surface: string
  /** Occurrences of a secret. */
  readonly found: number
  /** Leaks on purpose: a look that finds nothing here is blind. */
  readonly control?: true
}

type Tricks = Record<string, service.Trick>

const failing: [name: string, trick: service.Trick, options?: object][] = [
  ['ValidationError', service.refusal(400)],
  ['AuthenticationError', service.refusal(401)],
  ['PermissionDeniedError', service.refusal(403)],
  ['NotFoundError', service.refusal(404)],
  ['RateLimitError', service.refusal(429, { 'retry-after': '2' })],
  ['UpstreamError', service.refusal(502)],
  ['UpstreamError', service.htmlError],
  ['ServiceUnavailableError', service.refusal(503)],
  ['ApiError', service.refusal(418)],
  ['RedirectError', service.redirect],
  ['ConnectionError', service.broken],
  ['TimeoutError', service.silent, { timeout: 20 }],
  ['InvalidResponseError', service.wrongShape],
  ['InvalidResponseError', service.noJson],
]

/** Passes secrets everywhere the package accepts them, makes calls fail, and searches every reachable value. */
export async function probe(sdk: Sdk, inspect: Inspect): Promise<Row[]> {
  const rows = new Map<string, Row>()
  /** Looks at values; those of the same surface add up. */
  function see(surface: string, ...values: unknown[]): void {
    if (values.length === 0 || values.includes(undefined))
      throw new Error(`there is nothing to see of ${surface}`)
    // The row of a class has to come from errors of this class.
    const other = values.find((value) => /^\w+Error$/.test(surface) && (value as Error).name !== surface)
    if (other !== undefined) throw new Error(`expected a ${surface}, got ${(other as Error).name}`)
    const found = values.reduce<number>((sum, value) => sum + occurrences(everything(value, inspect)), 0)
    rows.set(surface, { surface, found: (rows.get(surface)?.found ?? 0) + found })
  }
  const credentials = [
    ['a key', secrets.apiKey, () => ({ apiKey: secrets.apiKey })],
    ['a token', secrets.token, () => ({ auth: session() })],
  ] as const
  for (const [kind, secret, credential] of credentials) {
    await client(sdk, see, kind, secret, credential)
  }
  await misplaced(sdk, see)
  await oauth(sdk, see)
  await sharedBudget(sdk, see)
  await proxy(sdk, see)
  await receivers(sdk, see)
  await catalog(sdk, see)
  await sandbox(sdk, see)
  return [...rows.values(), ...controls(inspect)]
}

type See = (surface: string, ...values: unknown[]) => void

/** Provides tokens as an OAuth session does: it holds a client secret, and gives another token after a refusal. */
function session(): Root.AuthProvider & { clientSecret: string } {
  const { token, clientSecret } = secrets
  return { clientSecret, token: () => token, refresh: () => Promise.resolve() }
}

async function caught(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('nothing went wrong')
}

let organizations = 0
const baseUrl = 'https://api.example/v1'
const search = { query: 'coffee' }

async function client(
  { root, otel }: Sdk,
  see: See,
  kind: string,
  secret: string,
  credential: () => Partial<Root.ClientOptions>,
): Promise<void> {
  const lines: unknown[] = []
  const write = (...line: unknown[]): void => void lines.push(line)
  const seenByHooks: unknown[] = []
  const tickets: unknown[] = []
  const observed: unknown[] = []
  const note = (...told: unknown[]): void => void observed.push(told)
  const observers: Root.Observer[] = [
    { params: true, onWait: note, onAttempt: note, onCall: note },
    recordingObserver(otel, observed),
  ]
  const budget = new root.CreditBudget(1000)
  const make = (trick: service.Trick, more: Partial<Root.ClientOptions> = {}): Root.SocialSearch =>
    new root.SocialSearch({
      ...{
        baseUrl,
        organization: `canary ${++organizations}`,
        retry: false,
        budget,
        dangerouslyAllowBrowser: true,
      },
      ...credential(),
      logger: { debug: write, info: write, warn: write, error: write },
      observers,
      fetch: (request) => {
        if (request.headers.get('authorization') !== `Bearer ${secret}`)
          throw new Error('no credential was sent')
        return Promise.resolve(trick(secret))
      },
      hooks: {
        beforeRequest: [
          async ({ request, options }) => {
            seenByHooks.push(request.url, [...request.headers], await request.clone().text(), options)
          },
        ],
        // Responses still contain what the service repeats.
        afterResponse: [({ request, options }) => void seenByHooks.push([...request.headers], options)],
        beforeError: [
          ({ request, options, error }) => {
            seenByHooks.push([...request.headers], options, error)
            return error
          },
        ],
      },
      ...more,
    })

  for (const [name, trick, options] of failing) {
    const made = make(trick, options)
    const error = await caught(made.microblog.search(search))
    see(name, error)
    see(`SocialSearch with ${kind}`, made, made.transport, made.credits, made.withOptions({ timeout: 5 }))
  }
  see('ConnectionError of the runtime’s own fetch', await caught(unreachable(make).microblog.search(search)))
  const leak = (): never => {
    throw new Error(`the hook failed with ${secret}`)
  }
  const leaky = make(service.page({ hasMore: false }), { hooks: { afterResponse: [leak] } })
  see('InvalidResponseError', await caught(leaky.microblog.search(search)))

  const good = make(service.page({ hasMore: false }))
  const call = good.microblog.search(search)
  see('a call, its page and withResponse()', call, await call, await call.withResponse())
  const { response } = await call.withResponse()
  see('a call, its page and withResponse()', await response.text(), [...response.headers], response)
  const inEscapes = await make(service.escapedPage).microblog.search(search).withResponse()
  see('a call, its page and withResponse()', inEscapes, await inEscapes.response.text())
  const lost = make(service.page({ hasMore: true })).microblog.search(search)
  see('PaginationError', await caught(lost.toArray({ limit: 5 })))
  // The `next` of a walk’s error is what the caller has passed, and is not looked at: it is there to be passed again.
  const wrong = { url: secret.repeat(200), [secret]: secret }
  see('InvalidRequestError', await caught(good.professionalnet.company.get(wrong)))
  see(
    'InvalidRequestError',
    await caught(good.mentions.get(secret)),
    await caught(good.mentions.get(`men_${secret}`)),
  )
  see('CreditBudgetError', await caught(good.microblog.search(search, { budget: new root.CreditBudget(1) })))

  const busy = make(service.silent, { limits: { inFlight: 1, maxQueued: 1 }, timeout: 2000 })
  const waiting = [1, 2].map(() => caught(busy.microblog.search(search)))
  see('QueueFullError', await caught(busy.microblog.search(search)))
  await busy.close()
  see('ClosedError', ...(await Promise.all(waiting)))

  const limiter: Root.Limiter = {
    acquire: (ticket) => {
      const lease = { queued: 0, paced: 0, sent: () => {}, answered: () => {}, release: () => {} }
      tickets.push(ticket, lease)
      return Promise.resolve(lease)
    },
    hold: (...held) => {
      tickets.push(held)
      throw new Error(`the store refused ${secret}`)
    },
  }
  await caught(make(service.refusal(429), { limiter }).microblog.search(search))
  const closed = new root.SurfaceClosed(5)
  const closing = { ...limiter, acquire: () => Promise.reject(closed) }
  see('RateLimitError', await caught(make(service.silent, { limiter: closing }).microblog.search(search)))
  see('SurfaceClosed', closed)
  see('what a limiter sees', limiter, tickets)
  see('the ledger and a budget', good.credits, budget)
  see('what hooks see of requests and errors', ...seenByHooks)
  see('log lines of every level', ...lines)
  see('observers, spans and metrics', ...observed)
}

/** Passes on what the tracer and the meter of OpenTelemetry are told. */
function recordingObserver({ otelObserver }: Sdk['otel'], told: unknown[]): Root.Observer {
  /** Each of its methods notes its arguments, and returns another of its kind. */
  const recorder = (): never => {
    const methods = {
      get:
        () =>
        (...given: unknown[]) => (told.push(given), recorder()),
    }
    return new globalThis.Proxy({}, methods) as never
  }
  return otelObserver({ tracer: recorder(), meter: recorder(), params: true })
}

/** Where nothing listens, and what no browser would connect to. */
function unreachable(
  make: (trick: service.Trick, more: Partial<Root.ClientOptions>) => Root.SocialSearch,
): Root.SocialSearch {
  const fetch = (request: Request): Promise<Response> => globalThis.fetch(request)
  return make(service.silent, { baseUrl: 'http://127.0.0.1:1/v1', fetch })
}

async function misplaced({ root }: Sdk, see: See): Promise<void> {
  const { apiKey } = secrets
  const good = { baseUrl, apiKey, dangerouslyAllowBrowser: true }
  const options: object[] = [
    { baseUrl: apiKey, apiKey: baseUrl },
    { ...good, baseUrl: `http://${apiKey}` },
    { ...good, apiKey: `${apiKey}\n` },
    { ...good, headers: { 'x-key': `${apiKey}\nx` } },
    { ...good, headers: { authorization: apiKey } },
    { ...good, timeout: apiKey },
    { ...good, limits: { inFlight: apiKey } },
    { ...good, auth: apiKey },
  ]
  for (const each of options) {
    see(
      'ConfigurationError',
      await caught(Promise.resolve().then(() => new root.SocialSearch(each as never))),
    )
  }
  const leak = (): never => {
    throw new Error(`the hook failed with ${apiKey}`)
  }
  const leaky = new root.SocialSearch({ ...good, hooks: { beforeRequest: [leak] } })
  see('ConfigurationError', await caught(leaky.microblog.search(search)))
}

/** An authorization server that repeats what it gets, and stores with tokens that cannot be used. */
async function oauth({ root, oauth: { MemoryTokenStore, createOAuthClient } }: Sdk, see: See): Promise<void> {
  const { token, refreshToken, clientSecret, code } = secrets
  const redirectUri = 'https://app.example/callback'
  const options = {
    endpoints: { authorization: 'https://as.example/authorize', token: 'https://as.example/token' },
    ...{ clientId: 'canary', redirectUri, baseUrl, scopes: ['offline_access'] },
  } satisfies OAuth.OAuthClientOptions
  const make = (trick: service.Trick) => {
    const fetch = async (request: Request): Promise<Response> =>
      trick(`${await request.text()} ${request.headers.get('authorization')}`)
    const made = { ...options, fetch }
    // A browser refuses the secret of a client.
    return createOAuthClient({ ...made, clientSecret }).catch(() => createOAuthClient(made))
  }
  const storeOf = (tokens: object): OAuth.TokenStore => {
    const store = new MemoryTokenStore()
    store.set({ accessToken: token, refreshToken, obtainedAt: 0, expiresAt: 1, ...tokens })
    return store
  }
  const callOf = (session: OAuth.OAuthSession): Promise<unknown> => {
    const organization = `canary ${++organizations}`
    const fetch = (): Promise<Response> => Promise.resolve(service.refusal(401)(token))
    const made = new root.SocialSearch({ baseUrl, organization, auth: session, fetch })
    return caught(made.microblog.search(search))
  }
  for (const trick of [
    service.oauthError('invalid_client'),
    service.problem,
    service.redirect,
    service.broken,
  ]) {
    const client = await make(trick)
    const { pending } = await client.authorizationUrl()
    const callback = `${redirectUri}?${new URLSearchParams({ code, state: pending.state })}`
    see('OAuthError', await caught(client.exchange(callback, pending)))
    const denied = new URLSearchParams({ error: code, error_description: code, code, state: pending.state })
    see('OAuthError', await caught(client.exchange(`${redirectUri}?${denied}`, pending)))
    see('an OAuth client and its sessions', client, client.session(), client.session(storeOf({})))
  }
  const client = await make(service.oauthError('invalid_client'))
  see('OAuthError', await callOf(client.session(storeOf({}))))
  const ended = await make(service.oauthError('invalid_grant'))
  for (const tokens of [{}, { refreshToken: undefined }, { refreshSentAt: 1 }])
    see('ReauthorizationRequiredError', await callOf(ended.session(storeOf(tokens))))
  for (const tokens of [{ accessToken: '' }, { obtainedAt: token }, { expiresAt: token }])
    see('TokenStoreError', await callOf(ended.session(storeOf(tokens))))
}

/** A Redis that refuses every script, and repeats what it gets. */
async function sharedBudget({ root, redis, shared }: Sdk, see: See): Promise<void> {
  const { apiKey } = secrets
  const refuse = (...sent: unknown[]): Promise<never> => Promise.reject(new Error(JSON.stringify(sent)))
  const client = { evalsha: refuse, eval: refuse } as never
  const budget = new shared.SharedBudget({ store: redis.redisStore(client), name: apiKey, limit: 10 })
  const made = new root.SocialSearch({ baseUrl, apiKey, budget, dangerouslyAllowBrowser: true })
  see('BudgetUnavailableError', await caught(budget.summary()))
  // An open one would try to cancel the reservation for as long as the process lives.
  await budget.close()
  see('BudgetUnavailableError', await caught(made.microblog.search(search)))
}

/** A page, an error of each kind, and what the backend hears of it. */
async function proxy({ root, proxy: { createProxy } }: Sdk, see: See): Promise<void> {
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
    const organization = `canary ${++organizations}`
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

async function receivers({ events, catalog }: Sdk, see: See): Promise<void> {
  const { eventSecret: secret } = secrets
  const schema = { '~standard': { version: 1, vendor: 'canary', validate: reject } } as const
  const verifiers = [
    events.verifySharedSecret({ secret, query: 'key' }),
    events.verifySharedSecret({ secret, header: 'x-key' }),
    events.verifyHmac({ secret, header: 'x-signature' }),
  ]
  for (const verify of verifiers) {
    const works: Promise<void>[] = []
    const options = {
      verify,
      onError: (error: unknown) => {
        const isInvalid = error instanceof events.InvalidEventError
        see(isInvalid ? 'InvalidEventError' : 'what onError of createEventReceiver() hears', error)
      },
      waitUntil: (work: Promise<void>) => void works.push(work),
    }
    const plain = events.createEventReceiver({
      ...options,
      onEvent: (event) => {
        see('an event, but for its hidden delivery', { ...event })
        throw new Error('the work failed')
      },
    })
    const strict = events.createEventReceiver({ ...options, schema, mismatch: 'refuse', onEvent: () => {} })
    const callbacks = catalog.createCallbackReceiver({
      ...options,
      ...{ successUrl: '/events', failureUrl: '/failed' },
      onCallback: (callback) => see('an event, but for its hidden delivery', { ...callback }),
    })
    for (const receive of [plain, strict, callbacks]) {
      const url = `https://app.example/events?key=${encodeURIComponent(secret)}`
      const headers = { 'content-type': 'application/json', 'x-key': secret, 'x-signature': 'ab' }
      const answer = await receive(new Request(url, { method: 'POST', headers, body: '{}' }))
      await Promise.all(works)
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
    () => events.verifyHmac({ secret, header: `${secret} ` }),
    () => events.verifyHmac({ secret, header: 'x', algorithm: secret as never }),
    () => events.verifySharedSecret({ secret: [secret, ''], query: 'key' }),
  ]
  for (const refuse of refusals) {
    see('ConfigurationError', await caught(Promise.resolve().then(refuse)))
  }
}

function reject(): { issues: { message: string; path: string[] }[] } {
  return { issues: [{ message: 'no', path: ['kind'] }] }
}

async function catalog({ catalog: { CatalogClient } }: Sdk, see: See): Promise<void> {
  const { token } = secrets
  const fetch = (): Promise<Response> => Promise.resolve(service.problem(token))
  const made = new CatalogClient({ baseUrl, token, fetch, retry: false })
  const error = await caught(made.planets.create({ name: 'Aurora' }))
  see('ProblemError', error)
  see('CatalogClient', made)
}

async function sandbox({ root, sandbox: { createSandbox } }: Sdk, see: See): Promise<void> {
  const { apiKey } = secrets
  const keys = [{ key: apiKey, scopes: ['search:read'] as const }]
  const made = createSandbox({ keys, limits: { perMinute: false } })
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
  const refuse = (): unknown => createSandbox({ keys: [{ key: `${apiKey} `, scopes: [] }] })
  see('the sandbox’s requests, ledger and answers', await caught(Promise.resolve().then(refuse)))
}

/** A value for each place that a look has to reach. */
function controls(inspect: Inspect): Row[] {
  const { apiKey } = secrets
  const leaks: Record<string, unknown> = {
    'the cause of a cause': new Error('x', { cause: new Error('y', { cause: new Error(apiKey) }) }),
    'a stack': Object.assign(new Error('x'), { stack: apiKey }),
    'a hidden property': Object.defineProperty({}, 'hidden', {
      value: { deep: [apiKey] },
      enumerable: false,
    }),
    'a getter': Object.create({
      get late() {
        return apiKey
      },
    }) as object,
    'a symbol': { [Symbol('x')]: apiKey },
    toJSON: { toJSON: () => ({ apiKey }) },
    'a map': new Map([[{ apiKey }, 1]]),
    headers: new Headers({ 'x-key': apiKey }),
    'a request': new Error('x', {
      cause: { request: new Request(baseUrl, { headers: { authorization: apiKey } }) },
    }),
    bytes: { body: new TextEncoder().encode(apiKey) },
    base64: [btoa(apiKey)],
    'the first characters': [apiKey.slice(0, 13)],
  }
  return Object.entries(leaks).map(([name, leak]) => {
    const found = occurrences(everything(leak, inspect)) > 0 ? 1 : 0
    return { surface: `control: ${name}`, found, control: true }
  })
}
