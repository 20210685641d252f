import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Site, serveSite, session } from '../browser/proxy/server.ts'
import { expectedReport, usePage } from '../browser/proxy/page.ts'
import { clientOf } from './setup.ts'

const sites: Site[] = []
afterEach(async () => {
  vi.unstubAllGlobals()
  await Promise.all(sites.splice(0).map((site) => site.close()))
})

async function open() {
  const site = await serveSite('')
  sites.push(site)
  const baseUrl = `${site.origin}/api/social`
  const page = () => clientOf({ baseUrl, auth: false, headers: { cookie: session } })
  return { ...site, page }
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

  it('may leave during its search, and every ledger has the cost', async () => {
    const { page, backend, sandbox } = await open()
    const { fetch } = globalThis
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request)
      if (response.url.startsWith(sandbox.baseUrl)) await answered
      return response
    })
    const client = page()
    const leaving = new AbortController()
    const search = client.microblog.search({ query: 'coffee' }, { signal: leaving.signal }).then()
    await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1))
    leaving.abort()
    await expect(search).rejects.toMatchObject({ name: 'AbortError' })
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2 })
    answer()
    await vi.waitFor(() => expect(backend.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 }))
    expect(sandbox.ledger.spent).toBe(2)
  })
})
