import { describe, expect, it } from 'vitest'
import { settle, virtualTime } from '../../support/clock.ts'
import { createSandbox } from '../../support/sandbox.ts'
import { query } from '../../support/search.ts'
import { apiKey, makeClient } from '../../support/service.ts'

virtualTime()

const page = `<!doctype html>\n<html><head><title>Not Found</title></head><body>nginx ${apiKey}</body></html>`
const firstWords = 'text/html: Not Found nginx [redacted]'
const unavailable = '{"requestId":"r","error":{"code":"professionalnet_unavailable"}}'
const long = `<p>${'word '.repeat(1e6)}`
const maybeCharged = 'You may have been charged 2 credits.'

/** The message of a search that gets one answer. */
async function messageFor(status: number, text: string, type?: string): Promise<string> {
  const headers = new Headers(type === undefined ? {} : { 'content-type': type })
  const fetch = () => Promise.resolve(new Response(new TextEncoder().encode(text), { status, headers }))
  const { error } = await settle(makeClient({ retry: false, fetch }).microblog.search(query))
  return (error as Error).message
}

describe('the message of an error', () => {
  it('says that baseUrl lacks /v1 when the service answers 404', async () => {
    const { clientOptions, baseUrl } = createSandbox()
    const right = makeClient(clientOptions())
    const wrong = makeClient({ ...clientOptions(), baseUrl: baseUrl.replace('/v1', '') })
    const { error } = await settle(wrong.microblog.search(query))
    const said = /404.*; baseUrl lacks \/v1\. Check the id and the base URL\.$/
    expect((error as Error).message).toMatch(said)
    expect(String((await settle(right.mentions.get('men_0'))).error)).not.toContain('/v1')
  })

  it.each<[says: string, answer: [status: number, text: string, type?: string], message: string]>([
    // A gateway says so of each call.
    ['names no network', [503, unavailable], 'microblog.search: temporarily unavailable (503). Retry later.'],
    ['quotes a page with 404', [404, page, 'text/html'], `a proxy may have answered 404 (${firstWords})`],
    ['quotes a page with 502', [502, page, 'text/html'], `a proxy may have answered 502 (${firstWords})`],
    [
      'quotes a page that is a success',
      [200, page, 'text/html'],
      `the response is not JSON (200, ${firstWords}). ${maybeCharged} Check the base URL.`,
    ],
    [
      'quotes no other body, which may be paid data',
      [200, '{"posts":[{"body":"private', 'application/json'],
      `not JSON (200, application/json). ${maybeCharged} Check \`error.body\` before you retry.`,
    ],
    ['says that there is no type', [200, 'x'], '(200, no type)'],
  ])('%s: %j', async (_, answer, message) => {
    expect(await messageFor(...answer)).toContain(message)
  })

  it('quotes at most 120 characters of a page', async () => {
    expect((await messageFor(200, long, 'text/html')).length).toBeLessThan(280)
  })
})
