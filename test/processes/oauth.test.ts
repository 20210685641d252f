import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { type OAuthClient, createOAuthClient } from '../../src/extensions/oauth/index.ts'
import { type SharedStore, memoryStore, sqliteStore } from '../../src/extensions/shared/index.ts'
import {
  type AuthorizationServer,
  authorizationServer,
  browse,
  clientId,
  clientSecret,
  publicClientId,
  redirectUri,
} from '../oauth/authorization-server.ts'
import { guardedService, introspect } from '../oauth/guarded-service.ts'
import { newFolder } from '../support/folder.ts'

const cleanUp: (() => unknown)[] = []
beforeEach(() => {
  // The authorization server says at length that it is not set up for production.
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue()
})
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step()
})

/** A user who has authorized a client, and the service that takes their tokens. */
async function authorized(
  tokens: Parameters<typeof authorizationServer>[0] = {},
  store: SharedStore = memoryStore(),
  identity: { clientId: string; clientSecret?: string } = { clientId, clientSecret },
) {
  const server = await authorizationServer(tokens)
  const service = await guardedService(server.issuer)
  cleanUp.push(server.close, service.close)
  const oauth = await createOAuthClient({
    ...{ ...identity, issuer: server.issuer, redirectUri, baseUrl: service.baseUrl, store },
    scopes: ['search:read', 'org:read', 'offline_access'],
  })
  const session = await authorize(oauth)
  const client = new SocialSearch({ baseUrl: service.baseUrl, auth: session })
  return { server, service, oauth, session, client }
}

async function authorize(oauth: OAuthClient) {
  const { url, pending } = await oauth.authorizationUrl({ prompt: 'consent' })
  return oauth.exchange(await browse(url), JSON.parse(JSON.stringify(pending)))
}

/** The server deletes access tokens along with a grant, so this finds one by its value and ends it alone. */
async function expire({ provider }: AuthorizationServer, token: string): Promise<void> {
  await (await provider.AccessToken.find(token))?.destroy()
}

describe('with oidc-provider', () => {
  it.each([
    ['with a secret', undefined],
    ['without one', { clientId: publicClientId }],
  ])('a user’s consent leads to tokens that the service accepts, for a client %s', async (_, identity) => {
    const { server, service, session, client } = await authorized({}, undefined, identity)
    expect((await client.microblog.search({ query: 'coffee' })).posts.length).toBeGreaterThan(0)
    const token = await session.token()
    expect(await introspect(server.issuer, token)).toMatchObject({ active: true, aud: service.baseUrl })
    expect(server.refreshes).toEqual([])
  })

  it('the audience is in the JWT, also after a refresh', async () => {
    const { service, session, server } = await authorized({ format: 'jwt' })
    const audience = (token: string): unknown =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).aud
    const first = await session.token()
    await session.refresh(first)
    const second = await session.token()
    expect(second).not.toBe(first)
    expect([audience(first), audience(second)]).toEqual([service.baseUrl, service.baseUrl])
    expect(server.refreshes).toEqual([true])
  })

  it.each(['revoked', 'expired'])('50 calls whose token is %s succeed after one refresh', async (end) => {
    const { server, service, session, client } = await authorized()
    await expire(server, await session.token())
    // The client sends a token until it expires, or the service refuses it.
    const tokens = end === 'expired' ? await session.signOut() : null
    if (tokens) await session.replace({ ...tokens, expiresAt: Date.now() - 1 })
    await Promise.all(Array.from({ length: 50 }, () => client.organization.usage()))
    expect(service.statuses.filter((status) => status === 200)).toHaveLength(50)
    if (end === 'expired') expect(service.statuses).toHaveLength(50)
    expect(server.refreshes).toEqual([true])
  })
})

describe('sqliteStore() with oidc-provider', () => {
  /** Starts processes, and ends them when the authorization server has made so many refreshes. */
  async function run(server: AuthorizationServer, refreshes: number, args: string[][], watch: () => void) {
    const workers = args.map((args) => fork(join(import.meta.dirname, '../oauth/worker.ts'), args))
    cleanUp.push(() => workers.forEach((worker) => worker.kill()))
    const reports = workers.map((worker) => report(worker))
    for (let turn = 0; turn < 8000 && server.refreshes.length < refreshes; turn++) {
      watch()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    for (const worker of workers) if (worker.connected) worker.send('stop')
    return Promise.all(reports)
  }

  async function report(worker: ChildProcess): Promise<{ calls: number; errors: string[] }> {
    const [message] = await once(worker, 'message')
    await once(worker, 'exit')
    return message
  }

  it('serves two processes through ten rotations of one refresh token', async () => {
    const folder = newFolder()
    const path = join(folder, 'tokens.sqlite')
    const { server, service } = await authorized({ lifetime: 2 }, sqliteStore(path))
    const modes = new Set<string>()
    const worker = [server.issuer, service.baseUrl, path]
    const reports = await run(server, 10, [worker, worker], () => {
      for (const file of readdirSync(folder)) {
        const stat = statSync(join(folder, file), { throwIfNoEntry: false })
        if (stat) modes.add((stat.mode & 0o777).toString(8))
      }
    })
    for (const { calls, errors } of reports) {
      expect(errors).toEqual([])
      expect(calls).toBeGreaterThan(10)
    }
    expect(server.refreshes.length).toBeGreaterThanOrEqual(10)
    expect(server.refreshes).not.toContain(false)
    expect([...modes]).toEqual(['600'])
  })
})
