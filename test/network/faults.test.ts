import { type AddressInfo, type Socket, createServer } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type ClientOptions,
  ConnectionError,
  InvalidResponseError,
  SocialSearch,
  type SocialSearchError,
} from '../../src/index.ts'
import { type RawServer, http, rawServer } from '../support/raw-server.ts'
import { page } from '../support/pages.ts'

const servers: RawServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const body = JSON.stringify(page(['1']))

/** Searches a server that answers with `answer`, and tells how that ended. */
async function search(
  answer: (socket: Socket, request: string, count: number) => void,
  options: Partial<ClientOptions> = {},
): Promise<{ error: unknown; server: RawServer; client: SocialSearch; value: unknown }> {
  const server = await rawServer(answer)
  servers.push(server)
  const client = new SocialSearch({
    baseUrl: server.baseUrl,
    apiKey: 'org_live_5f2b8c1d9e',
    ...options,
  })
  const outcome = await client.microblog.search({ query: 'rust' }).then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  )
  return { ...outcome, server, client }
}

describe('a metered search over a broken network', () => {
  it('search() is sent once and may have been charged when the connection resets after sending', async () => {
    const { error, server, client } = await search((socket) => socket.resetAndDestroy())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ charged: 'unknown', phase: 'exchange', reason: 'ECONNRESET' })
    expect((error as Error).cause).toBeUndefined()
    expect(server.requests).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2, reserved: 0 })
  })

  it('search() is sent once when a connection that was kept alive turns out dead', async () => {
    const server = await rawServer((socket, _, count) => {
      if (count === 1) socket.write(http('200 OK', body))
      else socket.resetAndDestroy()
    })
    servers.push(server)
    const client = new SocialSearch({ baseUrl: server.baseUrl, apiKey: 'org_live_5f2b8c1d9e' })
    await client.microblog.search({ query: 'first' })
    await expect(client.microblog.search({ query: 'second' })).rejects.toMatchObject({ charged: 'unknown' })
    expect(server.requests).toHaveLength(2)
  })

  it('search() is tried three times and costs nothing when the connection is refused', async () => {
    const server = await rawServer(() => {})
    await server.close()
    const client = new SocialSearch({ baseUrl: server.baseUrl, apiKey: 'org_live_5f2b8c1d9e' })
    const error = await client.microblog.search({ query: 'rust' }).catch((error: unknown) => error)
    expect(error).toMatchObject({ charged: 'no', phase: 'connect', reason: 'ECONNREFUSED' })
    expect((error as SocialSearchError).attempts).toHaveLength(3)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('search() does not repeat a TLS session that cannot be trusted', async () => {
    const plain = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })
    await new Promise<void>((listening) => plain.listen(0, '127.0.0.1', listening))
    const { port } = plain.address() as AddressInfo
    const client = new SocialSearch({
      baseUrl: `https://127.0.0.1:${port}/v1`,
      apiKey: 'org_live_5f2b8c1d9e',
    })
    const error = await client.microblog.search({ query: 'rust' }).catch((error: unknown) => error)
    plain.close()
    expect(error).toMatchObject({ name: 'ConnectionError', phase: 'tls', charged: 'no' })
    expect((error as SocialSearchError).attempts).toHaveLength(1)
  })

  const broken: [name: string, answer: (socket: Socket) => void, expected: object][] = [
    [
      'garbage in place of a status line',
      (s) => void s.end('garbage\r\n\r\n'),
      { name: 'ConnectionError', charged: 'unknown' },
    ],
    [
      'a body that ends too early',
      (s) => {
        s.write(http('200 OK', body, { 'content-length': '9999' }))
        s.end()
      },
      { name: 'ConnectionError', charged: 'unknown' },
    ],
    [
      'a body that resets',
      (s) => {
        s.write(http('200 OK', body.slice(0, 50), { 'content-length': '9999' }))
        setTimeout(() => s.resetAndDestroy(), 20)
      },
      { name: 'ConnectionError', charged: 'unknown' },
    ],
    [
      'a duplicate Content-Length',
      (s) => void s.end(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde`),
      { name: 'ConnectionError' },
    ],
    [
      '204',
      (s) => void s.end('HTTP/1.1 204 No Content\r\n\r\n'),
      { name: 'InvalidResponseError', charged: 'yes' },
    ],
    [
      'a truncated gzip',
      (s) => {
        const whole = gzipSync(JSON.stringify(page(Array.from({ length: 20 }, (_, i) => String(i)))))
        s.end(http('200 OK', whole.subarray(0, whole.length - 40), { 'content-encoding': 'gzip' }))
      },
      { charged: expect.stringMatching(/yes|unknown/) },
    ],
    [
      '307 to another origin',
      (s) => void s.end(http('307 Temporary Redirect', '', { location: 'http://127.0.0.1:1/' })),
      { name: 'RedirectError', status: 307 },
    ],
  ]
  it.each(broken)(
    'search() is sent once and rejects with a typed error when it gets %s',
    async (_, answer, expected) => {
      const { error, server } = await search(answer)
      expect(error).toMatchObject(expected)
      expect(server.requests).toHaveLength(1)
    },
  )

  it('search() frees its slot when a body stalls', async () => {
    const { error, client } = await search(
      (socket, request) => {
        if (request.includes('rust'))
          socket.write(http('200 OK', body.slice(0, 20), { 'content-length': '9999' }))
        else socket.write(http('200 OK', body))
      },
      { timeout: 300, organization: 'stalled body', limits: { inFlight: 1 } },
    )
    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'body', charged: 'unknown' })
    expect((await client.microblog.search({ query: 'next' })).posts).toHaveLength(1)
  })

  it.each([
    ['an answer that never comes', (): void => {}],
    [
      'a body that stalls',
      (socket: Socket) => void socket.write(http('200 OK', 'x', { 'content-length': '9' })),
    ],
  ])(
    'search() closes the connection of %s, even if the request has been collected as garbage',
    async (_, stall) => {
      setFlagsFromString('--expose-gc')
      const collectGarbage = runInNewContext('gc') as () => void
      const { error, server } = await search(
        (socket) => {
          stall(socket)
          const collecting = setInterval(collectGarbage, 50)
          socket.on('close', () => clearInterval(collecting))
        },
        { timeout: 600 },
      )
      expect(error).toMatchObject({ name: 'TimeoutError' })
      await vi.waitFor(() => expect(server.open()).toBe(0))
    },
  )

  it('search() ends at its deadline when the body comes a byte at a time', async () => {
    const { error } = await search(
      (socket) => {
        socket.write(http('200 OK', '', { 'content-length': '9999' }))
        const drip = setInterval(() => socket.write('x'), 20)
        socket.on('close', () => clearInterval(drip))
      },
      { deadline: 300 },
    )
    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'body' })
  })

  it('search() cuts off a small gzip that unfolds to gigabytes', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 2 ** 20, 'x'))
    const { error } = await search(
      (socket) => void socket.end(http('200 OK', bomb, { 'content-encoding': 'gzip' })),
    )
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect((error as Error).message).toMatch(/larger than 67108864 bytes/)
  })
})

describe('a search over an odd but working network', () => {
  const odd: [name: string, answer: (socket: Socket) => void][] = [
    [
      '103 before 200',
      (s) =>
        void s.end(
          Buffer.concat([
            Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'),
            http('200 OK', body),
          ]),
        ),
    ],
    ['a byte order mark', (s) => void s.end(http('200 OK', `\uFEFF${body}`))],
    [
      'a charset that is not UTF-8',
      (s) => void s.end(http('200 OK', body, { 'content-type': 'application/json; charset=latin1' })),
    ],
    ['gzip', (s) => void s.end(http('200 OK', gzipSync(body), { 'content-encoding': 'gzip' }))],
    ['text/plain', (s) => void s.end(http('200 OK', body, { 'content-type': 'text/plain' }))],
  ]
  it.each(odd)('search() answers as usual when it gets %s', async (_, answer) => {
    const { value, error } = await search(answer)
    expect(error).toBeUndefined()
    expect(value).toMatchObject({ posts: [{ id: '1' }] })
  })
})
