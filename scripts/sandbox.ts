import { parseArgs } from 'node:util'
import { microblogSearch } from '../src/api/microblog.ts'
import { type SandboxServer, serveSandbox } from '../src/sandbox/node.ts'
import { defaultScopes } from '../src/sandbox/admission.ts'
import type { SandboxLimits } from '../src/sandbox/types.ts'

const defaultPort = '4010'

const help = `Serves the sandbox of the Social Search API until it is stopped.

  npm run sandbox -- [options]

  --port PORT       port to listen on, 0 for any free port; default: the
                    variable PORT, or ${defaultPort}
  --per-minute N    requests a minute that each search surface accepts, or off;
                    default 20
  --in-flight N     requests that may be open at once, or off; default 2
  --help            shows this`

/** A further key, for the call whose scope new keys do not have. */
const writer = { key: 'sandbox_key_that_may_write', scopes: [...defaultScopes, 'mentions:write'] } as const

/** Parses the command line; returns null for help. Throws an Error with a message for the user. */
function readOptions(): { port: number; limits: SandboxLimits } | null {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { port: text, 'per-minute': text, 'in-flight': text, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return null
  const port = values.port ?? process.env['PORT'] ?? defaultPort
  const perMinute = readLimit('--per-minute', values['per-minute'])
  const inFlight = readLimit('--in-flight', values['in-flight'])
  return {
    port: readNumber('the port', port, 0, 65_535),
    limits: { ...(perMinute !== undefined && { perMinute }), ...(inFlight !== undefined && { inFlight }) },
  }
}

function readLimit(name: string, text: string | undefined): number | false | undefined {
  if (text === undefined) return undefined
  return text === 'off' ? false : readNumber(name, text, 1, 99_999, 'off or ')
}

function readNumber(name: string, text: string, min: number, max: number, or = ''): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (number >= min && number <= max) return number
  throw new Error(`${name} must be ${or}an integer from ${min} to ${max}, got ${JSON.stringify(text)}`)
}

function greeting(server: SandboxServer): string {
  return `Sandbox of the Social Search API, with made-up posts

  Base URL       ${server.baseUrl}
  API key        ${server.apiKey}
  Key to write   ${writer.key} (has mentions:write, too)
  Catalog URL    ${server.catalog.baseUrl}
  Catalog token  ${server.catalog.token}

Try it:

  curl ${server.baseUrl}${microblogSearch.path} \\
    -H 'Authorization: Bearer ${server.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{ "query": "typescript", "category": "Latest", "count": 3 }'

Ctrl+C ends it.`
}

function explain(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
  return code === 'EADDRINUSE'
    ? `port ${port} is in use; choose another with --port, or any free port with --port 0`
    : message
}

function giveUp(error: unknown, exitCode: number): never {
  console.error(`sandbox: ${explain(error)}`)
  process.exit(exitCode)
}

let options: ReturnType<typeof readOptions>
try {
  options = readOptions()
} catch (error) {
  giveUp(error, 2)
}

if (options === null) console.log(help)
else {
  const server = await serveSandbox({ ...options, keys: [writer] }).catch((error: unknown) =>
    giveUp(error, 1),
  )
  console.log(greeting(server))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
}
