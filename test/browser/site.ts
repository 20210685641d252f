import { createServer } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import { closed, listening } from '../support/listening.ts'

/** As strict as a page of a careful user: no inline scripts, no eval, nothing from elsewhere but the API. */
const policy = "default-src 'none'; img-src 'self'; script-src 'self'; connect-src 'self' http://127.0.0.1:*"

export interface Site {
  readonly origin: string
  close(): Promise<void>
}

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

/** Serves an empty page at `/`, with a script of `pages/` in it. */
export async function serveSite(script: string): Promise<Site> {
  const text = await bundle(script)
  const html = '<!doctype html><title>test</title><script type="module" src="/app.js"></script>'
  const files: Record<string, readonly [type: string, text: string]> = {
    '/': ['text/html', html],
    '/app.js': ['text/javascript', text],
  }
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname
    const [type, content] = files[path] ?? []
    if (type === undefined) {
      response.writeHead(204).end()
      return
    }
    response.writeHead(200, {
      'content-type': type,
      'content-security-policy': policy,
    })
    response.end(content)
  })
  return { origin: await listening(server), close: () => closed(server) }
}
