import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { page } from '../../support/pages.ts'

/** A service that answers each search after `ms` milliseconds, and counts them. */
export async function slowService(ms: number): Promise<{ url: string; requests(): number; close(): void }> {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    request.resume()
    setTimeout(() => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(page(['1'])))
    }, ms)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/v1`, requests: () => requests, close }
}
