import dns from 'node:dns'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { vi } from 'vitest'
import { type ClientOptions, type ConnectionError, SocialSearch } from '../../src/index.ts'
import { settle } from '../support/clock.ts'
import { untrustedCertificate } from '../support/certificate.ts'
import { collectGarbage } from '../support/garbage.ts'
import { http, rawServer } from '../support/raw-server.ts'
import { apiKey, makeClient } from '../support/service.ts'
import { type Faults, inRealTime, must } from './case.ts'
import {
  type Place,
  costs,
  ending,
  inVirtualTime,
  onEach,
  onFetch,
  onWire,
  outcomeOf,
  success,
} from './observe.ts'

const body = JSON.stringify(success)

/** Listens with a server that does not speak HTTP. */
async function listening(server: Server, scheme: string): Promise<Place> {
  let connections = 0
  server.on('connection', () => connections++)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    options: { baseUrl: `${scheme}://127.0.0.1:${port}/v1` },
    arrived: () => 0,
    tried: () => connections,
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}

/** Searches a service whose body comes a byte a second, for two minutes. */
function drip(options: Partial<ClientOptions>): Promise<string> {
  return inVirtualTime(async () => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let end = 'body left open'
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (left: number): void => {
          controller.enqueue(new TextEncoder().encode(' '))
          if (left > 0) timer = setTimeout(send, 1000, left - 1)
        }
        send(120)
      },
      cancel: () => {
        end = 'body cancelled'
        clearTimeout(timer)
      },
    })
    const client = makeClient({ fetch: () => Promise.resolve(new Response(stream)), ...options })
    const { error, ms } = await settle(client.microblog.search({ query: 'rust' }))
    return `${ending(error)} at ${Math.floor(ms)} ms, ${costs(client, error)}; ${end}`
  })
}

/** Searches a service that stalls while garbage is collected all the time. */
async function collected(stall: (socket: Socket) => void): Promise<string> {
  const server = await rawServer((socket) => {
    stall(socket)
    const collecting = setInterval(collectGarbage, 50)
    socket.on('close', () => clearInterval(collecting))
  })
  const client = new SocialSearch({ baseUrl: server.baseUrl, apiKey, timeout: 600 })
  const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
  await vi.waitFor(() => must(server.open() === 0, 'the connection is closed'), { timeout: 10_000 })
  await server.close()
  return `${ending(error)}, connection closed`
}

export const network: Faults = {
  'the name of the host does not resolve': () => {
    const lookup = vi.spyOn(dns, 'lookup') as unknown as {
      mock: { calls: unknown[] }
      mockImplementation(fake: (...args: unknown[]) => void): void
      mockClear(): void
    }
    lookup.mockImplementation((...args) => {
      const error = Object.assign(new Error('getaddrinfo ENOTFOUND'), {
        code: 'ENOTFOUND',
        syscall: 'getaddrinfo',
      })
      ;(args.at(-1) as (error: Error) => void)(error)
    })
    return onEach(() => {
      lookup.mockClear()
      return Promise.resolve({
        options: { baseUrl: 'https://api.invalid/v1' },
        arrived: () => 0,
        tried: () => lookup.mock.calls.length,
        close: () => Promise.resolve(),
      })
    })
  },
  'the connection is refused': () =>
    onEach(async () => {
      const place = await listening(createServer(), 'http')
      await place.close()
      return { options: place.options, arrived: () => 0, close: () => Promise.resolve() }
    }),
  'fetch fails without a reason, as in browsers': () =>
    onFetch(() => Promise.reject(new TypeError('Failed to fetch'))),
  'the certificate is not trusted': () =>
    onEach(() => listening(createTlsServer(untrustedCertificate()), 'https')),
  'the port does not speak TLS': () => {
    const plain = () =>
      createServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
      })
    return onEach(() => listening(plain(), 'https'))
  },
  'the connection resets before headers': () => onWire((socket) => socket.resetAndDestroy()),
  'the connection closes before headers': () => onWire(''),
  'the connection resets once, then works': () =>
    onWire((socket, _, count) =>
      count === 1 ? socket.resetAndDestroy() : void socket.end(http('200 OK', body)),
    ),
  'a connection that was kept alive turns out dead': async () => {
    const server = await rawServer((socket, _, count) => {
      if (count === 1) socket.write(http('200 OK', body))
      else socket.resetAndDestroy()
    })
    const client = new SocialSearch({ baseUrl: server.baseUrl, apiKey })
    await client.microblog.search({ query: 'first' })
    const { error } = await outcomeOf(client.microblog.search({ query: 'second' }))
    await server.close()
    const { reason, cause } = error as ConnectionError
    const said = `${ending(error)}, ${reason}, ${cause === undefined ? 'no' : 'a'} cause`
    return `two searches, ${server.requests.length} requests; ${said}, ${costs(client, error)}`
  },
  'no response ever arrives': inRealTime(() => onWire(() => {}, { timeout: 400 })),
  'the body stalls after the headers': inRealTime(() =>
    onWire((socket) => void socket.write(http('200 OK', '{', { 'content-length': '9' })), { timeout: 400 }),
  ),
  'the body stalls, and another call waits for the slot': inRealTime(async () => {
    const server = await rawServer((socket, request) => {
      const stalls = request.includes('stall')
      socket.write(http('200 OK', body, stalls ? { 'content-length': '9999' } : {}))
    })
    const client = new SocialSearch({
      baseUrl: server.baseUrl,
      apiKey,
      timeout: 400,
      limits: { inFlight: 1 },
    })
    const stalled = outcomeOf(client.microblog.search({ query: 'stall' }))
    const next = outcomeOf(client.microblog.search({ query: 'next' }, { timeout: 5000 }))
    const ends = [ending((await stalled).error), ending((await next).error)]
    await server.close()
    return ends.join(', then ')
  }),
  'the body comes a byte a second, and the call has a deadline of 5 s': () => drip({ deadline: 5000 }),
  'the body comes a byte a second, without a deadline': () => drip({}),
  'the body resets in the middle of its JSON': () =>
    onWire((socket) => {
      socket.write(http('200 OK', body.slice(0, 50), { 'content-length': '9999' }))
      setTimeout(() => socket.resetAndDestroy(), 20)
    }),
  'the body ends before its Content-Length': () => onWire(http('200 OK', body, { 'content-length': '9999' })),
  'a chunked body ends without its last chunk, after whole JSON': () =>
    onWire((socket) => {
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
      socket.end(`${head}${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`)
    }),
  'no response arrives, and the request was garbage collected': inRealTime(() => collected(() => {})),
  'the body stalls, and the request was garbage collected': inRealTime(() =>
    collected((socket) => void socket.write(http('200 OK', 'x', { 'content-length': '9' }))),
  ),
}
