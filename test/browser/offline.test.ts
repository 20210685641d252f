import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Offline } from './pages/offline.ts'
import { type Site, serveSite } from './site.ts'
import { inEachBrowser } from './suite.ts'

declare const offline: Offline

let site: Site
beforeAll(async () => void (site = await serveSite('offline.ts')))
afterAll(() => site.close())

inEachBrowser(({ open }) => {
  describe('a page without a server', () => {
    it('searches the sandbox, and changes it', async () => {
      const page = await open(site.origin)
      expect(await page.evaluate(() => offline.sandbox())).toEqual({
        posts: 20,
        lost: 'ConnectionError',
        spent: 4,
      })
    })

    it('uses a proxy as its fetch', async () => {
      const page = await open(site.origin)
      expect(await page.evaluate(() => offline.proxy())).toMatchObject({ posts: 20, spent: 2, uncertain: 0 })
    })

    it('exports what it reads', async () => {
      const page = await open(site.origin)
      expect(await page.evaluate(() => offline.export())).toBe(30)
    })
  })
})
