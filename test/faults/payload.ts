import { gzipSync } from 'node:zlib'
import type { InvalidResponseError } from '../../src/index.ts'
import { http } from '../support/raw-server.ts'
import { post } from '../support/pages.ts'
import { apiKey, makeClient } from '../support/service.ts'
import { type Faults } from './case.ts'
import { costs, ending, onWire, kept, outcomeOf, searched, success, wire } from './observe.ts'

const body = JSON.stringify(success)

const served = (bytes: string | Buffer, headers?: Record<string, string>): Promise<string> =>
  onWire(http('200 OK', bytes, headers))

const deep = (): string => `${'['.repeat(100_000)}${']'.repeat(100_000)}`
export const payload: Faults = {
  'JSON that breaks off': () => served('{"requestId":"r","posts":[{"id"'),
  'JSON that breaks off: the body of the error': () => kept('{"requestId":"r","posts":[{"id"'),
  '200 with HTML': () => served('<h1>Welcome</h1>', { 'content-type': 'text/html' }),
  'gzip that breaks off': () => {
    const whole = gzipSync(
      JSON.stringify({ ...success, filler: Array.from({ length: 999 }, (_, i) => i * i) }),
    )
    return served(whole.subarray(0, whole.length - 40), { 'content-encoding': 'gzip' })
  },
  'plain text that says it is gzip': () => served(body, { 'content-encoding': 'gzip' }),
  'a small gzip that unfolds to 80 MB': () =>
    capped(gzipSync(Buffer.alloc(80 * 2 ** 20, 'x')), { 'content-encoding': 'gzip' }),
  'a plain body of 80 MB': () => capped(Buffer.alloc(80 * 2 ** 20, 'x')),
  'JSON nested 100,000 deep': async () => {
    const { client, error } = await searched(deep())
    const { body } = error as InvalidResponseError
    return `${ending(error)}, body ${Array.isArray(body) ? 'kept' : 'lost'}; ${costs(client, error)}`
  },
  'a page with a further field nested 100,000 deep': async () => {
    const { client, error } = await searched(`{"further":${deep()},${body.slice(1)}`)
    return `${ending(error)}; ${costs(client, error)}`
  },
  'an error body nested 100,000 deep': async () => {
    const client = makeClient({ fetch: () => Promise.resolve(new Response(deep(), { status: 502 })) })
    const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
    return `${ending(error)}; ${costs(client, error)}`
  },
  '`__proto__` in a page, and in an unchecked body': async () => {
    const text = `{"__proto__":{"polluted":true},"comments":[],${body.slice(1)}`
    const { value, error } = await searched(text)
    // A body that is handed over without the fields of a page.
    const client = makeClient({ fetch: () => Promise.resolve(new Response(text)) })
    const comments = await client.professionalnet.posts.comments({ postUrl: 'x' }, { validation: 'off' })
    return `${ending(error)}; ${polluted(value, comments, {}, [])}`
  },
  '`__proto__` with the key, in the body of an error': async () => {
    const text = `{"__proto__":{"polluted":"${apiKey}"},"a":{"__proto__":"${apiKey}"},"requestId":"r"}`
    const { error } = await searched(text)
    const { body } = error as InvalidResponseError
    const absent = !JSON.stringify(body).includes(apiKey)
    const told = polluted(body, (body as { a: unknown }).a, {}, [])
    return `${ending(error)}; ${told}, the key ${absent ? 'absent' : 'present'}`
  },
  '`constructor.prototype` in a page': async () => {
    const { error } = await searched(`{"constructor":{"prototype":{"polluted":true}},${body.slice(1)}`)
    return `${ending(error)}; ${polluted({}, [], () => {})}`
  },
  'a byte order mark': () => served(`\uFEFF${body}`),
  'a wrong charset of latin1': () => served(body, { 'content-type': 'application/json; charset=latin1' }),
  'text that is not ASCII, split in the middle of a character': async () => {
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
  'complete gzip': () => served(gzipSync(body), { 'content-encoding': 'gzip' }),
  'JSON as text/plain': () => served(body, { 'content-type': 'text/plain' }),
}

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
