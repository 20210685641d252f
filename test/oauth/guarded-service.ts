import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Sandbox, createSandbox } from '../support/sandbox.ts'
import { closed, listening } from '../support/listening.ts'

/** The sandbox over HTTP, behind a door that takes the tokens of an authorization server, bound to this API. */
export interface GuardedService {
  readonly baseUrl: string
  readonly sandbox: Sandbox
  /** The status of every answer. */
  readonly statuses: number[]
  close(): Promise<void>
}

export async function guardedService(issuer: string): Promise<GuardedService> {
  const sandbox = createSandbox()
  const statuses: number[] = []
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await text(incoming)
      const bearer = incoming.headers.authorization?.replace('Bearer ', '') ?? ''
      const key = (await isValid(bearer)) ? sandbox.apiKey : 'none'
      const response = await sandbox.fetch(
        new Request(origin + (incoming.url ?? ''), {
          method: incoming.method ?? 'GET',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body !== '' && { body }),
        }),
      )
      statuses.push(response.status)
      outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text())
    })()
  })
  const origin = await listening(server)

  async function isValid(token: string): Promise<boolean> {
    const { active, aud } = await introspect(issuer, token)
    return active === true && aud === `${origin}/v1`
  }

  return { baseUrl: `${origin}/v1`, sandbox, statuses, close: () => closed(server) }
}

/** What the authorization server knows of a token (RFC 7662). */
export async function introspect(issuer: string, token: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${issuer}/token/introspection`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('api:api%5Fsecret')}` },
    body: new URLSearchParams({ token }),
  })
  return (await response.json()) as Record<string, unknown>
}
