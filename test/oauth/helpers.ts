import { expect, vi } from 'vitest'
import {
  type OAuthClient,
  type OAuthClientOptions,
  OAuthError,
  type TokenSet,
  createOAuthClient,
} from '../../src/extensions/oauth/index.ts'
import type { ChangeText, SharedStore } from '../../src/extensions/shared/index.ts'
import { failure, makeClient, ok } from '../support/service.ts'

export const secrets = {
  clientSecret: 'client_secret_c41f',
  code: 'code_secret_9d2e',
  verifier: 'verifier_secret_7ab3_verifier_secret_7ab3_v',
  access: 'access_secret',
  refresh: 'refresh_secret',
}

/** An answer of the token endpoint. */
export type TokenAnswer = (form: URLSearchParams, request: Request) => Response | Promise<Response>

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

/** New tokens, without a refresh token. */
export const tokens = (n: number, more = {}, headers = {}): Response =>
  json({ access_token: access(n), token_type: 'Bearer', expires_in: 3600, ...more }, 200, headers)

export const oauthError = (error: string, status = 400, headers = {}): Response =>
  json({ error, error_description: 'in words' }, status, headers)

/** A fetch that fails like the runtime's. */
export const broken = (code: string, syscall: string) => (): never => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, syscall }) })
}

/** An authorization server that answers each refresh as scripted, the last way for ever; by default with the next tokens. */
export function scriptedServer() {
  const forms: URLSearchParams[] = []
  const requests: Request[] = []
  let issued = 0
  const next: TokenAnswer = () => tokens(++issued, { refresh_token: refreshToken(issued) })
  let answers: TokenAnswer[] = [next]
  return {
    forms,
    requests,
    next,
    script: (...scripted: TokenAnswer[]) => void (answers = scripted),
    /** The refresh tokens that it was sent. */
    refreshed: () => forms.map((form) => form.get('refresh_token')),
    fetch: async (request: Request) => {
      const form = new URLSearchParams(await request.clone().text())
      forms.push(form)
      requests.push(request)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      return answer!(form, request)
    },
  }
}

export const endpoints = { authorization: 'https://as.example/authorize', token: 'https://as.example/token' }

export function makeOAuth(options: Partial<OAuthClientOptions> = {}): Promise<OAuthClient> {
  return createOAuthClient({
    ...{ endpoints, clientId: 'dashboard', clientSecret: secrets.clientSecret },
    ...{ redirectUri: 'https://app.example/callback', baseUrl: 'https://api.example/v1' },
    ...{ scopes: ['search:read', 'offline_access'], ...options },
  })
}

/** Tokens that have just expired. */
export const expired = (more: Partial<TokenSet> = {}) => tokenSet({ expiresAt: Date.now(), ...more })

/** Tokens that were obtained just now. */
export function tokenSet(more: Partial<TokenSet> = {}): TokenSet {
  const obtainedAt = Date.now()
  return {
    ...{ accessToken: `${secrets.access}_0`, refreshToken: `${secrets.refresh}_0` },
    ...{ obtainedAt, expiresAt: obtainedAt + 3_600_000, ...more },
  }
}

/** How far the clock of the store is ahead of this machine's, in milliseconds. */
export const storeAheadMs = 3_600_000

/** A store with the tokens of one user. */
export function storeOf(
  tokens: TokenSet | null,
): SharedStore & { held: TokenSet | null; set(tokens: TokenSet | null): unknown } {
  const store = {
    held: tokens,
    set: (tokens: TokenSet | null): unknown => (store.held = tokens),
    update: async <T>(_: string, change: ChangeText<T>): Promise<T> => {
      const text = store.held ? JSON.stringify(store.held) : undefined
      const { value, result } = change(text, Date.now() + storeAheadMs, 0)
      if (value !== undefined) await store.set(value === '' ? null : JSON.parse(value))
      return result
    },
  }
  return store
}

/** Lets a store take no new tokens any more, apart from the note that a refresh token is sent. */
export function refuseTokens(store: ReturnType<typeof storeOf>): void {
  const { set } = store
  store.set = (tokens) => (tokens?.refreshSentAt ? set(tokens) : Promise.reject(new Error('away')))
}

/** A service that takes only the access tokens in `good`, and a client of it that lives on the session. */
export async function setUp(tokens: TokenSet | null = tokenSet(), options: Partial<OAuthClientOptions> = {}) {
  const server = scriptedServer()
  const store = storeOf(tokens)
  const oauth = await makeOAuth({ fetch: server.fetch, store, ...options })
  const session = oauth.session()
  const bearers: string[] = []
  const accepts = { token: (bearer: string): boolean => bearer !== '' }
  const client = makeClient({
    apiKey: undefined,
    auth: session,
    limits: { perMinute: false },
    fetch: (request) => {
      const bearer = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
      bearers.push(bearer)
      return Promise.resolve(accepts.token(bearer) ? ok() : failure(401, 'unauthorized'))
    },
  })
  return { server, store, oauth, session, bearers, accepts, client }
}

export async function refusal(work: Promise<unknown>): Promise<OAuthError> {
  const error: unknown = await work.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(OAuthError)
  return error as OAuthError
}

export const access = (n: number) => `${secrets.access}_${n}`
export const refreshToken = (n: number) => `${secrets.refresh}_${n}`
export const minutes = (n: number) => n * 60_000
/** Moves the clock on while nothing is under way. */
export const passQuickly = (ms: number) => vi.setSystemTime(Date.now() + ms)
