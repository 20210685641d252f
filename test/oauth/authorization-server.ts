import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { closed, listening } from '../support/listening.ts'

export const redirectUri = 'http://127.0.0.1/callback'
export const clientId = 'dashboard'
/** A client without a secret. */
export const publicClientId = 'terminal'
export const clientSecret = 'dashboard_secret_c41f8a'
const resourceScopes = 'search:read org:read mentions:read'

/** An authorization server as others know it, on this machine, whose users agree to everything. */
export interface AuthorizationServer {
  readonly provider: Provider
  readonly issuer: string
  /** The refreshes it has answered: true for new tokens, false for `invalid_grant` and the like. */
  readonly refreshes: boolean[]
  close(): Promise<void>
}

export async function authorizationServer(
  tokens: { lifetime?: number; format?: 'opaque' | 'jwt' } = {},
): Promise<AuthorizationServer> {
  const { lifetime = 3600, format = 'opaque' } = tokens
  const server = createServer((request, response) => void handle(request, response))
  const issuer = await listening(server)
  const refreshes: boolean[] = []
  const native = {
    ...({ application_type: 'native', redirect_uris: [redirectUri] } as const),
    grant_types: ['authorization_code', 'refresh_token'],
  }
  const configuration: Configuration = {
    clients: [
      { ...native, client_id: clientId, client_secret: clientSecret },
      { ...native, client_id: publicClientId, token_endpoint_auth_method: 'none' },
      {
        ...{ client_id: 'api', client_secret: 'api_secret' },
        redirect_uris: [],
        grant_types: [],
        response_types: [],
      },
    ],
    cookies: { keys: ['a key of the tests'] },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          ...{ scope: resourceScopes, audience, accessTokenTTL: lifetime, accessTokenFormat: format },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    scopes: ['offline_access', ...resourceScopes.split(' ')],
    ttl: { RefreshToken: 86_400, Grant: 86_400, Session: 86_400, Interaction: 600 },
  }
  const provider = new Provider(issuer, configuration)
  const noted = (answered: boolean) => (ctx: KoaContextWithOIDC) => {
    if (ctx.oidc.params?.['grant_type'] !== 'refresh_token') return
    refreshes.push(answered)
  }
  provider.on('grant.success', noted(true))
  provider.on('grant.error', noted(false))
  const answer = provider.callback()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    const { prompt, session, params } = await provider.interactionDetails(request, response)
    const result = prompt.name === 'login' ? { login: { accountId: 'member' } } : { consent: await consent() }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })

    async function consent(): Promise<{ grantId: string }> {
      const clientId = String(params['client_id'])
      const grant = new provider.Grant({ accountId: session?.accountId, clientId })
      const { missingOIDCScope, missingResourceScopes } = prompt.details as {
        missingOIDCScope?: string[]
        missingResourceScopes?: Record<string, string[]>
      }
      if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '))
      for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
        grant.addResourceScope(resource, scopes.join(' '))
      return { grantId: await grant.save() }
    }
  }

  return { provider, issuer, refreshes, close: () => closed(server) }
}

/** Goes where a user's browser would, and returns the address it ends up at: the client's own, without calling it. */
export async function browse(start: string, end = redirectUri): Promise<string> {
  const cookies = new Map<string, string>()
  let url = start
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null)
      throw new Error(`no way on from ${url}: ${response.status} ${await response.text()}`)
    url = new URL(location, url).href
    if (url.startsWith(end)) return url
  }
  throw new Error('the browser goes in circles')
}
