import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { serveSandbox } from '../../src/extensions/sandbox/node.ts'

const config = (port: number) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2026-06-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`

/**
 * Runs `consumer/worker.mjs` on workerd, where no request may wake another: a client that is kept, one for each request and
 * a proxy that is kept, each with one request, another, eight at once and two more; then fifty over the client that is kept.
 *
 * @param folder Where the package and workerd are installed.
 */
export async function runOnWorkerd(folder: string): Promise<void> {
  await using server = await serveSandbox({ limits: { perMinute: false }, latency: [5, 20] })
  const worker = readFileSync(join(folder, 'worker.mjs'), 'utf8')
    .replace('BASE_URL', server.baseUrl)
    .replace('API_KEY', server.apiKey)
  await build({
    stdin: { contents: worker, resolveDir: folder },
    ...{ bundle: true, format: 'esm', outfile: join(folder, 'worker.js'), external: ['node:*'] },
    // Like wrangler.
    conditions: ['workerd', 'worker', 'browser'],
    // The project's own tsconfig would lead to the sources.
    tsconfigRaw: {},
  })
  const port = await freePort()
  writeFileSync(join(folder, 'worker.capnp'), config(port))
  const ask = async (path: string): Promise<unknown> => {
    const init = path.startsWith('/data')
      ? {
          method: 'POST',
          body: '{"query":"coffee","count":1}',
          headers: { 'content-type': 'application/json' },
        }
      : {}
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      signal: AbortSignal.timeout(20_000),
    })
    const answer = (await response.json()) as { posts?: unknown[] }
    return answer.posts?.length ?? answer
  }
  const together = (path: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => ask(path)))
  await whileServing(folder, 'worker.capnp', port, async () => {
    for (const path of ['/client', '/new-client', '/data/microblog/tweets/search'])
      for (const count of [1, 1, 8, 2])
        assert.deepEqual(await together(path, count), Array(count).fill(1), `${count} at once to ${path}`)
    assert.deepEqual(await together('/client', 50), Array(50).fill(1))
    assert.equal(server.requests.length, 3 * 12 + 50)
    assert.equal(server.ledger.spent, 2 * server.requests.length)
    assert.equal(Math.max(...server.requests.map(({ inFlight }) => inFlight)), 2)
  })
}

/** Runs workerd with a configuration in the folder until some work has ended. */
export async function whileServing(
  folder: string,
  config: string,
  port: number,
  work: () => Promise<void>,
): Promise<void> {
  const child = spawn(join(folder, 'node_modules/.bin/workerd'), ['serve', config], {
    cwd: folder,
    stdio: 'inherit',
  })
  try {
    await started(port)
    await work()
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function started(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      await fetch(`http://127.0.0.1:${port}/`)
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  throw new Error('workerd has not started')
}
