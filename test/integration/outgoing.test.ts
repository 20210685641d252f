import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type Server, createServer as createRawServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as undici from 'undici'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { apiKey, makeClient, notPaid } from '../support/service.ts'
import { newFolder } from '../support/folder.ts'
import { tunnelledService } from '../support/tunnel.ts'
import { portOf } from '../support/listening.ts'

const { Agent, BalancedPool, ProxyAgent } = undici

// Retries wait for no time.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

/** Listens on a free port of 127.0.0.1, and returns it. */
async function listen(server: Server): Promise<number> {
  onTestFinished(() => new Promise((closed) => server.close(() => closed())))
  return portOf(server)
}

/** A proxy that answers requests for a tunnel with a status, and counts them. */
async function refusingProxy(status: number) {
  const tunnels: (string | undefined)[] = []
  const server = createServer().on('connect', ({ url }: IncomingMessage, socket) => {
    tunnels.push(url)
    socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
  })
  return { uri: `http://127.0.0.1:${await listen(server)}`, tunnels }
}

/** A proxy that answers everything with these bytes, or hangs up. */
async function rawProxy(scheme: string, answer?: Buffer) {
  const server = createRawServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => (answer ? socket.end(answer) : socket.destroy()))
  })
  return new ProxyAgent(`${scheme}://127.0.0.1:${await listen(server)}`)
}

/** How a paid search ends: the error, or else its page. */
async function search(send: (request: Request) => Promise<unknown>, baseUrl = 'https://api.example.com/v1') {
  const client = makeClient({ baseUrl, fetch: send as (request: Request) => Promise<Response> })
  const error: unknown = await client.microblog.search({ query: 'rust' }).catch((error: unknown) => error)
  return { error, credits: client.credits }
}

const through = (dispatcher: undici.Dispatcher) => (request: Request) =>
  undici.fetch(new undici.Request(request.url, request as never), { dispatcher })

const unsent = (reason: unknown, attempts = 3) => ({
  ...{ name: 'ConnectionError', phase: 'connect', charged: 'no', reason },
  attempts: Array(attempts).fill({ charged: 'no' }) as object[],
})

describe('search() makes free attempts, three unless the proxy forbids it', () => {
  it.each([
    [403, 1],
    [407, 1],
    [502, 3],
  ])('when the proxy answers %i to CONNECT', async (status, attempts) => {
    const { uri, tunnels } = await refusingProxy(status)
    const { error, credits } = await search(through(new ProxyAgent(uri)))
    expect(error).toMatchObject(unsent(expect.stringContaining(`(${status})`), attempts))
    expect(credits).toMatchObject(notPaid)
    expect(tunnels).toEqual(Array(attempts).fill('api.example.com:443'))
  })

  const refusedBySocks = Buffer.from([5, 255])
  it.each<[string, string, () => Promise<undici.Dispatcher>]>([
    ['the proxy hangs up', 'UND_ERR_PRX_CONN', () => rawProxy('http')],
    ['a SOCKS proxy refuses', 'UND_ERR_SOCKS5_AUTH_REJECTED', () => rawProxy('socks5', refusedBySocks)],
    ['the pool has no server', 'UND_ERR_BPL_MISSING_UPSTREAM', () => Promise.resolve(new BalancedPool([]))],
  ])('when %s', async (_, code, makeDispatcher) => {
    const { error, credits } = await search(through(await makeDispatcher()))
    expect(error).toMatchObject(unsent(code))
    expect(credits).toMatchObject(notPaid)
  })

  it('when its agent is closing, or has its last origin', async () => {
    const open: ServerResponse[] = []
    const port = await listen(createServer((_, response) => void open.push(response)))
    const agent = new Agent({ maxOrigins: 1 })
    const first = undici.fetch(`http://127.0.0.1:${port}`, { dispatcher: agent })
    await expect.poll(() => open.length).toBe(1)
    expect((await search(through(agent))).error).toMatchObject(unsent('UND_ERR_MAX_ORIGINS_REACHED'))
    void agent.close()
    const { error, credits } = await search(through(agent), `http://127.0.0.1:${port}/v1`)
    expect(error).toMatchObject(unsent('UND_ERR_CLOSED'))
    expect([credits, open.length]).toMatchObject([notPaid, 1])
    open[0]?.end()
    await (await first).text()
  })

  const foreign = { dispatcher: new Agent() } as never
  const refused = { method: 'POST', headers: { expect: '100-continue' } }
  it.each<[string, string, (request: Request) => Promise<unknown>]>([
    // Node 24 has undici 7.
    ['its dispatcher is one of another undici', 'UND_ERR_INVALID_ARG', (request) => fetch(request, foreign)],
    ['its fetch adds a refused header', 'UND_ERR_NOT_SUPPORTED', ({ url }) => fetch(url, refused)],
    ['its Request is one of another undici', 'ERR_INVALID_URL', (request) => undici.fetch(request as never)],
  ])('when %s', async (_, code, send) => {
    let arrived = 0
    const port = await listen(createServer((_, response) => (arrived++, response.end())))
    const { error, credits } = await search(send, `http://127.0.0.1:${port}/v1`)
    expect(error).toMatchObject(unsent(code))
    expect([credits, arrived]).toMatchObject([notPaid, 0])
  })
})

describe('search() goes through a proxy to a service with a CA of its own', () => {
  it('when the environment of Node names both', async () => {
    const { baseUrl, proxy, ca, arrived, close } = await tunnelledService()
    const file = join(newFolder(), 'ca.pem')
    writeFileSync(file, ca)
    const program = fileURLToPath(new URL('through-proxy.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      env: {
        NODE_OPTIONS: process.env['NODE_OPTIONS'],
        ...{ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy, NODE_EXTRA_CA_CERTS: file },
        ...{ SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: apiKey },
      },
    })
    await close()
    expect([stdout, arrived]).toEqual(['1\n', [false]])
  })

  it('when the global dispatcher of undici does, with a client certificate', async () => {
    const { baseUrl, proxy, ca, client, arrived, close } = await tunnelledService()
    const before = undici.getGlobalDispatcher()
    undici.setGlobalDispatcher(new ProxyAgent({ uri: proxy, requestTls: { ca, ...client } }))
    const { error, credits } = await search((request) => fetch(request), baseUrl)
    undici.setGlobalDispatcher(before)
    await close()
    expect([error, credits.spent, arrived]).toMatchObject([{ posts: [{}] }, 2, [true]])
  })
})
