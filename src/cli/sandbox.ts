import { type SandboxServer, serveSandbox } from '../extensions/sandbox/node.ts'
import { UsageError } from './command-errors.ts'
import { type SharedFlags, dateOf, numberOf, perMinuteOf, wholeNumberOf } from './flags.ts'
import { print } from './terminal.ts'

export interface SandboxFlags extends Pick<SharedFlags, 'perMinute'> {
  readonly port: string
  readonly growth?: string
  readonly now?: string
}

/** Serves a sandbox over HTTP until a signal ends it. */
export async function sandbox(flags: SandboxFlags): Promise<void> {
  const { perMinute, growth, now } = flags
  const port = portOf(flags.port)
  const limits = perMinute === undefined ? {} : { perMinute: perMinuteOf(perMinute) }
  const growing = growth === undefined ? {} : { growth: wholeNumberOf('--growth', growth, 3600) }
  if (growth !== undefined && now !== undefined)
    throw new UsageError(
      '--growth adds posts as time goes by, and --now stops the time; leave out one of them',
    )
  const fixed = now === undefined ? {} : { now: dateOf('--now', now) }
  const ended = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
  const server = await serveSandbox({ port, limits, ...growing, ...fixed }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use; choose another with --port, or any free port with --port 0`)
  })
  await print(greeting(server))
  await ended
  await server.close()
}

function portOf(text: string): number {
  const port = numberOf('--port', text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--port must be a whole number from 0 to 65535, got ${text}`)
}

function greeting(server: SandboxServer): string {
  return `Sandbox of the Social Search API, with made-up posts

  Base URL       ${server.baseUrl}
  API key        ${server.apiKey}
  Write key      ${server.writeKey} (may also change mentions)
  Catalog URL    ${server.catalog.baseUrl}
  Catalog token  ${server.catalog.token}

For your program, and for social-search in another terminal:

  export SOCIAL_SEARCH_BASE_URL=${server.baseUrl}
  export SOCIAL_SEARCH_API_KEY=${server.apiKey}

Ctrl+C ends it.
`
}
