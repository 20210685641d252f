import { once } from 'node:events'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import type { ClientOptions } from '../../../src/index.ts'
import { makeClient, maybePaid, notPaid } from '../../support/service.ts'
import { page } from '../../support/pages.ts'
import { query } from '../../support/search.ts'

const open: { close(): void }[] = []
afterEach(() => open.splice(0).forEach((server) => server.close()))

/** The port of a server that does something with each connection. */
async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  open.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return (server.address() as AddressInfo).port
}

const onFirstBytes = (act: (socket: Socket) => void) =>
  createServer((socket) => socket.on('error', () => {}).once('data', () => act(socket)))

const alert = (number: number) => Buffer.from([0x15, 3, 3, 0, 2, 2, number])

async function search(scheme: string, port: number) {
  const client = makeClient({ baseUrl: `${scheme}://127.0.0.1:${port}/v1`, retry: { maxAttempts: 1 } })
  const error: unknown = await client.microblog.search(query).catch((error: unknown) => error)
  return { error, ...client.credits }
}

describe('a search that Node could not send', () => {
  it.each([
    ['an alert', (socket: Socket) => socket.end(alert(80)), 'tls'],
    ['an alert of another kind', (socket: Socket) => socket.end(alert(49)), 'tls'],
    ['a reset', (socket: Socket) => socket.resetAndDestroy(), 'connect'],
    ['its end', (socket: Socket) => socket.end(), 'connect'],
    ['plain HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'tls'],
  ])('is free when the server answers the handshake with %s', async (_, act, phase) => {
    expect(await search('https', await listen(onFirstBytes(act)))).toMatchObject({
      error: { name: 'ConnectionError', phase, charged: 'no' },
      ...notPaid,
    })
  })

  it('may have been charged when the connection breaks after the request', async () => {
    expect(
      await search('http', await listen(onFirstBytes((socket) => socket.resetAndDestroy()))),
    ).toMatchObject({
      error: { name: 'ConnectionError', phase: 'exchange', charged: 'unknown' },
      ...maybePaid,
    })
  })
})

describe('a search whose time ran out', () => {
  /** What came of a search at a server that answers nothing, not even a handshake. */
  async function searchSilently(scheme: string, options: object, client: Partial<ClientOptions> = {}) {
    const port = await listen(createServer((socket) => socket.on('error', () => {})))
    const baseUrl = `${scheme}://127.0.0.1:${port}/v1`
    const searching = makeClient({ baseUrl, retry: false, ...client })
    const error: unknown = await searching.microblog.search(query, options).catch((error: unknown) => error)
    return { error, ...searching.credits }
  }

  it.each([
    ['timeout', () => ({ timeout: 200 }), 'no connection within 0.2 s (nothing was sent)'],
    ['deadline', () => ({ deadline: 200 }), 'passed before a connection was open, nothing was sent'],
  ])('is free when its %s ends while the connection is being opened', async (_, options, message) => {
    const error = expect.objectContaining({
      ...{ name: 'TimeoutError', phase: 'connect', charged: 'no', message: expect.stringContaining(message) },
      attempts: [expect.objectContaining({ sent: null, charged: 'no' })],
    })
    expect(await searchSilently('https', options())).toMatchObject({ error, ...notPaid })
  })

  it('is free when its caller aborts while the connection is being opened', async () => {
    const signal = AbortSignal.timeout(200)
    expect(await searchSilently('https', { signal })).toMatchObject({ error: signal.reason, ...notPaid })
  })

  it('is sent again, since nothing has left', async () => {
    const { error } = await searchSilently('https', { timeout: 100, retry: { maxAttempts: 2 } })
    expect(error).toMatchObject({ phase: 'connect', charged: 'no', attempts: [{}, {}] })
  })

  it('may have been charged after the request, and with a fetch that may drop the signal', async () => {
    const doubt = { error: { phase: 'headers', charged: 'unknown' }, ...maybePaid }
    expect(await searchSilently('http', { timeout: 200 })).toMatchObject(doubt)
    const own = { fetch: (request: Request) => fetch(request) }
    expect(await searchSilently('https', { timeout: 200 }, own)).toMatchObject(doubt)
  })
})

/** A service in another thread, which resets all connections when it is told to. */
const resettingService = `
const { parentPort, workerData } = require('node:worker_threads')
const sockets = new Set()
const server = require('node:http').createServer((request, response) => request.resume().on('end', () => response.end(workerData)))
server.on('connection', (socket) => sockets.add(socket.on('error', () => {})))
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
parentPort.on('message', () => sockets.forEach((socket) => socket.resetAndDestroy()))`

describe('searches of a process that stood still', () => {
  it('are not sent on connections that ended meanwhile', async () => {
    const worker = new Worker(resettingService, { eval: true, workerData: JSON.stringify(page(['1'])) })
    const [port] = (await once(worker, 'message')) as [number]
    const client = makeClient({ baseUrl: `http://127.0.0.1:${port}/v1`, retry: false })
    const both = () => Promise.all([client.microblog.search(query), client.microblog.search(query)])
    await both()
    worker.postMessage('reset')
    // As long as it waits, it notices nothing.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    await both()
    expect(client.credits).toMatchObject({ spent: 8, uncertain: 0 })
    await worker.terminate()
  })
})
