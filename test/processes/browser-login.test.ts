import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type AuthorizationServer,
  authorizationServer,
  browse,
  publicClientId,
} from '../oauth/authorization-server.ts'
import { type GuardedService, guardedService } from '../oauth/guarded-service.ts'
import { closed, listening } from '../support/listening.ts'
import { type Ran, type RunOptions, buildCommand, run } from './command.ts'

let command: { folder: string; file: string }
let server: AuthorizationServer
let service: GuardedService
let config: string
beforeAll(async () => {
  // The authorization server says at length that it is not set up for production.
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue()
  command = await buildCommand()
})
afterAll(() => rmSync(command.folder, { recursive: true }))
beforeEach(async () => {
  server = await authorizationServer()
  service = await guardedService(server.issuer)
  config = mkdtempSync(join(tmpdir(), 'config-'))
})
afterEach(async () => {
  await Promise.all([server.close(), service.close()])
  rmSync(config, { recursive: true })
})

const social = (args: string[], options: RunOptions = {}) =>
  run(command, args, { ...options, env: { XDG_CONFIG_HOME: config, HOME: config } })
const stored = (name: string) => join(config, 'social-search', name)
const usage = ['organization', 'usage']

/** Logs in; `visit` gets the printed address, the redirect address in it, and the process. */
function login(
  visit: (url: URL, redirectUri: string, child: ChildProcess) => unknown,
  ...more: string[]
): Promise<Ran> {
  const args = ['login', '--base-url', service.baseUrl, '--issuer', server.issuer]
  return social([...args, '--client-id', publicClientId, ...more], {
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

/** A request's head; `query` has the state of the login. */
type Attack = (login: { host: string; query: string }) => string

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

describe('login --issuer', () => {
  it('stores tokens for their owner alone, which other commands send and refresh until logout', async () => {
    let page = ''
    const { code, out, err } = await login(async (url, redirectUri) => {
      page = await (await agree(url, redirectUri)).text()
    })
    expect([code, page]).toEqual([0, expect.stringContaining('You are logged in')])
    expect(readdirSync(join(config, 'social-search')).sort()).toEqual(['login.json', 'tokens.json'])
    for (const name of ['login.json', 'tokens.json']) expect(statSync(stored(name)).mode & 0o777).toBe(0o600)
    const tokens = JSON.parse(readFileSync(stored('tokens.json'), 'utf8'))
    expect(out + err).not.toContain(tokens.accessToken)

    expect((await social(usage)).code).toBe(0)
    await (await server.provider.AccessToken.find(tokens.accessToken))?.destroy()
    expect([(await social(usage)).code, server.refreshes]).toEqual([0, [true]])
    const other = await social([...usage, '--base-url', 'http://127.0.0.1:9/v1'])
    expect([other.code, other.err]).toEqual([3, expect.stringContaining('no key for this address')])

    const left = await social(['logout'])
    expect([left.code, left.out]).toEqual([0, expect.stringContaining(server.issuer)])
    expect(readdirSync(join(config, 'social-search'))).toEqual([])
    expect((await social(usage)).code).toBe(3)
  })

  it('keeps the answers of each login apart in the cache', async () => {
    const search = ['microblog', 'search', 'coffee', '--cache', '1h']
    const spent = []
    for (const args of [[], search, search, ['logout'], [], search]) {
      const { code, err } = args.length > 0 ? await social(args) : await login(agree)
      expect([code, err]).toEqual([0, expect.not.stringContaining('credentials')])
      spent.push(service.sandbox.ledger.spent)
    }
    expect(spent).toEqual([0, 2, 2, 2, 2, 4])
  })

  it.each<[string, Attack]>([
    ['a target that is no path', ({ host }) => `GET // HTTP/1.1\r\nHost: ${host}`],
    ['targets of three slashes', ({ host }) => `GET /// HTTP/1.1\r\nHost: ${host}`],
    [
      'another origin as target',
      ({ host, query }) => `GET http://a.b/callback${query} HTTP/1.1\r\nHost: ${host}`,
    ],
    [
      'its own origin as target',
      ({ host, query }) => `GET http://${host}/callback${query} HTTP/1.1\r\nHost: ${host}`,
    ],
    ['a target that no URL parser takes', ({ host }) => `GET http://[/callback HTTP/1.1\r\nHost: ${host}`],
    ['no query', ({ host }) => `GET /callback HTTP/1.1\r\nHost: ${host}`],
    ['no state', ({ host }) => `GET /callback?code=stolen HTTP/1.1\r\nHost: ${host}`],
    ['another state', ({ host }) => `GET /callback?code=stolen&state=other HTTP/1.1\r\nHost: ${host}`],
    ['a refusal without state', ({ host }) => `GET /callback?error=access_denied HTTP/1.1\r\nHost: ${host}`],
    ['another path', ({ host, query }) => `GET /callback/${query} HTTP/1.1\r\nHost: ${host}`],
    ['another host', ({ query }) => `GET /callback${query} HTTP/1.1\r\nHost: rebound.example`],
    ['another port', ({ query }) => `GET /callback${query} HTTP/1.1\r\nHost: 127.0.0.1`],
    ['no host', ({ query }) => `GET /callback${query} HTTP/1.0`],
    ...['HEAD', 'OPTIONS', 'PUT', 'DELETE'].map((method): [string, Attack] => [
      method,
      ({ host, query }) => `${method} /callback${query} HTTP/1.1\r\nHost: ${host}`,
    ]),
    [
      'POST whose body never ends',
      ({ host, query }) => `POST /callback${query} HTTP/1.1\r\nContent-Length: 9\r\nHost: ${host}`,
    ],
    ['a long query', ({ host }) => `GET /callback?state=${'x'.repeat(15_000)} HTTP/1.1\r\nHost: ${host}`],
    ['a huge target', ({ host }) => `GET /${'x'.repeat(30_000)} HTTP/1.1\r\nHost: ${host}`],
    ['what is no HTTP', () => '\u0000'],
  ])('answers a request with %s by 4xx, and waits on', async (_, attack) => {
    const answers: string[] = []
    const { code } = await login(async (url, redirectUri) => {
      const { host, port } = new URL(redirectUri)
      const query = `?${new URLSearchParams({ code: 'stolen', state: url.searchParams.get('state') ?? '', iss: server.issuer })}`
      // Twice: a request must not spoil the next one.
      for (let count = 0; count < 2; count++) answers.push(await rawRequest(port, attack({ host, query })))
      await agree(url, redirectUri)
    })
    expect(answers).toEqual(Array(2).fill(expect.stringMatching(/^HTTP\/1\.1 4\d\d /)))
    expect([code, existsSync(stored('tokens.json'))]).toEqual([0, true])
  })

  it('stores the tokens although the browser leaves before the answer', async () => {
    const { code } = await login(
      async (url, redirectUri) => {
        const { pathname, search, host, port } = new URL(await browse(url.href, redirectUri))
        const socket = connect(Number(port), '127.0.0.1')
        socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, () =>
          socket.resetAndDestroy(),
        )
      },
      '--timeout',
      '5',
    )
    expect([code, existsSync(stored('tokens.json'))]).toEqual([0, true])
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
    const { code, err } = await login(async (url, redirectUri, child) => {
      child.stdin?.write(`${url.href}\n${redirectUri}?code=stolen&state=other\n`)
      child.stdin?.write(`${await browse(url.href, redirectUri)}\n`)
    })
    expect([code, existsSync(stored('tokens.json'))]).toEqual([0, true])
    expect(err.match(/expected an address that begins with http:\/\/127\.0\.0\.1:/g)).toHaveLength(2)
  })

  it.each<[string, Parameters<typeof login>[0], number, string, string[]?]>([
    [
      'the user refuses',
      (url, redirectUri) => goBack(url, redirectUri, { error: 'access_denied' }),
      ...([3, 'access_denied'] as const),
    ],
    [
      'the code is wrong',
      (url, redirectUri) => goBack(url, redirectUri, { code: 'wrong' }),
      ...([3, 'invalid_grant'] as const),
    ],
    ['it is interrupted', (_, __, child) => child.kill('SIGINT'), 130, 'nothing is stored'],
    ['no browser answers', () => {}, 3, 'no answer from the browser within 0.5 s', ['--timeout', '0.5']],
  ])('ends and stores nothing when %s', async (_, visit, exitCode, message, flags = []) => {
    const { code, err } = await login(visit, ...flags)
    expect(err).toContain(message)
    expect([code, existsSync(stored('login.json'))]).toEqual([exitCode, false])
  })

  it('keeps the login before if the new one fails', async () => {
    await login(agree)
    expect(
      (await login((url, redirectUri) => goBack(url, redirectUri, { error: 'access_denied' }))).code,
    ).toBe(3)
    expect((await social(usage)).code).toBe(0)
  })

  it('refuses a port that is taken', async () => {
    const other = createServer()
    const { port } = new URL(await listening(other))
    const { code, err } = await login(() => {}, '--port', port)
    await closed(other)
    expect([code, err]).toEqual([2, expect.stringContaining(`port ${port} is taken; pass another --port`)])
  })

  it.each([
    [['--port', '0'], '--port must be a whole number from 1 to 65535'],
    [['--timeout', '0'], '--timeout must be from 0.001'],
    [['--scopes', ''], 'scopes must be'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await login(() => {}, ...args)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  it('needs a client id', async () => {
    const { code, err } = await social(['login', '--base-url', service.baseUrl, '--issuer', server.issuer])
    expect([code, err]).toEqual([2, expect.stringContaining('--client-id')])
  })

  it('says to log in again when the tokens have ended', async () => {
    await login(agree)
    const { refreshToken, accessToken } = JSON.parse(readFileSync(stored('tokens.json'), 'utf8'))
    await (await server.provider.RefreshToken.find(refreshToken))?.destroy()
    await (await server.provider.AccessToken.find(accessToken))?.destroy()
    const { code, err } = await social(usage)
    expect([code, err]).toEqual([3, expect.stringContaining('To continue, run social-search login again')])
  })
})
