import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type RequestHandler, toNodeListener } from '../../src/extensions/node/index.ts'
import { closed, listening } from '../support/listening.ts'

export interface Site {
  readonly origin: string
  close(): Promise<void>
}

export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** A script of `pages/`, bundled with the built package as a user would. */
export async function bundle(script: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'pages', script)],
    bundle: true,
    format: 'esm',
    write: false,
    // The package is seen from inside here, where it warns of imports that it rightly leaves out.
    logLevel: 'error',
    // The project's own tsconfig would lead to the sources.
    tsconfigRaw: {},
  })
  return outputFiles[0]?.text ?? ''
}

/** An empty page at `/` that runs a script, and what else there is of its site. */
interface PageOptions {
  /** The policy is as strict as that of a careful user: no inline scripts, no eval, nothing from elsewhere but this. */
  readonly connect: string
  readonly headers?: Readonly<Record<string, string>>
  /** Responds to other requests. */
  readonly answer?: RequestHandler
  /** What stands between the browser and the server. */
  readonly between?: (listener: Listener) => Listener
}

export async function servePage(script: string, options: PageOptions): Promise<Site> {
  const { connect, answer = () => new Response(null, { status: 204 }), between } = options
  const policy = `default-src 'none'; img-src 'self'; script-src 'self'; connect-src ${connect}`
  const html = '<!doctype html><title>Site</title><script type="module" src="/app.js"></script>'
  const file = (type: string, text: string) =>
    new Response(text, {
      headers: { 'content-type': type, 'content-security-policy': policy, ...options.headers },
    })
  const listener = toNodeListener((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/') return file('text/html', html)
    return pathname === '/app.js' ? file('text/javascript', script) : answer(request)
  })
  const server = createServer(between?.(listener) ?? listener)
  return { origin: await listening(server), close: () => closed(server) }
}

/** Serves a page with a script of `pages/`, which may call the API on this machine. */
export const serveSite = async (script: string): Promise<Site> =>
  servePage(await bundle(script), { connect: "'self' http://127.0.0.1:*" })
