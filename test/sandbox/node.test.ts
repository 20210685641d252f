import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createSandbox,
  type SandboxServer,
  type SandboxServerOptions,
  serveSandbox,
} from '../support/sandbox.ts'
import { now, searchRequest, searching } from './helpers.ts'

const query = { query: 'coffee', count: 2 }
const searchPath = searching.replace('POST ', '')

async function serve(options?: SandboxServerOptions): Promise<SandboxServer> {
  const server = await serveSandbox(options)
  onTestFinished(() => server.close())
  return server
}

/** Waits for what the server does in its own time, such as noticing that a client has left. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}

const post = (server: SandboxServer, params: unknown) => fetch(searchRequest(server, params))

/** Opens a connection and sends a search on it, byte by byte as HTTP has it. */
async function rawSearch(server: SandboxServer) {
  const socket = connect(server.port, '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  const ended = new Promise<NodeJS.ErrnoException | null>((resolve) => {
    socket.once('error', resolve)
    socket.once('close', () => resolve(null))
  })
  await once(socket, 'connect')
  const body = JSON.stringify(query)
  const head = `authorization: Bearer ${server.apiKey}\r\ncontent-length: ${body.length}`
  socket.write(`POST /v1${searchPath} HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n${body}`)
  return { socket, ended, text: () => Buffer.concat(received).toString() }
}

describe('serveSandbox()', () => {
  it('answers over HTTP what the sandbox in memory answers', async () => {
    const server = await serve({ seed: 9, now })
    const memory = createSandbox({ seed: 9, now })
    expect(server.baseUrl).toBe(`http://127.0.0.1:${server.port}/v1`)
    for (const params of [query, {}, 'no json']) {
      const [over, inside] = [await post(server, params), await memory.fetch(searchRequest(memory, params))]
      expect(over.status).toBe(inside.status)
      expect(over.headers.get('content-type')).toBe('application/json')
      expect(await over.json()).toEqual(await inside.json())
    }
    expect(server.ledger.spent).toBe(2)
    const operation = 'microblog.search'
    expect(server.requests).toMatchObject([200, 400, 400].map((status) => ({ status, operation })))
    expect(JSON.stringify(server.requests)).not.toContain(server.apiKey)
  })

  it('sends the wait in header and body, and hides the header from pages of other origins', async () => {
    // Made-up posts would take a moment, which the wait would be short of.
    const server = await serve({ limits: { perMinute: 1 }, content: { microblog: [] } })
    await (await post(server, query)).text()
    const response = await post(server, query)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await response.json()).toMatchObject({ error: { retryAfter: 60 } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toBe(null)
  })

  it('answers a preflight without counting it as a request', async () => {
    const server = await serve()
    const asked = 'authorization,content-type'
    const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': asked }
    const response = await fetch(server.baseUrl + searchPath, { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('POST') as string,
      'access-control-allow-headers': asked,
    })
    expect(server.requests).toEqual([])
    expect((await fetch(server.baseUrl + searchPath, { method: 'OPTIONS' })).status).toBe(401)
  })
})

describe('serveSandbox() faults', () => {
  it('resets the connection, before or after the charge', async () => {
    const server = await serve()
    server.inject({ reset: 'before' })
    server.inject({ reset: 'after' })
    for (const charged of [0, 2]) {
      const { ended, text } = await rawSearch(server)
      expect((await ended)?.code).toBe('ECONNRESET')
      expect(text()).toBe('')
      expect(server.requests.at(-1)).toMatchObject({ status: null, charged })
    }
    server.inject({ reset: 'before' })
    await expect(post(server, query)).rejects.toThrow(TypeError)
    expect((await post(server, query)).status).toBe(200)
    expect(server.requests.at(-1)?.inFlight).toBe(1)
  })

  it('stalls in the middle of the body, and frees the slot when the client disconnects', async () => {
    const server = await serve({ limits: { inFlight: 1, perMinute: false } })
    server.inject({ cut: 'stall' })
    const { socket, text } = await rawSearch(server)
    await until(() => text().includes('"posts":['))
    expect((await post(server, query)).status).toBe(429)
    expect(text()).not.toContain('"meta"')
    socket.destroy()
    await until(async () => (await post(server, query)).status === 200)
    expect(server.requests.at(-1)?.inFlight).toBe(1)
  })
})

it('close() of serveSandbox() ends idle, waiting and stalled connections, and stops listening', async () => {
  const server = await serve({ limits: { inFlight: false } })
  await (await post(server, query)).text()
  server.inject({ cut: 'stall' })
  server.inject({ delay: 1_000_000 })
  const stalled = await post(server, query)
  const waiting = expect(post(server, query)).rejects.toThrow(TypeError)
  await until(() => server.requests.length === 3)
  await Promise.all([server.close(), server.close()])
  await waiting
  await expect(stalled.text()).rejects.toThrow()
  await expect(post(server, query)).rejects.toThrow(TypeError)
})

it('serveSandbox() rejects with EADDRINUSE when the port is taken', async () => {
  const { port } = await serve()
  await expect(serveSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
