import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../../src/index.ts'
import { createSandbox } from '../../support/sandbox.ts'
import { realTime } from '../../support/real-time.ts'

const sandbox = createSandbox()
const client = new SocialSearch(sandbox.clientOptions())
const query = 'typescript'
const messageOf = async (call: PromiseLike<unknown>): Promise<string> =>
  ((await realTime.settle(call)).error as Error).message

/** A client whose requests get one answer. */
function answeredWith(status: number, text: string, type?: string): SocialSearch {
  const headers = new Headers(type === undefined ? {} : { 'content-type': type })
  const fetch = (): Promise<Response> =>
    Promise.resolve(new Response(new TextEncoder().encode(text), { status, headers }))
  return new SocialSearch({ ...sandbox.clientOptions(), apiKey: 'sk_secret_1', retry: false, fetch })
}
const page =
  '<!doctype html>\n<html><head><title>Not Found</title></head><body>nginx sk_secret_1</body></html>'

describe('the message of an error', () => {
  it('says that baseUrl lacks /v1 when the service answers 404', async () => {
    const baseUrl = sandbox.baseUrl.replace('/v1', '')
    const wrong = new SocialSearch({ ...sandbox.clientOptions(), baseUrl })
    expect(await messageOf(wrong.microblog.search({ query }))).toMatch(
      /404.*; baseUrl lacks \/v1\. Check the id and the base URL\.$/,
    )
    expect(await messageOf(client.mentions.get('men_0'))).not.toContain('/v1')
  })

  it('names no network when the service is unavailable: a gateway says so of each call', async () => {
    const body = JSON.stringify({ requestId: 'r', error: { code: 'professionalnet_unavailable' } })
    const call = answeredWith(503, body).microblog.search({ query })
    expect(await messageOf(call)).toBe('microblog.search: temporarily unavailable (503). Retry later.')
  })

  it.each([404, 502])('has type and first words of an HTML page with status %i', async (status) => {
    const call = answeredWith(status, page, 'text/html').microblog.search({ query })
    expect(await messageOf(call)).toContain(
      `a proxy may have answered ${status} (text/html: Not Found nginx [redacted])`,
    )
  })

  it('has status, type and first words when a success is an HTML page', async () => {
    const call = answeredWith(200, page, 'text/html').microblog.search({ query })
    expect(await messageOf(call)).toBe(
      'microblog.search: the response is not JSON (200, text/html: Not Found nginx [redacted]). You may have been charged 2 credits. Check the base URL.',
    )
  })

  it('quotes no other body, which may be paid data, and at most 120 characters of a page', async () => {
    const cut = answeredWith(200, '{"posts":[{"body":"private', 'application/json').microblog.search({
      query,
    })
    expect(await messageOf(cut)).toMatch(
      /: the response is not JSON \(200, application\/json\)\. You may have been charged 2 credits\. Check `error\.body` before you retry\.$/,
    )
    expect(await messageOf(answeredWith(200, 'x').openapi())).toContain('(200, no type)')
    const long = answeredWith(200, `<p>${'word '.repeat(1e6)}`, 'text/html').openapi()
    expect((await messageOf(long)).length).toBeLessThan(200)
  })
})
