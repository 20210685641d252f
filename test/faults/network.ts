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
import { group, must } from './case.ts'
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

const resolved = 'proven unsent, so a retry is safe for all; nothing was charged'
const ambiguous = 'the request may have been processed: only a free GET is retried, the charge is unknown'
const reset = 'GET ×3, POST ×1, PATCH ×1; ConnectionError (exchange)'
const unsent =
  'GET ×0 in 3 attempts, POST ×0 in 3 attempts, PATCH ×0 in 3 attempts; ConnectionError (connect)'
const untrusted = 'GET ×0 in 1 attempt, POST ×0 in 1 attempt, PATCH ×0 in 1 attempt; ConnectionError (tls)'
const unknown = 'POST charged unknown, spent 0, uncertain 2'
const nothing = 'POST charged no, spent 0, uncertain 0'

export const network = group('network', [
  {
    id: 1,
    name: 'the name of the host does not resolve',
    expected: resolved,
    observed: `${unsent}; ${nothing}`,
    run: () => {
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
  },
  {
    id: 2,
    name: 'the connection is refused',
    expected: resolved,
    observed: `${unsent}; ${nothing}`,
    run: () =>
      onEach(async () => {
        const place = await listening(createServer(), 'http')
        await place.close()
        return { options: place.options, arrived: () => 0, close: () => Promise.resolve() }
      }),
  },
  {
    id: 3,
    name: 'fetch fails without a reason, as in browsers',
    expected: 'treated as sent, since it may have been; a failed CORS preflight looks the same',
    observed: `${reset}; ${unknown}`,
    run: () => onFetch(() => Promise.reject(new TypeError('Failed to fetch'))),
  },
  {
    id: 4,
    name: 'the certificate is not trusted',
    expected: 'nothing was sent, and a retry would change nothing',
    observed: `${untrusted}; ${nothing}`,
    run: () => onEach(() => listening(createTlsServer(untrustedCertificate()), 'https')),
  },
  {
    id: 5,
    name: 'the port does not speak TLS',
    expected: 'nothing was sent, and a retry would change nothing',
    observed: `${untrusted}; ${nothing}`,
    run: () => {
      const plain = () =>
        createServer((socket) => {
          socket.on('error', () => {})
          socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
        })
      return onEach(() => listening(plain(), 'https'))
    },
  },
  {
    id: 6,
    name: 'the connection resets before headers',
    expected: ambiguous,
    observed: `${reset}; ${unknown}`,
    run: () => onWire((socket) => socket.resetAndDestroy()),
  },
  {
    id: 7,
    name: 'the connection closes before headers',
    expected: ambiguous,
    observed: `${reset}; ${unknown}`,
    run: () => onWire((socket) => void socket.end()),
  },
  {
    id: 8,
    name: 'the connection resets once, then works',
    expected: 'a GET recovers; a POST or PATCH is not retried, since it may have been processed',
    observed:
      'GET ×2, POST ×1, PATCH ×1; GET answered, POST ConnectionError (exchange), PATCH ConnectionError (exchange); POST charged unknown, spent 0, uncertain 2',
    run: () =>
      onWire((socket, _, count) =>
        count === 1 ? socket.resetAndDestroy() : void socket.end(http('200 OK', body)),
      ),
  },
  {
    id: 9,
    name: 'a connection that was kept alive turns out dead',
    expected: 'the POST is sent once: a runtime that retries it would buy twice',
    observed:
      'two searches, 2 requests; ConnectionError (exchange), ECONNRESET, no cause, charged unknown, spent 2, uncertain 2',
    run: async () => {
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
  },
  {
    id: 10,
    name: 'no response ever arrives',
    expected: 'the timeout ends each attempt; a paid one is not retried, since it may still be charged',
    observed: `GET ×3, POST ×1, PATCH ×1; TimeoutError (headers); ${unknown}`,
    run: () => onWire(() => {}, { timeout: 400 }),
  },
  {
    id: 11,
    name: 'the body stalls after the headers',
    expected: 'the same timer covers the body: a timer that stops at the headers would hang for ever',
    observed: `GET ×3, POST ×1, PATCH ×1; TimeoutError (body); ${unknown}`,
    run: () =>
      onWire((socket) => void socket.write(http('200 OK', '{', { 'content-length': '9' })), { timeout: 400 }),
  },
  {
    id: 12,
    name: 'the body stalls, and another call waits for the slot',
    expected: 'the timeout frees the slot, so the next call is sent',
    observed: 'TimeoutError (body), then answered',
    run: async () => {
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
    },
  },
  {
    id: 13,
    name: 'the body comes a byte a second, and the call has a deadline of 5 s',
    expected: 'the deadline wins over a connection that looks alive',
    observed: 'TimeoutError (body) at 5000 ms, charged unknown, spent 0, uncertain 2; body cancelled',
    run: () => drip({ deadline: 5000 }),
  },
  {
    id: 14,
    name: 'the body comes a byte a second, without a deadline',
    expected: 'the timeout of 30 s bounds the attempt to its last byte, not to the latest one',
    observed: 'TimeoutError (body) at 30000 ms, charged unknown, spent 0, uncertain 2; body cancelled',
    run: () => drip({}),
  },
  {
    id: 15,
    name: 'the body resets in the middle of its JSON',
    expected: ambiguous,
    observed: `${reset}; ${unknown}`,
    run: () =>
      onWire((socket) => {
        socket.write(http('200 OK', body.slice(0, 50), { 'content-length': '9999' }))
        setTimeout(() => socket.resetAndDestroy(), 20)
      }),
  },
  {
    id: 16,
    name: 'the body ends before its Content-Length',
    expected: ambiguous,
    observed: `${reset}; ${unknown}`,
    run: () => onWire((socket) => void socket.end(http('200 OK', body, { 'content-length': '9999' }))),
  },
  {
    id: 17,
    name: 'a chunked body ends without its last chunk, after whole JSON',
    expected: 'an incomplete body is not a response, even if it parses',
    observed: `${reset}; ${unknown}`,
    run: () =>
      onWire((socket) => {
        const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
        socket.end(`${head}${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`)
      }),
  },
  {
    id: 18,
    name: 'no response arrives, and the request was garbage collected',
    expected: 'the timeout still closes the connection: the service counts an open one as in flight',
    observed: 'TimeoutError (headers), connection closed',
    run: () => collected(() => {}),
  },
  {
    id: 19,
    name: 'the body stalls, and the request was garbage collected',
    expected: 'the timeout still closes the connection: the service counts an open one as in flight',
    observed: 'TimeoutError (body), connection closed',
    run: () => collected((socket) => void socket.write(http('200 OK', 'x', { 'content-length': '9' }))),
  },
])
