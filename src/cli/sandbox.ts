import { type SandboxServer, serveSandbox } from '../extensions/sandbox/node.ts'
import { UsageError } from './command-errors.ts'
import type { SharedFlags } from './flags.ts'
import { print } from './terminal.ts'

export interface SandboxFlags extends Pick<SharedFlags, 'perMinute'> {
  readonly port: number
  readonly growth?: number
  readonly now?: Date
}

/** Serves a sandbox over HTTP until a signal ends it. */
export async function sandbox({ port, perMinute, growth, now }: SandboxFlags): Promise<void> {
  if (growth !== undefined && now !== undefined)
    throw new UsageError(
      '--growth adds posts as time goes by, and --now stops the time; leave out one of them',
    )
  const ended = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
  const server = await serveSandbox({ port, limits: { perMinute }, growth, now }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use; choose another with --port, or any free port with --port 0`)
  })
  try {
    await print(greeting(server))
    await ended
  } finally {
    await server.close()
  }
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
