import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type RequestListener, createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createMcp } from '../../src/extensions/mcp/index.ts'
import { toNodeListener } from '../../src/extensions/node/index.ts'
import { closed, listening } from '../support/listening.ts'
import { setUp } from './loop.ts'

const suite = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const command = join(import.meta.dirname, '../../src/cli/main.ts')

/**
 * Scenarios of the official suite that apply to any server. The others ask for tools of fixed names that only a
 * server made for the suite has, or for resources, prompts, logging, completion and subscriptions, which this one does not offer.
 */
const applicable = ['server-initialize', 'ping', 'tools-list']

it('createMcp() conforms over HTTP', async () => {
  const mcp = createMcp({ client: setUp().client, budget: 5 })
  const results = await run(toNodeListener(mcp.fetch))
  for (const scenario of [...applicable, 'dns-rebinding-protection'])
    expect(results.get(scenario), scenario).toMatch(/^[1-9]\d* passed, 0 failed$/)
})

it('social-search mcp conforms over stdio', async () => {
  const child = spawn(process.execPath, [command, 'mcp', '--sandbox'], { stdio: ['pipe', 'pipe', 'ignore'] })
  try {
    const results = await run(bridgeTo(child.stdin, child.stdout))
    for (const scenario of applicable)
      expect(results.get(scenario), scenario).toMatch(/^[1-9]\d* passed, 0 failed$/)
  } finally {
    child.kill()
    await once(child, 'exit')
  }
})

/** Runs the suite, which speaks HTTP only; returns what it says of each scenario. */
async function run(listener: RequestListener): Promise<Map<string, string>> {
  const server = createServer(listener)
  // The scenario of DNS rebinding needs the name.
  const url = `${(await listening(server)).replace('127.0.0.1', 'localhost')}/mcp`
  // Exits with an error for the scenarios that do not apply.
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [suite, 'server', '--url', url, '--suite', 'all'], (_, stdout) =>
      resolve(stdout),
    )
  })
  await closed(server)
  const lines = output.matchAll(/^[✓✗] ([\w-]+): (\d+ passed, \d+ failed)/gm)
  return new Map(Array.from(lines, ([, name = '', result = '']) => [name, result]))
}

/** Passes the messages of HTTP requests to a process, and its answers back. */
function bridgeTo(input: NodeJS.WritableStream, output: NodeJS.ReadableStream): RequestListener {
  const waiting = new Map<unknown, (message: object) => void>()
  createInterface({ input: output }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: unknown }
    waiting.get(message.id)?.(message)
  })
  let latest = 0
  return (request, response) => {
    void text(request).then((body) => {
      if (request.method !== 'POST') {
        response.writeHead(405).end()
        return
      }
      const message = JSON.parse(body) as { id?: unknown }
      const id = message.id === undefined ? undefined : ++latest
      if (id === undefined) response.writeHead(202).end()
      else
        waiting.set(id, (answer) => {
          response.writeHead(200, { 'content-type': 'application/json' })
          response.end(JSON.stringify({ ...answer, id: message.id }))
        })
      input.write(`${JSON.stringify({ ...message, id })}\n`)
    })
  }
}
