import { createWriteStream, readFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import { fieldsOf, streamOf, toCsv, toJsonl } from '../../src/extensions/export/index.ts'
import { ConfigurationError, CreditBudget, CreditBudgetError, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { newFolder } from '../support/folder.ts'

const folder = newFolder()

const sandbox = createSandbox({ limits: { perMinute: false } })
const client = new SocialSearch(sandbox.clientOptions())
const walk = () => client.microblog.search({ query: 'coffee' }, { maxPages: 3 })

const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream as ReadableStream).text()

describe('toJsonl()', () => {
  it('writes each post whole, in order', async () => {
    const lines = (await textOf(streamOf(walk()).pipeThrough(toJsonl()))).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(await walk().toArray({ limit: 1000 }))
  })
})

describe('toCsv() and toJsonl()', () => {
  it.each([6000, 100_000])('write "…" for what nests more than 500 of %i levels deep', async (levels) => {
    const deep = JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown
    const shown = `${'['.repeat(499)}"…"${']'.repeat(499)}`
    const streamOfTwo = () => streamOf(Readable.from([{ deep }, { deep: 1 }]))
    expect(await textOf(streamOfTwo().pipeThrough(toJsonl()))).toBe(`{"deep":${shown}}\n{"deep":1}\n`)
    const csv = await textOf(streamOfTwo().pipeThrough(toCsv({ fields: ['deep'] })))
    expect(csv).toBe(`deep\n"[${shown.replaceAll('"', '""')}]"\n1\n`)
  })

  it('refuse a record that refers to itself', async () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = [circle, circle]
    const text = textOf(streamOf(Readable.from([circle])).pipeThrough(toJsonl()))
    await expect(text).rejects.toThrow(ConfigurationError)
  })
})

describe('fieldsOf()', () => {
  it('has the documented fields, optional ones included, in their order', () => {
    const paths = fieldsOf('professionalnet.posts.search')
    expect(paths).toContain('pollComponent.question')
    expect(paths.slice(0, 2)).toEqual(['share_url', 'actor.actor_image'])
    expect(fieldsOf('professionalnet.company.get')).toContain('company.foundedYear')
  })

  it('refuses operations without documented fields', () => {
    expect(() => fieldsOf('technews.search')).toThrow('does not document the fields')
    expect(() => fieldsOf('nothing' as never)).toThrow('unknown operation')
  })
})

it.each([[[1]], [null], [undefined]])('streamOf() refuses %j before anything is read', (call) => {
  const message = 'streamOf() needs a search or an async iterable, got'
  expect(() => streamOf(call as never)).toThrow(message)
})

describe('a stream of a walk', () => {
  const sent = () => sandbox.requests.length

  it('buys a page only when its reader needs it, and none after it was canceled', async () => {
    const before = sent()
    const posts = streamOf(client.microblog.search({ query: 'coffee' }))
    // A stream that reads ahead pulls at its start.
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent() - before).toBe(0)
    const reader = posts.getReader()
    for (let item = 0; item < 20; item++) await reader.read()
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent() - before).toBe(1)
    await reader.read()
    await reader.cancel()
    expect(sent() - before).toBe(2)
  })

  it('sends nothing any more when it is canceled while its page waits in the queue', async () => {
    const [busy, full] = [new SocialSearch(sandbox.clientOptions()), Promise.withResolvers<void>()]
    const slow = { headers: () => full.promise.then(() => ({})) }
    const others = ['a', 'b'].map((query) => busy.microblog.search({ query }, slow))
    const before = sent()
    const reader = streamOf(busy.microblog.search({ query: 'coffee' }))
      .pipeThrough(toJsonl())
      .getReader()
    const reading = reader.read()
    await reader.cancel()
    expect((await reading).done).toBe(true)
    full.resolve()
    await Promise.all(others)
    await busy.close()
    expect(sent() - before).toBe(2)
  })

  it('is written to a file by stream/promises, as a web stream or in a pipeline', async () => {
    const path = join(folder, 'posts.csv')
    const fields = ['id', 'engagements.viewsCount']
    await pipeline(streamOf(walk()).pipeThrough(toCsv({ fields })), createWriteStream(path))
    const text = readFileSync(path, 'utf8')
    expect(text.split('\n')).toHaveLength(62)
    const pipe = pipeline as (...streams: unknown[]) => Promise<void>
    await pipe(walk(), toCsv({ fields }), createWriteStream(path))
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('gives its reader each paid post when a later page fails', async () => {
    const options = { budget: new CreditBudget(5) }
    const posts = streamOf(client.microblog.search({ query: 'coffee' }, options))
    const path = join(folder, 'paid.csv')
    const write = async () => {
      for await (const row of posts.pipeThrough(toCsv({ fields: ['id'] }))) await appendFile(path, row)
    }
    await expect(write()).rejects.toThrow(CreditBudgetError)
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(42)
  })

  it('buys no further page when its file cannot be written', async () => {
    const before = sent()
    let written = 0
    const full = new Writable({
      highWaterMark: 1,
      write: (_, __, done) =>
        done(++written > 25 ? Object.assign(new Error('disk full'), { code: 'ENOSPC' }) : null),
    })
    const posts = client.microblog.search({ query: 'coffee' })
    await expect(pipeline(streamOf(posts).pipeThrough(toJsonl()), full)).rejects.toThrow('disk full')
    expect(sent() - before).toBe(2)
  })
})
