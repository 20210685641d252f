import { gzipSync } from 'node:zlib'
import type { InvalidResponseError } from '../../src/index.ts'
import { http } from '../support/raw-server.ts'
import { post } from '../support/pages.ts'
import { apiKey, makeClient } from '../support/service.ts'
import { group } from './case.ts'
import { costs, ending, onWire, kept, outcomeOf, searched, success, wire } from './observe.ts'

const body = JSON.stringify(success)
const answered = 'GET ×1, POST ×1, PATCH ×1; answered; POST spent 2, uncertain 0'
const unreadable = 'GET ×2, POST ×1, PATCH ×1; InvalidResponseError; POST charged yes, spent 0, uncertain 2'
const paid = 'a success arrived, so it is charged and not retried; its sender is unclear, so uncertain'

const served = (bytes: string | Buffer, headers?: Record<string, string>): Promise<string> =>
  onWire((socket) => void socket.end(http('200 OK', bytes, headers)))

const deep = (): string => `${'['.repeat(100_000)}${']'.repeat(100_000)}`
export const payload = group('payload', [
  {
    id: 140,
    name: 'JSON that breaks off',
    expected: paid,
    observed: unreadable,
    run: () => served('{"requestId":"r","posts":[{"id"'),
  },
  {
    id: 141,
    name: 'JSON that breaks off: the body of the error',
    expected: 'the text, so that you can use it',
    observed: 'InvalidResponseError, body kept; charged yes, spent 0, uncertain 2',
    run: () => kept('{"requestId":"r","posts":[{"id"'),
  },
  {
    id: 142,
    name: '200 with HTML',
    expected: 'a page of a proxy; the service may have charged',
    observed: unreadable,
    run: () => served('<h1>Welcome</h1>', { 'content-type': 'text/html' }),
  },
  {
    id: 143,
    name: 'gzip that breaks off',
    expected: 'Node decompresses it without an error, but the JSON is incomplete; never a page',
    observed: unreadable,
    run: () => {
      const whole = gzipSync(
        JSON.stringify({ ...success, filler: Array.from({ length: 999 }, (_, i) => i * i) }),
      )
      return served(whole.subarray(0, whole.length - 40), { 'content-encoding': 'gzip' })
    },
  },
  {
    id: 144,
    name: 'plain text that says it is gzip',
    expected: 'no complete response: like a body that breaks off',
    observed:
      'GET ×3, POST ×1, PATCH ×1; ConnectionError (exchange); POST charged unknown, spent 0, uncertain 2',
    run: () => served(body, { 'content-encoding': 'gzip' }),
  },
  {
    id: 145,
    name: 'a small gzip that unfolds to 80 MB',
    expected: 'cut off at the limit of 64 MB after decompression',
    observed:
      'POST ×1; the response is larger than 67108864 bytes and was cut off; charged yes, spent 0, uncertain 2',
    run: () => capped(gzipSync(Buffer.alloc(80 * 2 ** 20, 'x')), { 'content-encoding': 'gzip' }),
  },
  {
    id: 146,
    name: 'a plain body of 80 MB',
    expected: 'cut off at the same limit',
    observed:
      'POST ×1; the response is larger than 67108864 bytes and was cut off; charged yes, spent 0, uncertain 2',
    run: () => capped(Buffer.alloc(80 * 2 ** 20, 'x')),
  },
  {
    id: 147,
    name: 'JSON nested 100,000 deep',
    expected: 'rejects without a stack overflow',
    observed: 'InvalidResponseError, body kept; charged yes, spent 0, uncertain 2',
    run: async () => {
      const { client, error } = await searched(deep())
      const { body } = error as InvalidResponseError
      return `${ending(error)}, body ${Array.isArray(body) ? 'kept' : 'lost'}; ${costs(client, error)}`
    },
  },
  {
    id: 148,
    name: 'a page with a further field nested 100,000 deep',
    expected: 'a valid page: further fields are accepted',
    observed: 'answered; spent 2, uncertain 0',
    run: async () => {
      const { client, error } = await searched(`{"further":${deep()},${body.slice(1)}`)
      return `${ending(error)}; ${costs(client, error)}`
    },
  },
  {
    id: 149,
    name: 'an error body nested 100,000 deep',
    expected: 'typed by its status',
    observed: 'UpstreamError 502; charged unknown, spent 0, uncertain 2',
    run: async () => {
      const client = makeClient({ fetch: () => Promise.resolve(new Response(deep(), { status: 502 })) })
      const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
      return `${ending(error)}; ${costs(client, error)}`
    },
  },
  {
    id: 150,
    name: '`__proto__` in a page, and in an unchecked body',
    expected: 'no prototype changes',
    observed: 'answered; nothing polluted',
    run: async () => {
      const text = `{"__proto__":{"polluted":true},"comments":[],${body.slice(1)}`
      const { value, error } = await searched(text)
      // A body that is handed over without the fields of a page.
      const client = makeClient({ fetch: () => Promise.resolve(new Response(text)) })
      const comments = await client.professionalnet.posts.comments({ postUrl: 'x' }, { validation: 'off' })
      return `${ending(error)}; ${polluted(value, comments, {}, [])}`
    },
  },
  {
    id: 151,
    name: '`__proto__` with the key, in the body of an error',
    expected: 'redacted like any other field, without setting a prototype',
    observed: 'InvalidResponseError; nothing polluted, the key absent',
    run: async () => {
      const text = `{"__proto__":{"polluted":"${apiKey}"},"a":{"__proto__":"${apiKey}"},"requestId":"r"}`
      const { error } = await searched(text)
      const { body } = error as InvalidResponseError
      const absent = !JSON.stringify(body).includes(apiKey)
      const told = polluted(body, (body as { a: unknown }).a, {}, [])
      return `${ending(error)}; ${told}, the key ${absent ? 'absent' : 'present'}`
    },
  },
  {
    id: 152,
    name: '`constructor.prototype` in a page',
    expected: 'ordinary data',
    observed: 'answered; nothing polluted',
    run: async () => {
      const { error } = await searched(`{"constructor":{"prototype":{"polluted":true}},${body.slice(1)}`)
      return `${ending(error)}; ${polluted({}, [], () => {})}`
    },
  },
  {
    id: 153,
    name: 'a byte order mark',
    expected: 'works',
    observed: answered,
    run: () => served(`\uFEFF${body}`),
  },
  {
    id: 154,
    name: 'a wrong charset of latin1',
    expected: 'read as UTF-8, as JSON is',
    observed: answered,
    run: () => served(body, { 'content-type': 'application/json; charset=latin1' }),
  },
  {
    id: 155,
    name: 'text that is not ASCII, split in the middle of a character',
    expected: 'the character stays whole',
    observed: 'answered "Grüße 😀"',
    run: async () => {
      const bytes = new TextEncoder().encode(
        JSON.stringify({ ...success, posts: [{ ...post('1'), body: 'Grüße 😀' }] }),
      )
      const stream = new ReadableStream({
        start: (controller) => {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
          controller.close()
        },
      })
      const client = makeClient({ fetch: () => Promise.resolve(new Response(stream)) })
      const { posts } = await client.microblog.search({ query: 'rust' })
      return `answered "${posts[0]?.body}"`
    },
  },
  {
    id: 156,
    name: 'complete gzip',
    expected: 'works',
    observed: answered,
    run: () => served(gzipSync(body), { 'content-encoding': 'gzip' }),
  },
  {
    id: 157,
    name: 'JSON as text/plain',
    expected: 'works: the body decides, not its content type',
    observed: answered,
    run: () => served(body, { 'content-type': 'text/plain' }),
  },
])

async function capped(bytes: Buffer, headers?: Record<string, string>): Promise<string> {
  const place = await wire((socket) => void socket.end(http('200 OK', bytes, headers)))
  const client = makeClient({ ...place.options })
  const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
  await place.close()
  const message = (error as Error).message.replace('microblog.search: ', '')
  return `POST ×${place.arrived()}; ${message}; ${costs(client, error)}`
}

/** Whether any of the values has inherited what a payload tried to plant. */
function polluted(...values: unknown[]): string {
  const planted = values.filter(
    (value) => (value as { polluted?: unknown } | undefined)?.polluted !== undefined,
  )
  return planted.length === 0 ? 'nothing polluted' : 'polluted'
}
