import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { untrustedCertificate } from '../support/certificate.ts'
import { portOf } from '../support/listening.ts'

const trusted = untrustedCertificate()
/** The authority that the runtimes must trust. */
export const authority = trusted.cert

const page = JSON.stringify({ requestId: 'r', posts: [], meta: { returnedCount: 0, hasMore: false } })

/**
 * What the client says of twelve searches, each of the first after a freeze of its process in which the service has closed the connections.
 *
 * @param over The protocol that the service offers.
 */
export async function searchFrozen(
  over: 'HTTP/1.1' | 'HTTP/2',
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<string[]> {
  const sockets = new Set<Socket>()
  const isSecure = over === 'HTTP/2'
  const server = isSecure ? createSecureServer({ ...trusted, allowHTTP1: true }) : createServer()
  server.on('request', (request: NodeJS.ReadableStream, response: NodeJS.WritableStream) =>
    request.resume().on('end', () => response.end(page)),
  )
  server.on('sessionError', () => {})
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
  })
  const port = await portOf(server)
  const child = spawn(command, [...args, `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}/v1`], options)
  let out = ''
  child.stdout.on('data', (text: Buffer) => {
    out += String(text)
    if (String(text).includes('freeze')) void freeze()
  })
  async function freeze(): Promise<void> {
    child.kill('SIGSTOP')
    await sleep(200)
    for (const socket of sockets)
      if (isSecure) socket.destroy()
      else socket.resetAndDestroy()
    await sleep(400)
    child.kill('SIGCONT')
  }
  await once(child, 'close')
  server.close()
  return JSON.parse(out.trim().split('\n').at(-1) ?? '') as string[]
}
