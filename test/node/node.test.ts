import { type Server, createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type Socket, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type RequestHandler, toNodeListener } from '../../src/extensions/node/index.ts'
import { untrustedCertificate } from '../support/certificate.ts'
import { closed, portOf } from '../support/listening.ts'

async function listen(server: Server): Promise<number> {
  onTestFinished(() => closed(server))
  return portOf(server)
}

/** A connection to a server with this handler. */
async function open(handler: RequestHandler): Promise<Socket> {
  const port = await listen(createServer(toNodeListener(handler)))
  return connect(port, '127.0.0.1').on('error', () => {})
}

/** All bytes until the connection ends. */
async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  await new Promise((closed) => socket.on('close', closed))
  return text
}

/** What one request is answered. */
async function ask(handler: RequestHandler, head: string): Promise<string> {
  const socket = await open(handler)
  socket.write(`${head}\r\nconnection: close\r\n\r\n`)
  return readAll(socket)
}

/** An endless response that ignores the signal of its request. */
function endless() {
  const cancel = vi.fn()
  // In a turn of its own each, so that the server hears when the client leaves.
  const pull = async (controller: ReadableStreamDefaultController): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    controller.enqueue(new Uint8Array(10))
  }
  return { cancel, response: () => new Response(new ReadableStream({ pull, cancel })) }
}

describe('toNodeListener()', () => {
  it.each([
    'TRACE / HTTP/1.1\r\nhost: x',
    'OPTIONS * HTTP/1.1\r\nhost: x',
    'GET file:///etc/passwd HTTP/1.1\r\nhost: x',
    ...['user@x', 'x/y', 'x\\y', 'x?', 'x#'].map((host) => `GET /path HTTP/1.1\r\nhost: ${host}`),
  ])('responds with 400 to a request that fetch could not send: %j', async (head) => {
    const handler = vi.fn(() => new Response())
    expect(await ask(handler, head)).toMatch(/^HTTP\/1.1 400 /)
    expect(handler).not.toHaveBeenCalled()
  })

  it.each([
    ['//evil.example/a HTTP/1.1\r\nhost: x', 'http://x//evil.example/a'],
    ['/\\evil.example/a HTTP/1.1\r\nhost: x', 'http://x//evil.example/a'],
    ['/a/b?c HTTP/1.1\r\nhost:', 'http://localhost/a/b?c'],
    ['/a/b?c HTTP/1.0\r\nx: y', 'http://localhost/a/b?c'],
    ['http://y:81/a HTTP/1.1\r\nhost: x', 'http://y:81/a'],
  ])('parses host and path: %j', async (target, url) => {
    const handler = vi.fn((request: Request) => new Response(request.url))
    await ask(handler, `GET ${target}`)
    expect(handler.mock.calls[0]?.[0].url).toBe(url)
  })

  it('passes on headers unchanged, including several cookies', async () => {
    const cookies = ['a=1', 'b=2'].map((cookie): [string, string] => ['set-cookie', cookie])
    const given: (string | null)[] = []
    const answer = await ask(({ headers }) => {
      given.push(headers.get('cookie'), headers.get('x-two'))
      return new Response(null, { headers: [...cookies, ['x-name', headers.get('x-name') ?? '']] })
    }, 'GET / HTTP/1.1\r\nhost: x\r\nx-name: ä\r\ncookie: a=1\r\ncookie: b=2\r\nx-two: 1\r\nx-two: 2')
    expect(given).toEqual(['a=1; b=2', '1, 2'])
    const name = Buffer.from('ä').toString('latin1')
    expect(answer).toContain('\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n')
    expect(answer).toContain(`\r\nx-name: ${name}\r\n`)
  })

  it('passes on a used body, not an empty one, when a parser has read it', async () => {
    const used: boolean[] = []
    const listener = toNodeListener((request) => {
      used.push(request.bodyUsed)
      return new Response()
    })
    const server = createServer((incoming, outgoing) => {
      if (incoming.url === '/parsed') incoming.resume().on('end', () => listener(incoming, outgoing))
      else listener(incoming, outgoing)
    })
    const port = await listen(server)
    for (const path of ['/', '/parsed']) {
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: '{}' })
      expect(status).toBe(200)
    }
    expect(used).toEqual([false, true])
  })

  it('cancels a response when the client has left, or the method is HEAD', async () => {
    const left = endless()
    const socket = await open(left.response)
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await new Promise((came) => socket.once('data', came))
    expect(left.cancel).not.toHaveBeenCalled()
    socket.destroy()
    await expect.poll(() => left.cancel.mock.calls.length).toBe(1)

    const unwanted = endless()
    expect(await ask(unwanted.response, 'HEAD / HTTP/1.1\r\nhost: x')).toMatch(/^HTTP\/1.1 200 .*\r\n\r\n$/s)
    expect(unwanted.cancel).toHaveBeenCalled()
  })

  describe('when the handler fails', () => {
    const log = vi.spyOn(console, 'error')
    beforeEach(() => void log.mockReset().mockImplementation(() => {}))
    afterAll(() => log.mockRestore())

    const bug = new Error('a bug')
    /** A response whose body fails after these parts. */
    const failingAfter = (...parts: string[]): Response => {
      const pull = (controller: ReadableStreamDefaultController): void => {
        const part = parts.shift()
        if (part === undefined) throw bug
        controller.enqueue(new TextEncoder().encode(part))
      }
      return new Response(new ReadableStream({ pull }))
    }
    const used = new Response('used')
    void used.text()
    it.each<[string, RequestHandler]>([
      ['throws', () => Promise.reject(bug)],
      ['returns nothing', () => undefined as unknown as Response],
      ['returns a used response', () => used],
      ['returns an error', () => Response.error()],
      ['returns a body that fails at once', () => failingAfter()],
    ])('responds with 500 and says so, when it %s', async (_, handler) => {
      expect(await ask(handler, 'GET / HTTP/1.1\r\nhost: x')).toMatch(/^HTTP\/1.1 500 /)
      expect(log).toHaveBeenCalledOnce()
    })

    it('serves the next request of the connection', async () => {
      const socket = await open(({ method }) =>
        method === 'POST' ? Promise.reject(bug) : new Response('served'),
      )
      const large = 'x'.repeat(2 ** 20)
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${large.length}\r\n\r\n${large}`)
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
      expect(await readAll(socket)).toMatch(/^HTTP\/1.1 500 .*HTTP\/1.1 200 .*served/s)
    })

    it('responds with 500 after another response that comes first', async () => {
      const slow = Promise.withResolvers<Response>()
      const socket = await open(({ url }) => {
        if (url.endsWith('/slow')) return slow.promise
        setImmediate(() => slow.resolve(new Response('served')))
        return failingAfter()
      })
      socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
      expect(await readAll(socket)).toMatch(/^HTTP\/1.1 200 .*served.*HTTP\/1.1 500 /s)
    })

    const failing = toNodeListener(() => failingAfter('part'))
    it.each<[string, () => Promise<Socket>]>([
      ['over TCP', async () => connect(await listen(createServer(failing)), '127.0.0.1')],
      [
        'over TLS',
        async () => {
          const port = await listen(createSecureServer(untrustedCertificate(), failing))
          return connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false })
        },
      ],
      [
        'over a Unix socket',
        async () => {
          const path = join(tmpdir(), `listener-${process.pid}.sock`)
          const server = createServer(failing)
          onTestFinished(() => closed(server))
          await new Promise<void>((listening) => server.listen(path, listening))
          return connect(path)
        },
      ],
    ])('breaks off the connection %s, when the body does', async (_, dial) => {
      const socket = (await dial()).on('error', () => {})
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      expect(await readAll(socket)).not.toContain('\r\n0\r\n')
    })

    it('lets a slow client read what was written before the body fails', async () => {
      const socket = await open(() => failingAfter(...Array<string>(20).fill('x'.repeat(16_384))))
      socket.on('data', () => {
        socket.pause()
        setTimeout(() => socket.resume(), 5)
      })
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      expect((await readAll(socket)).match(/x{1000}/g)!.length).toBeGreaterThanOrEqual(320)
    })
  })

  it.each<[string, (request: Request) => unknown]>([
    ['does not touch the body', () => {}],
    ['clones the request', (request) => request.clone()],
    ['holds the body', ({ body }) => body?.getReader()],
    ['cancels the body', ({ body }) => body?.cancel()],
    [
      'leaves a part of the body unread',
      async ({ body }) => {
        const reader = body?.getReader()
        await reader?.read()
        reader?.releaseLock()
      },
    ],
  ])('serves the next request of a connection when the handler %s', async (_, read) => {
    const size = 3_000_000
    const socket = await open(async (request) => {
      await read(request)
      return new Response('done')
    })
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${size}\r\n\r\n`)
    socket.write(Buffer.alloc(size))
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect((await readAll(socket)).match(/HTTP\/1.1 200/g)).toHaveLength(2)
  })

  it.each([
    ['content-length: 1000000', 'x'],
    ['transfer-encoding: chunked', '1\r\nx\r\n'],
  ])('closes the connection after a 408, although the body goes on: %s', async (length, part) => {
    const socket = await open(({ body }) => {
      body
        ?.getReader()
        .read()
        .catch(() => {})
      return new Response('late', { status: 408 })
    })
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${length}\r\n\r\n`)
    const trickle = setInterval(() => socket.write(part), 50)
    const response = await readAll(socket)
    clearInterval(trickle)
    expect(response).toMatch(/^HTTP\/1.1 408 .*\r\nconnection: close\r\n.*late/is)
  })
})
