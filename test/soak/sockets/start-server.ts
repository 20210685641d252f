import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface Report {
  /** In credits, for all requests. */
  readonly charged: number
}

/** Starts a server in another process, where now and then something happens to requests that takes little time. */
export async function startServer(seed: string) {
  const server = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [seed])
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
