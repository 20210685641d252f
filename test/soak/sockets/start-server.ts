import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Header that tells which client a request belongs to. */
export const clientHeader = 'x-soak-client'

/** One request as the server saw it. */
export interface Visit {
  /** Of the call. */
  readonly id: string
  readonly charged: number
  /** Whether the client may send it again: it got the service's own error body. */
  readonly mayRepeat: boolean
}

export interface Report {
  /** In credits, for all requests. */
  readonly charged: number
  /** The requests that name their call. */
  readonly visits: readonly Visit[]
  /** Most requests in flight of one client. */
  readonly mostInFlight: number
}

/**
 * Starts the server of a soak test in another process.
 *
 * @param mishaps What happens to requests: a lot of everything, or now and then something that takes little time.
 */
export async function startServer(mishaps: 'many' | 'few', seed: string) {
  const server = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [mishaps, seed])
  const [port] = (await once(server, 'message')) as [number]
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    /** Ends the server. Resolves with what it has seen. */
    async stop(): Promise<Report> {
      server.send('report')
      const [report] = (await once(server, 'message')) as [Report]
      server.disconnect()
      return report
    },
  }
}
