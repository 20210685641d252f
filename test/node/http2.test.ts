import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type Http2Server,
  type OutgoingHttpHeaders,
  connect,
  createServer,
} from 'node:http2'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type RequestHandler, toNodeListener } from '../../src/extensions/node/index.ts'
import { portOf } from '../support/listening.ts'

let server: Http2Server | undefined
let session: ClientHttp2Session | undefined
afterEach(() => {
  session?.destroy()
  server?.close()
})

async function open(handler: RequestHandler): Promise<ClientHttp2Session> {
  server = createServer(toNodeListener(handler))
  return (session = connect(`http://127.0.0.1:${await portOf(server)}`))
}

/** Sends a request, and reads its response to the end. */
async function ask(handler: RequestHandler, headers: OutgoingHttpHeaders, body?: string) {
  const stream = (await open(handler)).request(headers, { endStream: body === undefined })
  let text = ''
  stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  stream.on('error', () => {})
  const closed = new Promise((resolve) => stream.on('close', resolve))
  if (body !== undefined) stream.end(body)
  const [answer] = (await once(stream, 'response')) as [OutgoingHttpHeaders]
  await closed
  return { answer, text, code: stream.rstCode }
}

describe('toNodeListener() behind HTTP/2', () => {
  it('passes on the request as it does for HTTP/1.1', async () => {
    const seen: unknown[] = []
    const { answer, text } = await ask(
      async (request) => {
        const { headers, method, url } = request
        seen.push(method, url, headers.get('host'), headers.get('cookie'), headers.get('x-two'))
        seen.push([...headers.keys()].filter((name) => name.startsWith(':')))
        return new Response(await request.text(), { status: 201 })
      },
      {
        ...{ ':method': 'POST', ':path': '/a?b', ':authority': 'site.example:8080' },
        ...{ cookie: ['a=1', 'b=2'], 'x-two': ['1', '2'] },
      },
      'hello',
    )
    const [url, host] = ['http://site.example:8080/a?b', 'site.example:8080']
    expect(seen).toEqual(['POST', url, host, 'a=1; b=2', '1, 2', []])
    expect([answer[':status'], text]).toEqual([201, 'hello'])
  })

  it('leaves out the headers of a connection, and keeps several cookies', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const hops = {
      connection: 'close',
      'keep-alive': 'timeout=5',
      'transfer-encoding': 'chunked',
      upgrade: 'h3',
    }
    const headers = new Headers(hops)
    for (const cookie of ['a=1', 'b=2']) headers.append('set-cookie', cookie)
    const respond = () => new Response('served', { headers, status: 408 })
    const { answer, text } = await ask(respond, { ':path': '/' })
    expect([answer[':status'], answer['set-cookie'], text]).toEqual([408, ['a=1', 'b=2'], 'served'])
    expect(Object.keys(hops).filter((name) => name in answer)).toEqual([])
    // Warnings are emitted in a later turn.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })

  it('responds with 500 when the handler throws, and breaks off the stream when the body does', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const failed = await ask(() => Promise.reject(new Error('a bug')), { ':path': '/' })
    expect(failed).toMatchObject({ answer: { ':status': 500 }, code: 0 })
    session?.destroy()
    const parts = ['part']
    const broken = new ReadableStream({
      pull(controller) {
        if (parts.length === 0) throw new Error('a bug')
        controller.enqueue(Buffer.from(parts.pop()!))
      },
    })
    const ended = await ask(() => new Response(broken), { ':path': '/' })
    expect(ended).toMatchObject({ answer: { ':status': 200 }, text: 'part', code: 2 })
    expect(log).toHaveBeenCalledTimes(2)
    log.mockRestore()
  })

  it('aborts the signal when the client cancels its request, and not when it has the response', async () => {
    const signals: AbortSignal[] = []
    const client = await open(({ signal, url }) => {
      signals.push(signal)
      return url.endsWith('/slow') ? new Promise(() => {}) : new Response('served')
    })
    const served = client.request({ ':path': '/' }).resume()
    await once(served, 'close')
    const stream = client.request({ ':path': '/slow' })
    await expect.poll(() => signals).toHaveLength(2)
    stream.close(8)
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([false, true])
  })

  it('rejects a body that breaks off with its connection', async () => {
    const bodies: Promise<string>[] = []
    const client = await open((request) => {
      bodies.push(request.text())
      return new Promise(() => {})
    })
    const stream = client.request({ ':method': 'POST', ':path': '/' }).on('error', () => {})
    stream.write('half')
    await expect.poll(() => bodies).toHaveLength(1)
    client.destroy()
    await expect(bodies[0]).rejects.toThrow()
  })
})
