import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { runAll } from './run.ts'
import { pages, sampleOf } from './samples.ts'

const folder = new URL('../../src/extensions/proxy/', import.meta.url)
const sources = readdirSync(folder)
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join()

/** The error responses of the lists, as `status code`. */
const lists = (pages.get('docs/proxy.md') ?? '').match(/^- .*/gm)?.join('\n') ?? ''
const listed = Array.from(lists.matchAll(/(\d{3}) `(\w+)`/g), ([, status, code]) => `${status} ${code}`)

/** The class of a status in docs/errors.md, or what docs/proxy.md says of others. */
const classes: Readonly<Record<number | string, string>> = {
  connection: 'ConnectionError',
  timeout: 'TimeoutError',
  redirect: 'RedirectError',
  400: 'ValidationError',
  401: 'AuthenticationError',
  402: 'CreditBudgetError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  502: 'UpstreamError',
  503: 'ServiceUnavailableError',
}

/** The error that the client of a page makes of a response. */
async function classOf(status: number, code: string): Promise<string> {
  const error = { code, message: 'refused', charged: 'no', needed: 2, remaining: 1, phase: 'headers' }
  const fetch = () => Promise.resolve(Response.json({ requestId: 'proxy_1', error }, { status }))
  const client = new SocialSearch({ baseUrl: 'https://app.example/api', auth: false, fetch })
  return client.organization.usage().then(
    () => 'none',
    (error: unknown) => (error as Error).name,
  )
}

describe('docs/proxy.md', () => {
  it('lists each error of createProxy() with its status, its code and its class in the page', async () => {
    const found = sources.matchAll(/(?:new ProxyRefusal\(\s*|: \[)(\d{3}),\s*'(\w+)'/g)
    const all = Array.from(found, ([, status, code = '']) => [Number(status), code] as const)
    // A caller who has left gets no response.
    const sent = all.filter(([, code]) => code !== 'caller_left')
    for (const [status, code] of sent)
      expect(await classOf(status, code)).toBe(classes[code] ?? classes[status] ?? 'ApiError')
    expect(sent.length).toBeGreaterThan(15)
    // The same refusal may come from several places.
    const names = new Set(sent.map(([status, code]) => `${status} ${code}`))
    expect(listed.toSorted()).toEqual([...names].toSorted())
  })

  it('tells visitors the credits that they have left', async () => {
    const sample = sampleOf('docs/proxy.md', 'creditsLeft')
    const search = `
const body = JSON.stringify({ query: 'coffee' })
const headers = { 'content-type': 'application/json' }
await proxy(new Request('https://app.example/data/microblog/tweets/search', { method: 'POST', headers, body }))
const left = await (await creditsLeft(new Request('https://app.example'))).json()
if (left.remaining !== 8) throw new Error(JSON.stringify(left))`
    expect(await runAll(new Map([['sample', sample + search]]))).toEqual({})
  })
})
