import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createSandbox } from '../../../src/extensions/sandbox/index.ts'
import { closed, listening } from '../../support/listening.ts'

export type ServiceName = 'alpha' | 'beta'

/** The services whose tokens are in a text. */
export function tokensIn(text: string): Set<ServiceName> {
  return new Set(
    Array.from(text.matchAll(/(alpha|beta)-(?:access|refresh)-/g), ([, name]) => name as ServiceName),
  )
}

/** A service and its authorization server, which rotates refresh tokens. It checks every request for foreign tokens. */
export interface TokenService {
  readonly name: ServiceName
  readonly origin: string
  readonly counts: { authorized: number; refreshed: number; served: number }
  /** Foreign tokens in requests, and refresh tokens that came twice. */
  readonly problems: string[]
  close(): Promise<void>
}

/** The command that logs in to a service. */
export const loginOf = ({ origin }: TokenService): string =>
  `login --base-url ${origin}/v1 --issuer ${origin} --client-id terminal --timeout 20`

export async function tokenService(name: ServiceName): Promise<TokenService> {
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const counts = { authorized: 0, refreshed: 0, served: 0 }
  const problems: string[] = []
  /** Whether each issued refresh token has been used. */
  const used = new Map<string, boolean>()
  const valid = new Set<string>()

  const server = createServer((request, response) => {
    void text(request).then(
      (body) => respond(request, response, body),
      // The process was killed while it sent the request.
      () => {},
    )
  })
  const origin = await listening(server)
  return { name, origin, counts, problems, close: () => closed(server) }

  async function respond(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const { url = '', headers, method = 'GET' } = request
    const all = `${url} ${JSON.stringify(headers)} ${body}`
    for (const other of tokensIn(all))
      if (other !== name) problems.push(`a token of ${other} came to ${name}: ${method} ${url}`)
    const { pathname, searchParams } = new URL(url, origin)
    if (pathname.startsWith('/.well-known/')) json(response, 200, metadata())
    else if (pathname === '/authorize') {
      const state = searchParams.get('state') ?? ''
      const params = new URLSearchParams({ code: randomUUID(), state, iss: origin })
      response.writeHead(302, { location: `${searchParams.get('redirect_uri')}?${params}` }).end()
    } else if (pathname === '/token') {
      json(response, ...issue(new URLSearchParams(body)))
    } else await serve(url, method, headers.authorization ?? '', body, response)
  }

  function metadata() {
    return {
      issuer: origin,
      ...{ authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
    }
  }

  function issue(form: URLSearchParams): [number, unknown] {
    const sent = form.get('refresh_token')
    if (sent === null) counts.authorized++
    else {
      if (used.get(sent) === true) problems.push(`a refresh token came twice to ${name}`)
      if (used.get(sent) !== false) return [400, { error: 'invalid_grant' }]
      used.set(sent, true)
      counts.refreshed++
    }
    const access = `${name}-access-${randomUUID()}`
    const refresh = `${name}-refresh-${randomUUID()}`
    used.set(refresh, false)
    valid.add(access)
    setTimeout(() => valid.delete(access), 5000).unref()
    return [200, { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 0.4 }]
  }

  async function serve(
    url: string,
    method: string,
    authorization: string,
    body: string,
    response: ServerResponse,
  ): Promise<void> {
    const key = valid.has(authorization.replace('Bearer ', '')) ? sandbox.apiKey : 'none'
    const answer = await sandbox.fetch(
      new Request(origin + url, {
        ...{ method, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } },
        ...(body !== '' && { body }),
      }),
    )
    if (answer.ok) counts.served++
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
