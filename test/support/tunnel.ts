import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { untrustedCertificate } from './certificate.ts'
import { page } from './pages.ts'
import { portOf } from './listening.ts'

/** A service at `https://api.invalid/v1` that only a proxy reaches, and that only a CA of its own vouches for. */
export interface TunnelledService {
  readonly baseUrl: string
  /** Address of the proxy, which refuses other hosts. */
  readonly proxy: string
  /** Certificate of the service, which is its CA, too. */
  readonly ca: string
  /** The client certificate that the service asks for. */
  readonly client: { readonly cert: string; readonly key: string }
  /** Requests that have arrived, each with whether it had the client certificate. */
  readonly arrived: boolean[]
  close(): Promise<void>
}

export async function tunnelledService(): Promise<TunnelledService> {
  const { cert: ca, key } = untrustedCertificate('api.invalid')
  const client = untrustedCertificate('client')
  const arrived: boolean[] = []
  const options = { cert: ca, key, ca: client.cert, requestCert: true, rejectUnauthorized: false }
  const service = createTlsServer(options, ({ socket }, response) => {
    arrived.push((socket as unknown as { authorized: boolean }).authorized)
    response.end(JSON.stringify(page(['1'])))
  })
  const servicePort = await portOf(service)
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    socket.on('error', () => {})
    if (!url.startsWith('api.')) return socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
    const tunnel = connect(servicePort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      tunnel.pipe(socket).pipe(tunnel)
    })
    return tunnel.on('error', () => {})
  })
  const proxyPort = await portOf(proxy)
  return {
    baseUrl: 'https://api.invalid/v1',
    proxy: `http://127.0.0.1:${proxyPort}`,
    ca,
    client,
    arrived,
    async close() {
      for (const server of [service, proxy]) {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      }
    },
  }
}
