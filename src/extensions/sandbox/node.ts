import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeListener } from '../node/index.ts'
import { createService } from './service.ts'
import type { Sandbox, SandboxClientOptions, SandboxOptions } from './types.ts'

/** How a sandbox server is set up; every field is optional. */
export interface SandboxServerOptions extends SandboxOptions {
  /** Port to listen on. Default 0: any free port. */
  port?: number | undefined
  /** Address to listen on. Default `127.0.0.1`, which only this machine can reach. */
  host?: string | undefined
}

/** A sandbox that answers over HTTP. */
export interface SandboxServer extends Sandbox {
  readonly port: number
  /** Options for `new SocialSearch()`, as plain data: a test can pass them to a page. */
  clientOptions(): Omit<SandboxClientOptions, 'fetch'>
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
 * @throws {ConfigurationError} for an unknown option, and for content that the service would not send.
 */
export async function serveSandbox(options: SandboxServerOptions = {}): Promise<SandboxServer> {
  const { port = 0, host = '127.0.0.1', ...rest } = options
  const { sandboxAt, handle } = createService(rest)
  const server = createServer((incoming, outgoing) => {
    const respond = async (request: Request): Promise<Response> => {
      const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
      const response = isPreflight ? preflight(request) : await handle(request)
      response.headers.set('access-control-allow-origin', '*')
      return response
    }
    // An injected fault, or the client has left.
    const reset = (): Response => {
      incoming.socket.resetAndDestroy()
      return new Response()
    }
    toNodeListener((request) => respond(request).catch(reset))(incoming, outgoing)
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })

  let closed: Promise<void> | undefined
  function close(): Promise<void> {
    // Runtimes differ in whether closing a closed server calls back.
    closed ??= new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return closed
  }

  const actualPort = (server.address() as AddressInfo).port
  const sandbox = sandboxAt(`http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`)
  return {
    ...sandbox,
    port: actualPort,
    clientOptions() {
      const options = sandbox.clientOptions()
      delete options.fetch
      return options
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Lets pages of any origin call, but not read `Retry-After`: they have to make do with the body. */
function preflight({ headers }: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, PUT, PATCH',
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '*',
      'access-control-max-age': '600',
    },
  })
}
