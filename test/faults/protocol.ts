import type { Socket } from 'node:net'
import { SocialSearch } from '../../src/index.ts'
import { http, rawServer } from '../support/raw-server.ts'
import { apiKey } from '../support/service.ts'
import { type Fault, group } from './case.ts'
import { costs, ending, onEach, onFetch, onWire, outcomeOf, success, wire } from './observe.ts'

const body = JSON.stringify(success)
const reset = 'GET ×3, POST ×1, PATCH ×1; ConnectionError (exchange)'
const unreadable = 'GET ×2, POST ×1, PATCH ×1; InvalidResponseError'
const redirected = 'GET ×1, POST ×1, PATCH ×1; RedirectError'
const answered = 'GET ×1, POST ×1, PATCH ×1; answered; POST spent 2, uncertain 0'
const unknown = 'POST charged unknown, spent 0, uncertain 2'

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

const redirects = [301, 302, 303, 307, 308].flatMap((status, index): Omit<Fault, 'group'>[] => [
  {
    id: 40 + index,
    name: `${status} to the same origin`,
    expected: 'not followed: the service documents none, and a second POST could be charged again',
    observed: `${redirected}; ${unknown}`,
    run: () => redirect(status, 'same'),
  },
  {
    id: 45 + index,
    name: `${status} to another origin`,
    expected: `no request to the target: ${status < 307 ? 'the key must not leave the origin' : 'key and body would leave the origin'}`,
    observed: `${redirected}; ${unknown}; target ×0`,
    run: () => redirect(status, 'other'),
  },
])

const raw = (text: string) => (socket: Socket) => void socket.end(text)

export const protocol = group('protocol', [
  {
    id: 20,
    name: 'garbage instead of a status line',
    expected: 'no response, and possibly processed: like a reset',
    observed: `${reset}; ${unknown}`,
    run: () => onWire(raw('garbage\r\n\r\n')),
  },
  {
    id: 21,
    name: 'two Content-Lengths that differ',
    expected: 'refused: responses can be smuggled this way',
    observed: `${reset}; ${unknown}`,
    run: () => onWire(raw('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde')),
  },
  {
    id: 22,
    name: 'a header of 100 kB',
    expected: 'the call settles; Node refuses the header',
    observed: `${reset}; ${unknown}`,
    run: () => onWire((socket) => void socket.end(http('200 OK', body, { 'x-long': 'x'.repeat(100_000) }))),
  },
  {
    id: 23,
    name: '103 before the answer',
    expected: 'an early hint precedes the response; the call continues',
    observed: answered,
    run: () =>
      onWire((socket) => {
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')
        socket.end(http('200 OK', body))
      }),
  },
  {
    id: 24,
    name: '204 instead of a page',
    expected: 'a success without data: the error says charged, and a paid call is not retried',
    observed: `${unreadable}; POST charged yes, spent 0, uncertain 2`,
    run: () => onWire(raw('HTTP/1.1 204 No Content\r\n\r\n')),
  },
  {
    id: 25,
    name: '200 with an empty body',
    expected: 'a success without data: the error says charged, and a paid call is not retried',
    observed: `${unreadable}; POST charged yes, spent 0, uncertain 2`,
    run: () => onWire((socket) => void socket.end(http('200 OK', ''))),
  },
  {
    id: 26,
    name: '206 without a range in the request',
    expected: 'a part is not taken for the whole, even if it parses',
    observed: `${unreadable}; POST charged yes, spent 0, uncertain 2`,
    run: () =>
      onWire(
        (socket) => void socket.end(http('206 Partial Content', body, { 'content-range': 'bytes 0-9/99' })),
      ),
  },
  {
    id: 27,
    name: '304 without a condition in the request',
    expected:
      'an error, not an empty page, and no redirect; not repeated, since asking again would change nothing',
    observed: `GET ×1, POST ×1, PATCH ×1; ApiError 304; ${unknown}`,
    run: () => onWire(raw('HTTP/1.1 304 Not Modified\r\n\r\n')),
  },
  {
    id: 28,
    name: '307 without a Location',
    expected: 'still a redirect',
    observed: `${redirected}; ${unknown}`,
    run: () => onWire((socket) => void socket.end(http('307 Temporary Redirect', ''))),
  },
  {
    id: 29,
    name: '308 from https to http',
    expected: 'not followed: the key would be sent unencrypted',
    observed: `${redirected}; ${unknown}`,
    run: () =>
      onFetch((request) => {
        const location = request.url.replace('https:', 'http:')
        return Promise.resolve(
          request.redirect === 'manual'
            ? new Response(null, { status: 308, headers: { location } })
            : new Response(body),
        )
      }),
  },
  {
    id: 30,
    name: 'a redirect that a browser makes opaque',
    expected: 'distinguished from a network failure, although it has no status',
    observed: `${redirected}; ${unknown}`,
    run: () =>
      onFetch(() => {
        // Browsers give it the status 0, which no Response can be made with.
        const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
        return Promise.resolve(opaque)
      }),
  },
  {
    id: 31,
    name: '101, a switch of protocols without a request for it',
    expected: 'no answer, and possibly processed: like a reset',
    observed: `${reset}; ${unknown}`,
    run: () => onWire(raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')),
  },
  {
    id: 32,
    name: 'HTTP/1.0, whose body ends with the connection',
    expected: 'works: old proxies speak it',
    observed: answered,
    run: () => onWire(raw(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${body}`)),
  },
  {
    id: 33,
    name: 'a second response behind the first, without a request',
    expected: 'the next call must not take it for its own',
    observed: 'posts 1, then 2; spent 4, uncertain 0',
    run: async () => {
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
  },
  {
    id: 34,
    name: 'status 999',
    expected: 'settles with an error that keeps the status; like any failure of a proxy',
    observed: `GET ×3, POST ×1, PATCH ×1; ApiError 999; POST charged unknown, spent 0, uncertain 2`,
    run: () => onWire((socket) => void socket.end(http('999 Denied', '<h1>Denied</h1>'))),
  },
  {
    id: 35,
    name: '300, with a Location to choose',
    expected: 'an error that keeps the status, since fetch does not follow it',
    observed: `GET ×1, POST ×1, PATCH ×1; ApiError 300; ${unknown}`,
    run: () => onWire((socket) => void socket.end(http('300 Multiple Choices', '', { location: '/v1/a' }))),
  },
  {
    id: 36,
    name: 'status 999, with a hook',
    expected: 'the same as without the hook, although it cannot be copied with this status',
    observed: `GET ×3, POST ×1, PATCH ×1; ApiError 999; POST charged unknown, spent 0, uncertain 2`,
    run: () =>
      onWire((socket) => void socket.end(http('999 Denied', '<h1>Denied</h1>')), {
        hooks: { afterResponse: [() => {}] },
      }),
  },
  {
    id: 37,
    name: 'a status text in Japanese, with and without a hook',
    expected: 'the response is kept, although no response can be made with this text',
    observed: '200 ??, 200 ??; spent 4, uncertain 0',
    run: async () => {
      const { baseUrl, close } = await rawServer((socket) => void socket.end(http('200 良好', body)))
      const client = new SocialSearch({ baseUrl, apiKey })
      const texts: string[] = []
      for (const options of [{}, { hooks: { afterResponse: [() => {}] } }]) {
        const { value, error } = await outcomeOf(
          client.microblog.search({ query: 'rust' }, options).withResponse(),
        )
        texts.push(value ? `${value.response.status} ${value.response.statusText}` : ending(error))
      }
      await close()
      return `${texts.join(', ')}; ${costs(client, undefined)}`
    },
  },
  ...redirects.sort((a, b) => a.id - b.id),
])
