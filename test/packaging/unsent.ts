import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import http2, { type ServerHttp2Stream } from 'node:http2'
import net, { type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { untrustedCertificate } from '../support/certificate.ts'
import { portOf } from '../support/listening.ts'

/** Whether a search may have been charged; `all` runtimes but those that are named. */
type Charges = Readonly<Record<string, 'no' | 'unknown'>>

interface Service {
  readonly charged: Charges
  /** Starts it, and returns its base URL. */
  start(): Promise<string>
}

const trusted = untrustedCertificate()
/** The authority that the runtimes must trust. */
export const authority = trusted.cert

const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_CANCEL } = http2.constants

const unsent: Charges = { all: 'no' }
const sent: Charges = { all: 'unknown' }
/** Bun has one code for a failed handshake and for TLS that breaks later, and one for every reset. */
const unsentButBun: Charges = { all: 'no', Bun: 'unknown' }
/** Node alone tells whether it has begun to send a request. */
const unsentOnNode: Charges = { all: 'unknown', 'Node 22': 'no', 'Node 24': 'no', 'Node 26': 'no' }
/** Node 22 and 24, and Bun, do not speak HTTP/2, so that the handshake fails. */
const sentByHttp2: Charges = { all: 'unknown', 'Node 22': 'no', 'Node 24': 'no' }

/** What services do, and what a search there is charged. */
const services: Readonly<Record<string, Service>> = {
  'connection refused': { charged: unsent, start: closedPort },
  'unknown host': { charged: unsent, start: () => Promise.resolve('https://unknown.invalid/v1') },
  'address without a route': { charged: unsent, start: () => Promise.resolve('https://255.255.255.255/v1') },
  'port that fetch refuses': { charged: unsent, start: () => Promise.resolve('https://127.0.0.1:6000/v1') },
  'certificate that is not trusted': {
    charged: unsent,
    start: () => overTls(() => {}, untrustedCertificate()),
  },
  'alert internal_error in the handshake': inHandshake((socket) => socket.end(alert(80))),
  'alert access_denied in the handshake': inHandshake((socket) => socket.end(alert(49))),
  'alert protocol_version in the handshake': inHandshake((socket) => socket.end(alert(70))),
  'reset in the handshake': inHandshake((socket) => socket.resetAndDestroy()),
  'end in the handshake': inHandshake((socket) => socket.end()),
  'plain HTTP in the handshake': inHandshake((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  'HTTP/2 stream refused': {
    charged: unsentButBun,
    start: () => overHttp2((stream) => stream.close(NGHTTP2_REFUSED_STREAM)),
  },
  'connection that never opens': { charged: unsentOnNode, start: stoppedProcess },
  'handshake that is never answered': { ...inHandshake(() => {}), charged: unsentOnNode },
  // The service has read the requests to all others.
  'reset after the request': { charged: sent, start: () => overTcp((socket) => socket.resetAndDestroy()) },
  'end after the request': { charged: sent, start: () => overTcp((socket) => socket.end()) },
  'reset after the request on a kept connection': {
    charged: sent,
    start: () => overTcp((socket, count) => (count === 1 ? socket.write(answer) : socket.resetAndDestroy())),
  },
  'body that breaks off': {
    charged: sent,
    start: () => overTcp((socket) => socket.write(answer.slice(0, -9), () => socket.resetAndDestroy())),
  },
  redirect: { charged: sent, start: () => overTcp((socket) => socket.write(redirect)) },
  'end after the request, over TLS': { charged: sent, start: () => overTls((socket) => socket.end()) },
  'TLS that breaks after the request': { charged: sent, start: () => brokenTls(Buffer.alloc(37, 0x15)) },
  'alert without encryption after the request': { charged: sent, start: () => brokenTls(alert(80)) },
  'HTTP/2 stream that fails after the request': {
    charged: sentByHttp2,
    start: () => afterHttp2((stream) => stream.close(NGHTTP2_INTERNAL_ERROR)),
  },
  'HTTP/2 stream canceled after the request': {
    charged: sentByHttp2,
    start: () => afterHttp2((stream) => stream.close(NGHTTP2_CANCEL)),
  },
  'HTTP/2 connection that ends after the request': {
    charged: sentByHttp2,
    start: () => afterHttp2((stream) => stream.session?.destroy()),
  },
  'HTTP/2 service that resets a kept connection after the request, and is gone': {
    charged: sentByHttp2,
    start: goneAfterHttp2,
  },
}

/** Requests to each service that counts them, by its base URL. */
export const arrived = new Map<string, number>()

const servers: Server[] = []
const processes: ChildProcess[] = []

/** Base URLs by the names of the services. */
export async function startServices(): Promise<Record<string, string>> {
  const started = Object.entries(services).map(async ([name, { start }]) => [name, await start()] as const)
  return Object.fromEntries(await Promise.all(started))
}

export function stopServices(): void {
  for (const server of servers.splice(0)) server.close()
  for (const child of processes.splice(0)) child.kill('SIGKILL')
}

/** What the package must say on a runtime. */
export function expectedCharges(runtime: string): Record<string, string> {
  const rows = Object.entries(services)
  return Object.fromEntries(
    rows.map(([name, { charged }]) => [name, charged[runtime] ?? charged['all'] ?? '']),
  )
}

const page = JSON.stringify({ requestId: 'r', posts: [], meta: { returnedCount: 0, hasMore: false } })
const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${page.length}\r\n\r\n${page}`
const redirect = 'HTTP/1.1 307 Temporary Redirect\r\nlocation: /v1/elsewhere\r\ncontent-length: 0\r\n\r\n'
const alert = (number: number): Buffer => Buffer.from([0x15, 3, 3, 0, 2, 2, number])

async function listen(server: Server): Promise<number> {
  servers.push(server)
  return portOf(server)
}

/** Accepts nothing: once its queue is full, the system drops what would open further connections. */
async function stoppedProcess(): Promise<string> {
  const program = `require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', program])
  processes.push(child)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.kill('SIGSTOP')
  const connect = () => net.connect(Number(line), '127.0.0.1').on('error', () => {})
  for (let i = 0; i < 6; i++) connect().unref()
  await sleep(500)
  return `http://127.0.0.1:${Number(line)}/v1`
}

async function closedPort(): Promise<string> {
  const server = net.createServer()
  const port = await listen(server)
  await new Promise((closed) => server.close(closed))
  return `http://127.0.0.1:${port}/v1`
}

function inHandshake(act: (socket: Socket) => void): Service {
  const server = net.createServer((socket) => socket.on('error', () => {}).once('data', () => act(socket)))
  return { charged: unsentButBun, start: async () => `https://127.0.0.1:${await listen(server)}/v1` }
}

/** Acts when a request is complete. */
function onRequests(socket: Socket, act: (socket: Socket) => void): void {
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    if (!received.includes('"query"')) return
    received = ''
    act(socket)
  })
}

async function overTcp(act: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0
  const server = net.createServer((socket) =>
    onRequests(socket, () => {
      arrived.set(baseUrl, ++count)
      act(socket, count)
    }),
  )
  const baseUrl = `http://127.0.0.1:${await listen(server)}/v1`
  return baseUrl
}

async function overTls(act: (socket: Socket) => void, certificate = trusted): Promise<string> {
  const server = tls.createServer(certificate, (socket) => onRequests(socket, act))
  server.on('tlsClientError', () => {})
  return `https://127.0.0.1:${await listen(server)}/v1`
}

/** Forwards bytes to a TLS server, until that has read a request; then the client gets other bytes. */
async function brokenTls(bytes: Buffer): Promise<string> {
  const clients = new Map<number, Socket>()
  const inner = tls.createServer(trusted, (socket) =>
    onRequests(socket, () => clients.get(socket.remotePort ?? 0)?.end(bytes)),
  )
  const port = await listen(inner)
  const relay = net.createServer((client) => {
    client.on('error', () => {})
    const upstream = net.connect(port, '127.0.0.1', () => clients.set(upstream.localPort ?? 0, client))
    upstream.on('error', () => {}).on('data', (part) => !client.writableEnded && client.write(part))
    client.pipe(upstream)
    // A pipe does not end what it leads to when its source is reset, and this process would not exit.
    client.on('close', () => upstream.destroy())
  })
  return `https://127.0.0.1:${await listen(relay)}/v1`
}

async function overHttp2(act: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = http2.createSecureServer(trusted).on('sessionError', () => {})
  server.on('stream', (stream) => act(stream.on('error', () => {})))
  return `https://127.0.0.1:${await listen(server)}/v1`
}

const afterHttp2 = (act: (stream: ServerHttp2Stream) => void): Promise<string> =>
  overHttp2((stream) => stream.resume().on('end', () => act(stream)))

async function goneAfterHttp2(): Promise<string> {
  const sockets = new Set<Socket>()
  let count = 0
  const server = http2.createSecureServer(trusted).on('sessionError', () => {})
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.on('stream', (stream) => {
    stream.on('error', () => {}).resume()
    stream.on('end', () => {
      if (++count === 1) {
        stream.respond({ ':status': 200 })
        stream.end(page)
        return
      }
      server.close()
      setTimeout(() => sockets.forEach((socket) => socket.resetAndDestroy()), 20)
    })
  })
  return `https://127.0.0.1:${await listen(server)}/v1`
}
