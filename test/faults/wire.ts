import { gzipSync } from 'node:zlib'
import type { ConnectionError } from '../../src/index.ts'
import { http, rawServer } from '../support/raw-server.ts'
import { realTime } from '../support/real-time.ts'
import { hang, makeClient } from '../support/service.ts'
import { type Faults, body, costs, ending, onFetch, onWire, success, told } from './observe.ts'

const served = (bytes: string | Buffer, headers?: Record<string, string>): Promise<string> =>
  onWire(http('200 OK', bytes, headers))

/** What comes of some searches by one client, one after the other. */
async function searches(count: number, answer: Parameters<typeof rawServer>[0]) {
  const { baseUrl, requests, close } = await rawServer(answer)
  const client = makeClient({ baseUrl })
  const ends = []
  for (let made = 0; made < count; made++)
    ends.push(await realTime.settle(client.microblog.search({ query: 'rust' })))
  await close()
  return { client, ends, requests: requests.length }
}

/** A body that comes a byte a second, for two minutes. */
function drip(options: { deadline?: number }): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let end = 'body left open'
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const send = (left: number): void => {
      controller.enqueue(Uint8Array.of(32))
      if (left > 0) timer = setTimeout(send, 1000, left - 1)
    }
    send(120)
  }
  const cancel = (): void => {
    end = 'body cancelled'
    clearTimeout(timer)
  }
  return told([() => new Response(new ReadableStream({ start, cancel }))], { options, tells: () => end })
}

export const network: Faults = {
  'fetch fails without a reason, as in browsers': () =>
    onFetch(() => Promise.reject(new TypeError('Failed to fetch'))),
  'the connection resets before headers': () => onWire((socket) => socket.resetAndDestroy()),
  'the connection closes before headers': () => onWire(''),
  'the connection resets once, then works': () =>
    onWire((socket, _, count) =>
      count === 1 ? socket.resetAndDestroy() : void socket.end(http('200 OK', body)),
    ),
  'a connection that was kept alive turns out dead': async () => {
    const { client, ends, requests } = await searches(2, (socket, _, count) => {
      if (count === 1) socket.write(http('200 OK', body))
      else socket.resetAndDestroy()
    })
    const { error } = ends[1]!
    const { reason, cause } = error as ConnectionError
    const said = `${ending(error)}, ${reason}, ${cause === undefined ? 'no' : 'a'} cause`
    return `two searches, ${requests} requests; ${said}, ${costs({ client, error })}`
  },
  'no response ever arrives': () => onFetch(hang),
  'the body stalls after the headers': () =>
    onFetch(() => Promise.resolve(new Response(new ReadableStream()))),
  'the body comes a byte a second, and the call has a deadline of 5 s': () => drip({ deadline: 5000 }),
  'the body comes a byte a second, without a deadline': () => drip({}),
  'the body resets in the middle of its JSON': () =>
    onWire((socket) => {
      socket.write(http('200 OK', body.slice(0, 50), { 'content-length': '9999' }))
      setTimeout(() => socket.resetAndDestroy(), 20)
    }),
  'the body ends before its Content-Length': () => served(body, { 'content-length': '9999' }),
  'a chunked body ends without its last chunk, after whole JSON': () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
    return onWire(`${head}${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`)
  },
}

/** A redirect to another origin, with a server there that would notice being followed. */
async function redirect(status: number): Promise<string> {
  const target = await rawServer((socket) => void socket.end(http('200 OK', body)))
  const told = await onWire(http(`${status} Elsewhere`, '', { location: `${target.baseUrl}/elsewhere` }))
  await target.close()
  return `${told}; target ×${target.requests.length}`
}

export const protocol: Faults = {
  'garbage instead of a status line': () => onWire('garbage\r\n\r\n'),
  'two Content-Lengths that differ': () =>
    onWire('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde'),
  'a header of 100 kB': () => served(body, { 'x-long': 'x'.repeat(100_000) }),
  '103 before the answer': () =>
    onWire(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${http('200 OK', body).toString()}`),
  '204 instead of a page': () => onWire('HTTP/1.1 204 No Content\r\n\r\n'),
  '200 with an empty body': () => served(''),
  '206 without a range in the request': () =>
    onWire(http('206 Partial Content', body, { 'content-range': 'bytes 0-9/99' })),
  '304 without a condition in the request': () => onWire('HTTP/1.1 304 Not Modified\r\n\r\n'),
  '307 without a Location': () => onWire(http('307 Temporary Redirect', '')),
  '308 from https to http': () =>
    onFetch((request) => {
      const location = request.url.replace('https:', 'http:')
      const moved = new Response(null, { status: 308, headers: { location } })
      return Promise.resolve(request.redirect === 'manual' ? moved : new Response(body))
    }),
  // Browsers give it the status 0, which no Response can be made with.
  'a redirect that a browser makes opaque': () =>
    onFetch(() =>
      Promise.resolve(Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })),
    ),
  '101, a switch of protocols without a request for it': () =>
    onWire('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  'HTTP/1.0, whose body ends with the connection': () =>
    onWire(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${body}`),
  'a second response behind the first, without a request': async () => {
    const answer = (id: string) =>
      http('200 OK', JSON.stringify({ ...success, posts: [{ ...success.posts[0], id }] }))
    const { client, ends } = await searches(2, (socket, _, count) => {
      const smuggled = count === 1 ? answer('smuggled') : Buffer.alloc(0)
      socket.write(Buffer.concat([answer(String(count)), smuggled]))
    })
    const ids = ends.map(({ value, error }) => value?.posts.map(({ id }) => id).join() ?? ending(error))
    return `posts ${ids.join(', then ')}; ${costs({ client, error: undefined })}`
  },
  'status 999': () => onWire(http('999 Denied', '<h1>Denied</h1>')),
  '300, with a Location to choose': () => onWire(http('300 Multiple Choices', '', { location: '/v1/a' })),
  '302 to another origin': () => redirect(302),
  '307 to another origin': () => redirect(307),
}

const gzip = { 'content-encoding': 'gzip' }

export const encodings: Faults = {
  'gzip that breaks off': () => {
    const filler = Array.from({ length: 999 }, (_, i) => i * i)
    return served(gzipSync(JSON.stringify({ ...success, filler })).subarray(0, -40), gzip)
  },
  'plain text that says it is gzip': () => served(body, gzip),
  'a small gzip that unfolds to 80 MB': async () => {
    const large = http('200 OK', gzipSync(Buffer.alloc(80 * 2 ** 20, 'x')), gzip)
    const { client, ends } = await searches(1, (socket) => void socket.end(large))
    const { error } = ends[0]!
    return `${(error as Error).message}; ${costs({ client, error })}`
  },
  'a byte order mark': () => served(`\uFEFF${body}`),
  'a wrong charset of latin1': () => served(body, { 'content-type': 'application/json; charset=latin1' }),
  'complete gzip': () => served(gzipSync(body), gzip),
  'JSON as text/plain': () => served(body, { 'content-type': 'text/plain' }),
}
