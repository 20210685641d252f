import { type Socket, createServer } from 'node:net'
import { portOf } from './listening.ts'

/** A server that sends any bytes. */
export interface RawServer {
  baseUrl: string
  /** What arrived, one entry for each request. */
  requests: string[]
  /** Connections that are open. */
  open(): number
  close(): Promise<void>
}

/** Listens on a free port of 127.0.0.1 and hands every complete request to `answer`. */
export async function rawServer(
  answer: (socket: Socket, request: string, count: number) => void,
): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const [head = '', body = ''] = received.split('\r\n\r\n', 2)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      const isWhole = !/transfer-encoding: chunked/i.test(head) || received.endsWith('0\r\n\r\n')
      if (!received.includes('\r\n\r\n') || body.length < length || !isWhole) return
      requests.push(received)
      const request = received
      received = ''
      answer(socket, request, requests.length)
    })
  })
  const port = await portOf(server)
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    open: () => sockets.size,
    close: () =>
      new Promise((closed) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => closed())
      }),
  }
}

/** An HTTP response with a JSON body, as bytes. */
export function http(status: string, body: string | Buffer, headers: Record<string, string> = {}): Buffer {
  const all = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${head.join('')}\r\n`), Buffer.from(body)])
}
