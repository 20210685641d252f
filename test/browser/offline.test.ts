import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Offline } from './pages/offline.ts'
import { type Site, serveSite } from './site.ts'
import { inEachBrowser } from './suite.ts'

declare const offline: Offline

let site: Site
beforeAll(async () => void (site = await serveSite('offline.ts')))
afterAll(() => site.close())

inEachBrowser(({ open }) => {
  it('a page without a server searches and changes the sandbox, has a proxy as its fetch, and exports', async () => {
    const page = await open(site.origin)
    const report = { posts: 20, lost: 'ConnectionError', spent: 4 }
    expect(await page.evaluate(() => offline.sandbox())).toEqual(report)
    expect(await page.evaluate(() => offline.proxy())).toMatchObject({ posts: 20, spent: 2, uncertain: 0 })
    expect(await page.evaluate(() => offline.export())).toBe(30)
  })
})
