import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type SandboxServer, serveSandbox } from '../support/sandbox.ts'
import { http, rawServer } from '../support/raw-server.ts'
import type { Tab } from './engines/engine.ts'
import type { App } from './pages/app.ts'
import { type Site, serveSite } from './site.ts'
import { inEachBrowser } from './suite.ts'

declare const app: App

let site: Site
let sandbox: SandboxServer
let page: Tab
beforeAll(async () => void (site = await serveSite('app.ts')))
afterAll(() => site.close())
beforeEach(async () => void (sandbox = await serveSandbox()))
afterEach(() => sandbox.close())

/** Sends one call from the page, and tells how it ended. */
function call(name: 'search' | 'industries', baseUrl = sandbox.baseUrl, retry = true) {
  const options = { baseUrl, apiKey: sandbox.apiKey, dangerouslyAllowBrowser: true, ...(!retry && { retry }) }
  return page.evaluate(
    async ({ name, options }) => {
      const client = new app.SocialSearch({ ...options, logger: false })
      try {
        const { attempts } = await (
          name === 'search'
            ? client.microblog.search({ query: 'coffee' })
            : client.professionalnet.industries.list()
        ).withResponse()
        return { attempts: attempts.length }
      } catch (error) {
        if (!app.isSocialSearchError(error)) throw error
        const { message, charged, attempts } = error
        const retryAfter = 'retryAfter' in error ? error.retryAfter : undefined
        return { name: error.name, message, charged, attempts: attempts.length, retryAfter }
      }
    },
    { name, options },
  )
}

inEachBrowser(({ open }) => {
  beforeEach(async () => void (page = await open(site.origin)))

  it('reads a page under a strict content security policy without a violation', async () => {
    expect(await call('search')).toEqual({ attempts: 1 })
  })

  it('refuses an API key unless dangerouslyAllowBrowser is set', async () => {
    const message = await page.evaluate(() => {
      try {
        new app.SocialSearch({ baseUrl: 'https://api.example/v1', apiKey: 'org_live_1' })
        return 'accepted'
      } catch (error) {
        return String(error)
      }
    })
    expect(message).toMatch(/^ConfigurationError: .*dangerouslyAllowBrowser/)
  })

  it('reads the wait of a 429 from the body when CORS hides the header', async () => {
    sandbox.inject({ status: 429, retryAfter: 1, headers: { 'retry-after': '600' } })
    expect(await call('search')).toEqual({ attempts: 2 })
    const [refused, repeated] = sandbox.requests
    expect(repeated!.at - refused!.at).toBeGreaterThanOrEqual(1000)

    sandbox.inject({ status: 429, retryAfter: 7, headers: { 'retry-after': '600' } })
    const limited = { name: 'RateLimitError', retryAfter: 7 }
    expect(await call('search', sandbox.baseUrl, false)).toMatchObject(limited)
  })

  it('names CORS when a preflight fails, and does not retry a request that may have been charged', async () => {
    const methods: string[] = []
    const server = await rawServer((socket, request) => {
      methods.push(request.slice(0, request.indexOf(' ')))
      socket.write(http('404 Not Found', '', { connection: 'close' }))
    })
    const failed = { name: 'ConnectionError', message: expect.stringContaining('CORS') }
    expect(await call('search', server.baseUrl)).toMatchObject({ ...failed, charged: 'unknown', attempts: 1 })
    expect(methods).toEqual(['OPTIONS'])
    expect(await call('industries', server.baseUrl)).toMatchObject({ ...failed, charged: 'no', attempts: 3 })
    await server.close()
  })

  it('reports a redirect and does not follow it', async () => {
    sandbox.inject({ status: 307, headers: { location: `${sandbox.baseUrl}/elsewhere` } })
    expect(await call('search')).toMatchObject({ name: 'RedirectError', attempts: 1, charged: 'unknown' })
    expect(sandbox.requests).toHaveLength(1)
  })
})
