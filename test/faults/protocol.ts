import { SocialSearch } from '../../src/index.ts'
import { http, rawServer } from '../support/raw-server.ts'
import { apiKey } from '../support/service.ts'
import { type Faults } from './case.ts'
import { costs, ending, onEach, onFetch, onWire, outcomeOf, success, wire } from './observe.ts'

const body = JSON.stringify(success)

/** A redirect, with a server at its target that would notice being followed. */
async function redirect(status: number, origin: 'same' | 'other'): Promise<string> {
  const target = await rawServer((socket) => void socket.end(http('200 OK', body)))
  const told = await onEach(() =>
    wire((socket) => {
      const location = origin === 'same' ? '/v1/elsewhere' : `${target.baseUrl}/elsewhere`
      socket.end(http(`${status} Elsewhere`, '', { location }))
    }),
  )
  await target.close()
  return origin === 'same' ? told : `${told}; target ×${target.requests.length}`
}

const redirects: Faults = Object.fromEntries(
  [301, 302, 303, 307, 308].flatMap((status) => [
    [`${status} to the same origin`, () => redirect(status, 'same')],
    [`${status} to another origin`, () => redirect(status, 'other')],
  ]),
)

export const protocol: Faults = {
  'garbage instead of a status line': () => onWire('garbage\r\n\r\n'),
  'two Content-Lengths that differ': () =>
    onWire('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde'),
  'a header of 100 kB': () => onWire(http('200 OK', body, { 'x-long': 'x'.repeat(100_000) })),
  '103 before the answer': () =>
    onWire((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')
      socket.end(http('200 OK', body))
    }),
  '204 instead of a page': () => onWire('HTTP/1.1 204 No Content\r\n\r\n'),
  '200 with an empty body': () => onWire(http('200 OK', '')),
  '206 without a range in the request': () =>
    onWire(http('206 Partial Content', body, { 'content-range': 'bytes 0-9/99' })),
  '304 without a condition in the request': () => onWire('HTTP/1.1 304 Not Modified\r\n\r\n'),
  '307 without a Location': () => onWire(http('307 Temporary Redirect', '')),
  '308 from https to http': () =>
    onFetch((request) => {
      const location = request.url.replace('https:', 'http:')
      return Promise.resolve(
        request.redirect === 'manual'
          ? new Response(null, { status: 308, headers: { location } })
          : new Response(body),
      )
    }),
  'a redirect that a browser makes opaque': () =>
    onFetch(() => {
      // Browsers give it the status 0, which no Response can be made with.
      const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
      return Promise.resolve(opaque)
    }),
  '101, a switch of protocols without a request for it': () =>
    onWire('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  'HTTP/1.0, whose body ends with the connection': () =>
    onWire(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${body}`),
  'a second response behind the first, without a request': async () => {
    const answer = (id: string) => JSON.stringify({ ...success, posts: [{ ...success.posts[0], id }] })
    const server = await rawServer((socket, _, count) => {
      const smuggled = count === 1 ? http('200 OK', answer('smuggled')) : Buffer.alloc(0)
      socket.write(Buffer.concat([http('200 OK', answer(String(count))), smuggled]))
    })
    const client = new SocialSearch({ baseUrl: server.baseUrl, apiKey })
    const ids: string[] = []
    for (const query of ['a', 'b']) {
      const { value, error } = await outcomeOf(client.microblog.search({ query }))
      ids.push(value?.posts.map(({ id }) => id).join() ?? ending(error))
    }
    await server.close()
    return `posts ${ids.join(', then ')}; ${costs(client, undefined)}`
  },
  'status 999': () => onWire(http('999 Denied', '<h1>Denied</h1>')),
  '300, with a Location to choose': () => onWire(http('300 Multiple Choices', '', { location: '/v1/a' })),
  ...redirects,
}
