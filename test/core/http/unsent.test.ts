import { once } from 'node:events'
import { type Server, type Socket, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { untrustedCertificate } from '../../support/certificate.ts'
import { makeClient, notPaid } from '../../support/service.ts'
import { page } from '../../support/pages.ts'
import { query } from '../../support/search.ts'
import { portOf } from '../../support/listening.ts'

const onFirstBytes = (act: (socket: Socket) => void) =>
  createServer((socket) => socket.on('error', () => {}).once('data', () => act(socket)))

const alert = (number: number) => Buffer.from([0x15, 3, 3, 0, 2, 2, number])

async function search(server: Server, isClosed = false) {
  const port = await portOf(server)
  const close = () => new Promise<void>((closed) => server.close(() => closed()))
  if (isClosed) await close()
  else onTestFinished(() => void close())
  const client = makeClient({ baseUrl: `https://127.0.0.1:${port}/v1`, retry: { maxAttempts: 1 } })
  const error: unknown = await client.microblog.search(query).catch((error: unknown) => error)
  return { error, ...client.credits }
}

describe('a search that Node could not send', () => {
  it.each<[string, string, () => Server]>([
    ['an alert', 'tls', () => onFirstBytes((socket) => socket.end(alert(80)))],
    ['an alert of another kind', 'tls', () => onFirstBytes((socket) => socket.end(alert(49)))],
    ['a reset', 'connect', () => onFirstBytes((socket) => socket.resetAndDestroy())],
    ['its end', 'connect', () => onFirstBytes((socket) => socket.end())],
    ['plain HTTP', 'tls', () => onFirstBytes((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
    ['a certificate that is not trusted', 'tls', () => createTlsServer(untrustedCertificate())],
  ])('is free when the server answers the handshake with %s', async (_, phase, server) => {
    const error = { name: 'ConnectionError', phase, charged: 'no' }
    expect(await search(server())).toMatchObject({ error, ...notPaid })
  })

  it('is free when the connection is refused', async () => {
    const error = { phase: 'connect', reason: 'ECONNREFUSED', charged: 'no' }
    expect(await search(createServer(), true)).toMatchObject({ error, ...notPaid })
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

it('searches of a process that stood still are not sent on connections that ended meanwhile', async () => {
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
