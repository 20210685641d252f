import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type AuthorizationServer,
  authorizationServer,
  browse,
  publicClientId,
} from '../oauth/authorization-server.ts'
import { type GuardedService, guardedService } from '../oauth/guarded-service.ts'
import { failed } from '../support/command-line.ts'
import { closed, listening } from '../support/listening.ts'
import { type Ran, command, useCommand, withoutKey } from './command.ts'

let server: AuthorizationServer
let service: GuardedService
useCommand()
beforeEach(async () => {
  // The authorization server says at length that it is not set up for production.
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue()
  server = await authorizationServer()
  service = await guardedService(server.issuer)
})
afterEach(() => Promise.all([server.close(), service.close()]))

const folder = () => join(command.folder, 'config/social-search')
const stored = (name: string) => join(folder(), name)
const usage = 'organization usage'
const isStored = (login: Ran) => [login.code, existsSync(stored('tokens.json'))]

/** Logs in; `visit` gets the printed address, the redirect address in it, and the process. */
function login(
  visit: (url: URL, redirectUri: string, child: ChildProcess) => unknown,
  flags = '',
): Promise<Ran> {
  const line = `login --base-url ${service.baseUrl} --issuer ${server.issuer} --client-id ${publicClientId}`
  return withoutKey(`${line} ${flags}`, {
    input: null,
    during(child) {
      let text = ''
      child.stderr?.on('data', (data: Buffer) => {
        const before = text
        text += String(data)
        const [, url = ''] = /^(http.*)\n/m.exec(text) ?? []
        if (url === '' || /^http.*\n/m.test(before)) return
        const address = new URL(url)
        void visit(address, address.searchParams.get('redirect_uri') ?? '', child)
      })
    },
  })
}

const agree = async (url: URL, redirectUri: string) => fetch(await browse(url.href, redirectUri))

/** Sends the browser back as the authorization server does. */
function goBack(url: URL, redirectUri: string, params: Record<string, string>): Promise<Response> {
  const state = url.searchParams.get('state') ?? ''
  return fetch(`${redirectUri}?${new URLSearchParams({ state, iss: server.issuer, ...params })}`)
}

/** Sends the head of a request, and returns all that comes back. */
function rawRequest(port: string, head: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${head}\r\n\r\n`))
    let answer = ''
    socket.on('data', (data) => (answer += String(data)))
    // The server may end the connection before it has read a huge request.
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
    socket.setTimeout(3000, () => socket.destroy())
  })
}

/** Heads of requests that do not end the login; `query` has its state. */
const attacks = (host: string, query: string) => [
  ...[
    ...['//', '///', `http://a.b/callback${query}`, `http://${host}/callback${query}`, 'http://[/callback'],
    ...['/callback', '/callback?code=stolen', '/callback?code=stolen&state=other'],
    ...['/callback?error=access_denied', `/callback/${query}`],
    ...[`/callback?state=${'x'.repeat(15_000)}`, `/${'x'.repeat(30_000)}`],
  ].map((target) => `GET ${target} HTTP/1.1\r\nHost: ${host}`),
  `GET /callback${query} HTTP/1.1\r\nHost: rebound.example`,
  `GET /callback${query} HTTP/1.1\r\nHost: 127.0.0.1`,
  `GET /callback${query} HTTP/1.0`,
  ...['HEAD', 'OPTIONS', 'PUT', 'DELETE'].map(
    (method) => `${method} /callback${query} HTTP/1.1\r\nHost: ${host}`,
  ),
  // The body never comes.
  `POST /callback${query} HTTP/1.1\r\nContent-Length: 9\r\nHost: ${host}`,
  '\u0000',
]

describe('login --issuer', () => {
  it('stores tokens for their owner alone, which other commands send and refresh until logout', async () => {
    let page = ''
    const { code, out, err } = await login(async (url, redirectUri) => {
      page = await (await agree(url, redirectUri)).text()
    })
    expect([code, page]).toEqual([0, expect.stringContaining('You are logged in')])
    expect(readdirSync(folder()).sort()).toEqual(['login.json', 'tokens.json'])
    for (const name of readdirSync(folder())) expect(statSync(stored(name)).mode & 0o777).toBe(0o600)
    const tokens = JSON.parse(readFileSync(stored('tokens.json'), 'utf8'))
    expect(out + err).not.toContain(tokens.accessToken)

    expect((await withoutKey(usage)).code).toBe(0)
    await (await server.provider.AccessToken.find(tokens.accessToken))?.destroy()
    expect([(await withoutKey(usage)).code, server.refreshes]).toEqual([0, [true]])
    expect(await withoutKey(`${usage} --base-url http://127.0.0.1:9/v1`)).toMatchObject(
      failed(3, 'no key for this address'),
    )

    const left = await withoutKey('logout')
    expect([left.code, left.out]).toEqual([0, expect.stringContaining(server.issuer)])
    expect(readdirSync(folder())).toEqual([])
    expect((await withoutKey(usage)).code).toBe(3)
  })

  it('keeps the answers of each login apart in the cache', async () => {
    const search = 'search coffee --cache 1h'
    const spent = []
    for (const line of ['', search, search, 'logout', '', search]) {
      const { code, err } = line === '' ? await login(agree) : await withoutKey(line)
      expect([code, err]).toEqual([0, expect.not.stringContaining('credentials')])
      spent.push(service.sandbox.ledger.spent)
    }
    expect(spent).toEqual([0, 2, 2, 2, 2, 4])
  })

  it('answers every other request by 4xx, and waits on', async () => {
    const wrong: string[] = []
    const ran = await login(async (url, redirectUri) => {
      const { host, port } = new URL(redirectUri)
      const state = url.searchParams.get('state') ?? ''
      const query = `?${new URLSearchParams({ code: 'stolen', state, iss: server.issuer })}`
      for (const attack of attacks(host, query)) {
        // Twice: a request must not spoil the next one.
        const answers = [await rawRequest(port, attack), await rawRequest(port, attack)]
        if (!answers.every((answer) => /^HTTP\/1\.1 4\d\d /.test(answer))) wrong.push(attack, ...answers)
      }
      await agree(url, redirectUri)
    })
    expect(wrong).toEqual([])
    expect(isStored(ran)).toEqual([0, true])
  })

  it('stores the tokens although the browser leaves before the answer', async () => {
    const ran = await login(async (url, redirectUri) => {
      const { pathname, search, host, port } = new URL(await browse(url.href, redirectUri))
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, () =>
        socket.resetAndDestroy(),
      )
    }, '--timeout 5')
    expect(isStored(ran)).toEqual([0, true])
  })

  it('takes one answer', async () => {
    const statuses: number[] = []
    const { code } = await login(async (url, redirectUri) => {
      const back = await browse(url.href, redirectUri)
      const answers = await Promise.all([fetch(back), fetch(back)])
      statuses.push(...answers.map(({ status }) => status))
    })
    expect([code, statuses.sort()]).toEqual([0, [200, 400]])
  })

  it('takes a pasted address, for a browser on another machine', async () => {
    const ran = await login(async (url, redirectUri, child) => {
      child.stdin?.write(`${url.href}\n${redirectUri}?code=stolen&state=other\n`)
      child.stdin?.write(`${await browse(url.href, redirectUri)}\n`)
    })
    expect(isStored(ran)).toEqual([0, true])
    expect(ran.err.match(/expected an address that begins with http:\/\/127\.0\.0\.1:/g)).toHaveLength(2)
  })

  const refuse: Parameters<typeof login>[0] = (url, redirectUri) =>
    goBack(url, redirectUri, { error: 'access_denied' })

  it.each<[string, Parameters<typeof login>[0], number, string, string?]>([
    ['the user refuses', refuse, 3, 'access_denied'],
    ['the code is wrong', (url, uri) => goBack(url, uri, { code: 'wrong' }), 3, 'invalid_grant'],
    ['it is interrupted', (_, __, child) => child.kill('SIGINT'), 130, 'nothing is stored'],
    ['no browser answers', () => {}, 3, 'no answer from the browser within 0.5 s', '--timeout 0.5'],
  ])('ends and stores nothing when %s', async (_, visit, exitCode, message, flags) => {
    expect(await login(visit, flags)).toMatchObject(failed(exitCode, message))
    expect(existsSync(stored('login.json'))).toBe(false)
  })

  it('keeps the login before if the new one fails', async () => {
    await login(agree)
    expect((await login(refuse)).code).toBe(3)
    expect((await withoutKey(usage)).code).toBe(0)
  })

  it('refuses a port that is taken', async () => {
    const other = createServer()
    const { port } = new URL(await listening(other))
    const ran = await login(() => {}, `--port ${port}`)
    await closed(other)
    expect(ran).toMatchObject(failed(2, `port ${port} is taken; pass another --port`))
  })

  it('says to log in again when the tokens have ended', async () => {
    await login(agree)
    const { refreshToken, accessToken } = JSON.parse(readFileSync(stored('tokens.json'), 'utf8'))
    await (await server.provider.RefreshToken.find(refreshToken))?.destroy()
    await (await server.provider.AccessToken.find(accessToken))?.destroy()
    const advice = 'Log in again: social-search login'
    expect(await withoutKey(usage)).toMatchObject(failed(3, advice))
  })
})
