import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { serveSandbox } from '../support/sandbox.ts'

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2026-06-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

/**
 * Runs `consumer/worker.mjs` on workerd, where no request may wake another: a client that is kept, one for each request and
 * a proxy that is kept, each with one request, another, eight at once and two more; then fifty over the client that is kept, and
 * one over a sandbox that is made before any request, and four after a request that has left two calls in flight and two in the
 * queue. No request may warn.
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
  writeFileSync(join(folder, 'worker.capnp'), config)
  const ask = async (origin: string, path: string): Promise<unknown> => {
    const body = '{"query":"coffee","count":1}'
    const search = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
    const signal = AbortSignal.timeout(20_000)
    const response = await fetch(origin + path, { ...(path.startsWith('/data') && search), signal })
    const answer = (await response.json()) as { posts?: unknown[] }
    return answer.posts?.length ?? answer
  }
  await whileServing(folder, async (origin) => {
    const together = (path: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => ask(origin, path)))
    for (const path of ['/client', '/new-client', '/data/microblog/tweets/search'])
      for (const count of [1, 1, 8, 2])
        assert.deepEqual(await together(path, count), Array(count).fill(1), `${count} at once to ${path}`)
    assert.deepEqual(await together('/client', 50), Array(50).fill(1))
    assert.equal(await ask(origin, '/sandbox'), 1)
    assert.equal(server.requests.length, 3 * 12 + 50)
    assert.equal(server.ledger.spent, 2 * server.requests.length)
    assert.equal(await ask(origin, '/leave'), 'left')
    assert.deepEqual(await together('/client', 4), Array(4).fill(1), 'after a request that left its calls')
    assert.equal(Math.max(...server.requests.map(({ inFlight }) => inFlight)), 2)
  })
}

/** Runs workerd with the configuration in the folder, on a port that it chooses and tells, until some work has ended. */
async function whileServing(folder: string, work: (origin: string) => Promise<void>): Promise<void> {
  const workerd = join(folder, 'node_modules/.bin/workerd')
  const child = spawn(workerd, ['serve', 'worker.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['inherit', 'inherit', 'pipe', 'pipe'],
  })
  // Such as a promise that another request has resolved.
  const warnings = text(child.stderr as Readable)
  const ended = once(child, 'exit')
  try {
    const told = once(createInterface(child.stdio[3] as Readable), 'line')
    const [line] = (await Promise.race([told, ended])) as [string]
    await work(`http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`)
  } finally {
    // Asked politely, it would wait for requests that hang.
    child.kill('SIGKILL')
    await ended
  }
  assert.equal(await warnings, '')
}
