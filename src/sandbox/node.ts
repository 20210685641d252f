import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { integer } from './arguments.ts'
import { catalogPath } from './catalog.ts'
import { maxBodyBytes } from './read-body.ts'
import { basePath } from './routes.ts'
import { type Service, createService } from './service.ts'
import type { Sandbox, SandboxOptions } from './types.ts'

/** How a sandbox server is set up; every field is optional. */
export interface SandboxServerOptions extends SandboxOptions {
  /** Port to listen on. Default 0: any that is free. */
  port?: number
  /** Address to listen on. Default `127.0.0.1`, which only this machine can reach. */
  host?: string
}

/** A sandbox that answers over HTTP. */
export interface SandboxServer extends Sandbox {
  readonly port: number
  /** Ends all connections, answered or not, and stops listening. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves a sandbox over real HTTP, for programs in any language. Browser pages of any origin may call it.
 *
 * @example
 * const server = await serveSandbox({ port: 4010 })
 * console.log(server.baseUrl, server.apiKey)
 * await server.close()
 *
 * @throws {TypeError} when an option is out of bounds
 */
export async function serveSandbox(options: SandboxServerOptions = {}): Promise<SandboxServer> {
  const { port = 0, host = '127.0.0.1', ...rest } = options
  integer('serveSandbox() option port', port, 0, 65_535)
  const service = createService(rest)
  const server = createServer((incoming, outgoing) => void answer(service, incoming, outgoing))

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })

  let closed: Promise<void> | undefined
  function close(): Promise<void> {
    closed ??= new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return closed
  }

  const actualPort = (server.address() as AddressInfo).port
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`
  return {
    ...service.sandbox,
    port: actualPort,
    baseUrl: origin + basePath,
    catalog: { ...service.sandbox.catalog, baseUrl: origin + catalogPath },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function answer(service: Service, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const left = new AbortController()
  outgoing.once('close', () => left.abort())
  // A client that is gone is no error here; without a listener, writing to it would end the process.
  outgoing.on('error', () => {})
  outgoing.setHeader('access-control-allow-origin', '*')
  try {
    if (incoming.method === 'OPTIONS' && incoming.headers['access-control-request-method'] !== undefined) {
      answerPreflight(incoming, outgoing)
      return
    }
    const request = await toRequest(incoming, left.signal)
    if (request === null) {
      outgoing.writeHead(400).end()
      return
    }
    await send(await service.handle(request, 'until read'), outgoing)
  } catch {
    outgoing.socket?.resetAndDestroy()
  }
}

/** Lets pages of any origin call, but not read `Retry-After`: they have to make do with the body. */
function answerPreflight(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH',
    'access-control-allow-headers': incoming.headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': '600',
  })
  outgoing.end()
}

/** Returns null for what `fetch` could not have sent, such as the method TRACE. */
async function toRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request | null> {
  const { method = 'GET', url = '/' } = incoming
  const body = await collect(incoming)
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(incoming.headersDistinct))
    headers.set(name, values.join(', '))
  try {
    return new Request(url.startsWith('/') ? `http://sandbox.invalid${url}` : url, {
      method,
      headers,
      signal,
      ...(method !== 'GET' && method !== 'HEAD' && { body }),
    })
  } catch {
    return null
  }
}

/** Keeps one byte more than is allowed, enough to see that it is too much, and drops the rest. */
async function collect(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let kept = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, maxBodyBytes + 1 - kept)
    kept += part.length
    if (part.length > 0) chunks.push(part)
  }
  return Buffer.concat(chunks)
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  for await (const chunk of response.body ?? []) {
    // What was sent before a reset must have left, or the client would see the reset alone.
    await new Promise<unknown>((written) => outgoing.write(chunk, written))
  }
  outgoing.end()
}
