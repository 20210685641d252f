import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '../../lib/thrown.ts'
import { toNodeListener } from '../node/index.ts'
import { integer } from './check-arguments.ts'
import { catalogPath } from './catalog.ts'
import { basePath } from './routes.ts'
import { readBody } from './read-body.ts'
import { type Service, createService } from './service.ts'
import type { Sandbox, SandboxClientOptions, SandboxOptions, SandboxPublication } from './types.ts'

const publishPath = '/publish'

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
  /** Takes POSTs from other processes: what `publish()` takes, as JSON, with `writeKey` as bearer token. */
  readonly publishUrl: string
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
 * @throws {TypeError} when an option is out of bounds
 */
export async function serveSandbox(options: SandboxServerOptions = {}): Promise<SandboxServer> {
  const { port = 0, host = '127.0.0.1', ...rest } = options
  integer('serveSandbox() option port', port, 0, 65_535)
  const service = createService(rest)
  const server = createServer(toNodeListener((request) => answer(service, request)))

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
  const baseUrl = origin + basePath
  return {
    ...service.sandbox,
    port: actualPort,
    baseUrl,
    publishUrl: origin + publishPath,
    clientOptions() {
      const options = service.sandbox.clientOptions()
      delete options.fetch
      return { ...options, baseUrl }
    },
    catalog: { ...service.sandbox.catalog, baseUrl: origin + catalogPath },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function answer(service: Service, request: Request): Promise<Response> {
  const response = await handle(service, request)
  response.headers.set('access-control-allow-origin', '*')
  return response
}

function handle(service: Service, request: Request): Response | Promise<Response> {
  const { method, headers } = request
  if (method === 'OPTIONS' && headers.has('access-control-request-method')) return preflight(request)
  if (method === 'POST' && new URL(request.url).pathname === publishPath)
    return publish(service.sandbox, request)
  return service.handle(request, 'until read')
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

async function publish(sandbox: Sandbox, request: Request): Promise<Response> {
  if (request.headers.get('authorization') !== `Bearer ${sandbox.writeKey}`)
    return new Response('publishing needs the key to write as bearer token\n', { status: 401 })
  const body = await readBody(request)
  if (body.kind !== 'json') return new Response('the body must be JSON, up to 1 MiB\n', { status: 400 })
  try {
    sandbox.publish(body.value as SandboxPublication)
    return new Response(null, { status: 204 })
  } catch (error) {
    return new Response(`${messageOf(error)}\n`, { status: 400 })
  }
}
