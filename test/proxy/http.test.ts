import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import type { ClientOptions } from '../../src/index.ts'
import type { ProxyOptions } from '../../src/extensions/proxy/index.ts'
import { type Site, serveSite, session } from '../browser/proxy/server.ts'
import { expectedReport, usePage } from '../browser/proxy/page.ts'
import { clientOf, searchPath } from './setup.ts'

const sites: Site[] = []
afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.close()))
})

async function open(options: Partial<ProxyOptions> = {}) {
  const site = await serveSite('', options)
  sites.push(site)
  const baseUrl = `${site.origin}/api/social`
  const page = (more: Partial<ClientOptions> = {}) =>
    clientOf({ baseUrl, auth: false, headers: { cookie: session }, ...more })
  const post = (body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(baseUrl + searchPath, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: session, ...headers },
      body,
      ...(typeof body === 'string' ? {} : ({ duplex: 'half' } as object)),
    })
  return { ...site, page, post }
}

describe('a page before createProxy(), over HTTP', () => {
  it('walks, and gets errors, with the backend’s credits', async () => {
    const { page, backend, sandbox } = await open()
    const { ids, industries, ...report } = await usePage(page())
    expect(report).toEqual(expectedReport)
    expect(industries).toBeGreaterThan(0)
    expect(backend.credits).toMatchObject(expectedReport.credits)
    expect(sandbox.ledger.spent).toBe(12)
    const direct = backend.microblog.search({ query: 'coffee' }, { maxPages: 3 })
    const expected: string[] = []
    for await (const { id } of direct) expected.push(id)
    expect(ids).toEqual(expected)
  })

  it('uses its own schema and validation, and keeps paid data', async () => {
    const { page, sandbox } = await open()
    const schema = z.pipe(
      z.object({ id: z.string() }),
      z.transform(({ id }) => id),
    )
    const { posts } = await page().microblog.search({ query: 'coffee', count: 2 }, { schema })
    expect(posts.every((post) => typeof post === 'string')).toBe(true)
    const odd = { requestId: 'req_1', posts: [{ id: 'odd' }], meta: { returnedCount: 1, hasMore: false } }
    sandbox.inject({ body: odd, times: 2 })
    await expect(page().microblog.search({ query: 'coffee' })).rejects.toMatchObject({
      name: 'InvalidResponseError',
      charged: 'yes',
      body: odd,
    })
    const lenient = await page({ validation: 'lenient' }).microblog.search({ query: 'coffee' })
    expect(lenient.invalid).toMatchObject([{ index: 0, item: { id: 'odd' } }])
  })

  it('is refused with a clear error, free of charge', async () => {
    const { post, sandbox } = await open({ maxBodyBytes: 1000 })
    const chunks = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(2 ** 20)),
    })
    const answers = [
      await post('x'.repeat(10_000_000)),
      await post(chunks.pipeThrough(limit(10))),
      await post('{"query":"coffee"}', { origin: 'https://evil.example' }),
      await post('{"query":"coffee"}', { 'sec-fetch-site': 'cross-site' }),
      await post('{"query":"coffee"}', { cookie: 'session=nobody' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 403, 403, 401])
    for (const answer of answers) expect(await answer.json()).toMatchObject({ error: { charged: 'no' } })
    expect(sandbox.requests).toEqual([])
  })

  it('may leave during its search, and every ledger has the cost', async () => {
    const { page, backend, sandbox } = await open()
    sandbox.inject({ delay: 200 })
    const client = page()
    const leaving = new AbortController()
    const search = client.microblog.search({ query: 'coffee' }, { signal: leaving.signal }).then()
    await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1))
    leaving.abort()
    await expect(search).rejects.toMatchObject({ name: 'AbortError' })
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2 })
    await vi.waitFor(() => expect(backend.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 }))
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('may leave before its search is sent, which drops it', async () => {
    const { page, backend, sandbox } = await open()
    sandbox.inject({ delay: 400, times: 2 })
    const busy = [1, 2].map(() => backend.microblog.search({ query: 'tea' }).then())
    await vi.waitFor(() => expect(sandbox.requests).toHaveLength(2))
    const signal = AbortSignal.timeout(100)
    await expect(page().microblog.search({ query: 'coffee' }, { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
      message: expect.stringMatching(/was aborted/),
    })
    await Promise.all(busy)
    await backend.microblog.search({ query: 'tea' })
    expect(sandbox.requests.map(({ body }) => (body as { query: string }).query)).toEqual([
      'tea',
      'tea',
      'tea',
    ])
  })
})

/** Ends a stream after so many chunks. */
function limit(chunks: number): TransformStream<Uint8Array, Uint8Array> {
  let left = chunks
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk)
      if (--left === 0) controller.terminate()
    },
  })
}
