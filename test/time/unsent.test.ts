import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ClientOptions } from '../../src/index.ts'
import { makeClient, maybePaid, notPaid } from '../support/service.ts'
import { query } from '../support/search.ts'
import { portOf } from '../support/listening.ts'

describe('a search whose time ran out', () => {
  /** What came of a search at a server that answers nothing, not even a handshake. */
  async function searchSilently(scheme: string, options: object, client: Partial<ClientOptions> = {}) {
    const server = createServer((socket) => socket.on('error', () => {}))
    onTestFinished(() => void server.close())
    const baseUrl = `${scheme}://127.0.0.1:${await portOf(server)}/v1`
    const searching = makeClient({ baseUrl, retry: false, ...client })
    const error: unknown = await searching.microblog.search(query, options).catch((error: unknown) => error)
    return { error, ...searching.credits }
  }

  it.each(['timeout', 'deadline'])(
    'is free when its %s ends while the connection is being opened',
    async (name) => {
      const message: unknown = expect.stringContaining(
        `not sent: the \`${name}\` of 200 ms passed while connecting`,
      )
      const attempts = [{ sent: null, charged: 'no' }]
      const error = { name: 'TimeoutError', phase: 'connect', charged: 'no', message, attempts }
      expect(await searchSilently('https', { [name]: 200 })).toMatchObject({ error, ...notPaid })
    },
  )

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

  const after = async (sending: Promise<Response>, report: () => Promise<unknown>) => {
    const response = await sending
    await report()
    return response
  }
  const beside = async (sending: Promise<Response>, report: () => Promise<unknown>) =>
    (await Promise.all([sending, report()]))[0]

  it.each([
    ['after it', 'has a port that fetch refuses', after, 1],
    ['beside it', 'has a port that fetch refuses', beside, 1],
    ['after it', 'is refused', after, 0],
    ['beside it', 'is refused', beside, 0],
  ])('may have been charged when a fetch sends another request %s, which %s', async (_, __, send, port) => {
    const server = createHttpServer((_, response) => response.end())
    onTestFinished(() => void server.close())
    const baseUrl = `http://127.0.0.1:${await portOf(server)}/v1`
    const closed = createServer()
    const report = `http://127.0.0.1:${port || (await portOf(closed))}/`
    closed.close()
    const client = makeClient({ baseUrl, fetch: (request) => send(fetch(request), () => fetch(report)) })
    await expect(client.microblog.search(query)).rejects.toMatchObject({ charged: 'unknown', attempts: [{}] })
    expect(client.credits).toMatchObject(maybePaid)
  })

  it('may have been charged when a fetch of the user that sends it twice is refused, whichever of two overtakes', async () => {
    const server = createServer((socket) => {
      server.close()
      socket.on('error', () => {}).once('data', () => socket.destroy())
    })
    const baseUrl = `http://127.0.0.1:${await portOf(server)}/v1`
    const overtaken = Promise.withResolvers<void>()
    const retrying = (request: Request) => fetch(request.clone()).catch(() => fetch(request))
    let calls = 0
    const client = makeClient({
      ...{ baseUrl, retry: false },
      fetch: async (request) => {
        await (++calls === 1 ? overtaken.promise : undefined)
        return retrying(request)
      },
    })
    const first = client.microblog.search(query).catch((error: unknown) => error)
    await expect(client.microblog.search(query)).rejects.toMatchObject({ charged: 'unknown' })
    overtaken.resolve()
    expect(await first).toMatchObject({ charged: 'no' })
    expect(client.credits).toMatchObject(maybePaid)
  })

  it('is free when a fetch of the user is refused', async () => {
    const closed = createServer()
    const baseUrl = `http://127.0.0.1:${await portOf(closed)}/v1`
    closed.close()
    const client = makeClient({ baseUrl, retry: false, fetch: (request) => fetch(request) })
    await expect(client.microblog.search(query)).rejects.toMatchObject({ charged: 'no' })
    expect(client.credits).toMatchObject(notPaid)
  })
})
