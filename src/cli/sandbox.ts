import { parseArgs } from 'node:util'
import { exampleCommand } from '../sandbox/example.ts'
import { type SandboxServer, serveSandbox } from '../sandbox/node.ts'

const defaultPort = '4010'

/** Reads the port from `--port` or the variable PORT. Throws an Error with a message for the user. */
function readPort(): number {
  const { values } = parseArgs({ options: { port: { type: 'string' } } })
  const text = values.port ?? process.env['PORT'] ?? defaultPort
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (!(port <= 65_535))
    throw new Error(`the port must be an integer from 0 to 65535, got ${JSON.stringify(text)}`)
  return port
}

function greeting(server: SandboxServer): string {
  return `Sandbox of the Social Search API, with made-up posts

  Base URL  ${server.baseUrl}
  API key   ${server.apiKey}

Try it:

${exampleCommand(server)}

Ctrl+C ends it.`
}

function giveUp(error: unknown, exitCode: number): never {
  console.error(`sandbox: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(exitCode)
}

let port: number
try {
  port = readPort()
} catch (error) {
  giveUp(error, 2)
}

const server = await serveSandbox({ port }).catch((error: unknown) => giveUp(error, 1))
console.log(greeting(server))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
